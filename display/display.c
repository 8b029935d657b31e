// SPDX-License-Identifier: Apache-2.0
// The screen itself: ncurses draws what differs; keys and signals are ours. Its input
// loses bytes of a key that comes in pieces, and its handlers would end the program
// without a word.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/text/text.h"
#include "display/screen.h"

// An escape byte that nothing follows for so long is the key Esc: longer than what
// lies between two packets, shorter than what is felt.
enum { PIECE_MS = 50 };

static const char mouse_on[] = "\033[?1000h\033[?1006h",
                  mouse_off[] = "\033[?1006l\033[?1000l";
static const char paste_on[] = "\033[?2004h", paste_off[] = "\033[?2004l";

// ---- Opening ----

static bool is_set(const char *name) {
  const char *value = getenv(name);
  return value && *value;
}

bool display_is_unwanted(void) {
  const char *term = getenv("TERM");
  return plain_is_wanted() || !term || !*term || !strcmp(term, "dumb");
}

static enum err refuse(struct err_info *e, const char *why) {
  return err_set(e, ERR_UNSUPPORTED, "%s", why);
}

// Terminfo's text for what a terminal does; "" where it cannot.
static const char *capability(const struct curses *c, const char *name) {
  const char *text = c->tigetstr(name);
  return text && text != (const char *)-1 ? text : "";
}

// Without the pauses ("$<5>") that old terminals wanted.
static void add_without_pauses(const char *text, struct str *out) {
  for (const char *p = text; *p; p++) {
    const char *end = p[0] == '$' && p[1] == '<' ? strchr(p, '>') : NULL;
    if (end)
      p = end;
    else
      str_add_char(out, *p);
  }
}

// Where a sequence was broken off in its middle, CAN ends it.
static char *leaving(const struct curses *c) {
  static const char *const names[] = {"sgr0", "op", "cnorm", "rmcup"};
  struct str out = STR_INIT;
  str_addf(&out, "\030%s%s", display_mouse_is_wanted() ? mouse_off : "",
           paste_off);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    add_without_pauses(capability(c, names[i]), &out);
  if (!*capability(c, "rmcup"))
    str_add(&out, "\r\n");
  return str_take(&out);
}

static void set_leaving(const struct display *d) {
  char *leave = leaving(&d->curses);
  restore_leave_with(fileno(d->out), leave);
  free(leave);
}

static void open_colours(struct display *d) {
  static const struct {
    int c16, c256, rgb;
  } colours[] = {
#define ROLE(name, attributes, c16, c256, rgb) {c16, c256, rgb},
#include "display/role.def"
#undef ROLE
  };
  struct curses *c = &d->curses;
  int count = c->tigetnum("colors");
  bool is_true = count >= 1 << 24 && c->tigetflag("RGB") > 0;
  if (is_set("NO_COLOR") || count < 8 || c->start_color())
    return;
  c->use_default_colors();
  for (int i = 0; i < ROLES; i++) {
    int colour = is_true        ? colours[i].rgb
                 : count >= 256 ? colours[i].c256
                                : colours[i].c16;
    if (colour >= 0 && !c->init_extended_pair(i + 1, colour, -1))
      d->pairs[i] = i + 1;
  }
}

static void know_keys(struct display *d) {
  static const struct {
    const char *name;
    int key;
  } known[] = {
      {"kcuu1", DISPLAY_UP},      {"kcud1", DISPLAY_DOWN},
      {"kcuf1", DISPLAY_RIGHT},   {"kcub1", DISPLAY_LEFT},
      {"khome", DISPLAY_HOME},    {"kend", DISPLAY_END},
      {"kpp", DISPLAY_PAGE_UP},   {"knp", DISPLAY_PAGE_DOWN},
      {"kdch1", DISPLAY_DELETE},  {"kich1", DISPLAY_INSERT},
      {"kcbt", DISPLAY_BACK_TAB},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    keys_know(&d->keys, capability(&d->curses, known[i].name), known[i].key);
}

static void measure(struct display *d) {
  struct winsize size;
  bool is_known = !ioctl(fileno(d->out), TIOCGWINSZ, &size) &&
                  size.ws_col > 0 && size.ws_row > 0;
  d->columns = is_known ? size.ws_col : 80;
  d->rows = is_known ? size.ws_row : 24;
  d->curses.resizeterm(d->rows, d->columns);
}

static void set_modes(struct display *d) {
  struct curses *c = &d->curses;
  c->raw(); // Ctrl-C, Ctrl-Z and Ctrl-\ are keys
  c->noecho();
  c->nonl();
  c->typeahead(-1); // a picture is whole, whatever is typed meanwhile
  c->curs_set(0);
  fputs(paste_on, d->out);
  if (display_mouse_is_wanted())
    fputs(mouse_on, d->out);
  fflush(d->out);
}

static enum err open_terminal(struct display *d, struct err_info *e) {
  int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
  d->out = fd >= 0 ? fdopen(fd, "w") : NULL;
  d->terminal = d->out ? d->curses.newterm(NULL, d->out, stdin) : NULL;
  if (!d->terminal)
    return err_set(e, ERR_UNSUPPORTED, "nothing is known of a terminal \"%s\"",
                   getenv("TERM"));
  if (!*capability(&d->curses, "cup") || !*capability(&d->curses, "clear"))
    return err_set(e, ERR_UNSUPPORTED,
                   "a terminal \"%s\" cannot move its cursor", getenv("TERM"));
  return ERR_OK;
}

enum err display_open(struct display **out, struct err_info *e) {
  *out = NULL;
  if (display_is_unwanted())
    return refuse(e, "text alone is wanted (WARPSHOP_PLAIN, or TERM=dumb)");
  if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
    return refuse(e, "this is no terminal");
  struct display *d = xcalloc(1, sizeof *d);
  keys_init(&d->keys);
  enum err err = curses_load(&d->curses, e);
  restore_hold(&d->before);
  // ncurses leaves alone the signals that somebody catches by then.
  restore_begin();
  if (!err)
    err = open_terminal(d, e);
  if (err) {
    display_close(d);
    return err == ERR_NOT_FOUND ? ERR_UNSUPPORTED : err;
  }
  set_leaving(d);
  set_modes(d);
  open_colours(d);
  know_keys(d);
  measure(d);
  *out = d;
  return ERR_OK;
}

void display_close(struct display *d) {
  if (!d)
    return;
  if (d->terminal)
    d->curses.endwin();
  restore_now();
  restore_end(false);
  restore_guard_again();
  if (d->terminal)
    d->curses.delscreen(d->terminal);
  if (d->out)
    fclose(d->out);
  keys_free(&d->keys);
  sigprocmask(SIG_SETMASK, &d->before, NULL);
  free(d);
}

bool display_has_colour(const struct display *d) {
  for (int i = 0; i < ROLES; i++)
    if (d->pairs[i])
      return true;
  return false;
}

// ---- Drawing ----

struct pane display_begin(struct display *d) {
  d->curses.werase(*d->curses.stdscr);
  return (struct pane){d, 0, 0, d->rows, d->columns};
}

bool display_fits(int columns, int rows) {
  return columns >= DISPLAY_MIN_COLUMNS && rows >= DISPLAY_MIN_ROWS;
}

bool display_is_small(const struct display *d) {
  return !display_fits(d->columns, d->rows);
}

// The sentence is cut at words, as often as the window wants.
static void show_small(struct display *d) {
  char text[160];
  struct pane p = display_begin(d);
  snprintf(
      text, sizeof text,
      message("This window has %d x %d. A screen of warpshop's needs %d x %d: "
              "make it larger, or leave with Ctrl-D."),
      d->columns, d->rows, DISPLAY_MIN_COLUMNS, DISPLAY_MIN_ROWS);
  char *word = strtok(text, " ");
  for (int row = 0, at = 0; word; word = strtok(NULL, " ")) {
    if (at && at + 1 + (int)strlen(word) > p.columns)
      row++, at = 0;
    at = pane_put(&p, row, at ? at + 1 : 0, ROLE_PLAIN, word);
  }
}

void display_show(struct display *d) {
  if (display_is_small(d))
    show_small(d);
  d->curses.wnoutrefresh(*d->curses.stdscr);
  d->curses.doupdate();
}

// ---- Waiting ----

// Whoever had the terminal meanwhile left it in modes of their own. Where the screen
// was left before they had it, leaving it again would move their cursor.
static void come_back(struct display *d) {
  measure(d);
  d->curses.clearok(*d->curses.stdscr, true);
  d->curses.wnoutrefresh(*d->curses.stdscr);
  d->curses.doupdate(); // the terminal's modes, too
  set_modes(d);
}

// As the shell expects it of a program at Ctrl-Z: the whole job stops. Where nobody
// could wake it up again, the kernel lets it run on.
static void stop(struct display *d) {
  sigset_t held;
  d->curses.endwin();
  restore_now();
  restore_end(true);
  sigprocmask(SIG_SETMASK, &d->before, &held);
  kill(0, SIGTSTP);
  sigprocmask(SIG_SETMASK, &held, NULL);
  restore_begin();
  set_leaving(d);
  come_back(d);
  restore_take_news();
}

// Reads what there is; false: the terminal is gone.
static bool read_keys(struct display *d) {
  char bytes[4096];
  ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);
  if (n > 0)
    keys_add(&d->keys, bytes, (size_t)n);
  return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

// What signals have brought: true when there is something to draw anew.
static bool take_news(struct display *d) {
  struct restore_news n = restore_take_news();
  if (n.is_to_stop) {
    stop(d);
  } else if (n.has_come_back) {
    d->curses.endwin();
    come_back(d);
  } else if (n.is_resized) {
    measure(d);
  }
  return n.is_to_stop || n.has_come_back || n.is_resized;
}

void display_take_clicks(struct display *d) {
  d->takes_clicks = true;
}

void display_clicked(const struct display *d, int *row, int *column) {
  *row = d->keys.row;
  *column = d->keys.column;
}

bool display_mouse_is_wanted(void) {
  const char *value = getenv("WARPSHOP_MOUSE");
  return !value || strcmp(value, "0") != 0;
}

void display_want_mouse(bool is_wanted) {
  setenv("WARPSHOP_MOUSE", is_wanted ? "1" : "0", 1);
}

static bool is_nothing(const struct display *d, int key) {
  return key == DISPLAY_NOTHING || (key == DISPLAY_CLICK && !d->takes_clicks);
}

// One key of those that have come, or 0; some are seen to here.
static int take_key(struct display *d) {
  int key = keys_next(&d->keys, d->is_late);
  d->is_late = false;
  while (is_nothing(d, key))
    key = keys_next(&d->keys, false);
  if (key == 'Z' - '@') {
    stop(d);
    return DISPLAY_REDRAW;
  }
  if (key == 'L' - '@') {
    d->curses.clearok(*d->curses.stdscr, true);
    return DISPLAY_REDRAW;
  }
  return key;
}

int display_wait(struct display *d, int fd, int ms) {
  uint64_t end = clock_ns() + (uint64_t)(ms < 0 ? 0 : ms) * 1000000;
  for (bool has_looked = false;; has_looked = true) {
    if (take_news(d))
      return DISPLAY_REDRAW;
    int key = take_key(d);
    if (key)
      return key;
    uint64_t now = clock_ns();
    int64_t rest = ms < 0 ? INT64_MAX : (int64_t)(end - now);
    bool is_piece = keys_has_piece(&d->keys);
    if (rest <= 0 && !is_piece && has_looked)
      return DISPLAY_LATE;
    if (rest < 0)
      rest = 0;
    if (is_piece)
      rest = PIECE_MS * 1000000LL;
    struct timespec most = {rest / 1000000000, rest % 1000000000};
    struct pollfd in[] = {{STDIN_FILENO, POLLIN, 0}, {fd, POLLIN, 0}};
    int n = ppoll(in, 2, rest == INT64_MAX ? NULL : &most, &d->before);
    d->is_late = n == 0 && is_piece;
    if (n > 0 && in[0].revents && !read_keys(d))
      return DISPLAY_GONE;
    if (n > 0 && !in[0].revents && in[1].revents)
      return DISPLAY_READY;
  }
}

void display_run(struct display *d, bool is_running) {
  struct termios modes;
  if (is_running)
    d->has_modes = !tcgetattr(STDIN_FILENO, &d->modes);
  if (!d->has_modes)
    return;
  modes = d->modes;
  if (is_running) {
    modes.c_lflag |= ISIG | NOFLSH;
    modes.c_cc[VQUIT] = modes.c_cc[VSUSP] = _POSIX_VDISABLE;
  }
  tcsetattr(STDIN_FILENO, TCSANOW, &modes);
}

const char *display_unread(const struct display *d) {
  return d->keys.in.data;
}

const char *display_pasted(const struct display *d) {
  return d->keys.paste.data;
}
