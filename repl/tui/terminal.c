// SPDX-License-Identifier: Apache-2.0
// Lines and keys from a terminal, by GNU Readline's callback interface, so that
// one wait sees keys, Ctrl-C and a resized window alike.
#include "repl/tui/terminal.h"

#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <readline/history.h>
#include <readline/readline.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/text/text.h"
#include "display/display.h"
#include "lua/bind/state/bind.h"
#include "repl/shop.h"
#include "repl/tui/block.h"
#include "repl/tui/editor.h"
#include "repl/tui/tui.h"
#include "repl/tui/unread.h"

// ---- Signals ----

// A bit each: something runs that Ctrl-C stops; and what came since one looked.
enum {
  RUNNING = 1,
  INTERRUPTED = 2,
  RESIZED = 4,
  LOST_CHILD = 8,
  CAME_BACK = 16
};
static atomic_uint signals;

static void note_signal(unsigned bit) {
  atomic_fetch_or(&signals, bit);
}

// Whether it came; it is forgotten then.
static bool take_signal(unsigned bit) {
  return atomic_fetch_and(&signals, ~bit) & bit;
}

static bool has_signal(unsigned bit) {
  return atomic_load(&signals) & bit;
}

static void on_interrupt(int signal_number) {
  (void)signal_number;
  if (has_signal(RUNNING))
    bind_interrupt("Ctrl-C");
  else
    note_signal(INTERRUPTED);
}

static void on_resize(int signal_number) {
  (void)signal_number;
  note_signal(RESIZED);
}

static void on_child(int signal_number) {
  (void)signal_number;
  note_signal(LOST_CHILD);
}

static void on_continue(int signal_number) {
  (void)signal_number;
  note_signal(CAME_BACK);
}

static void catch_signal(int number, void (*handler)(int), int flags) {
  struct sigaction on = {.sa_handler = handler, .sa_flags = flags};
  sigemptyset(&on.sa_mask);
  sigaction(number, &on, NULL);
}

void terminal_catch_interrupts(bool running) {
  if (!running) {
    take_signal(RUNNING);
    return;
  }
  bind_clear_interrupt();
  note_signal(RUNNING);
  if (take_signal(INTERRUPTED)) // since Enter: what it runs is meant
    bind_interrupt("Ctrl-C");
}

void terminal_catch_signals(void) {
  catch_signal(SIGINT, on_interrupt, 0);
}

// ---- One line ----

enum { CTRL_D = 4 };

// The prompt's own, the debugger's, and the lines of a text that is not whole
// yet: Up inside a kernel stays inside it.
enum which_history { OF_PROMPT, OF_DEBUGGER, OF_TEXT, HISTORIES };

// Readline serves one terminal, which it keeps in variables of its own, and gives
// its hooks no context: this is what we keep of it.
static struct {
  struct terminal_session session;
  char *line; // that was read, once it is there
  bool has_line;
  HISTORY_STATE *histories[HISTORIES]; // those that are not in use
  enum which_history history;          // the one that is
  bool is_debugging;
  bool is_answer;   // a question's line is read
  bool is_text;     // the prompt's text is: what runs meanwhile may be told of
  int typed_before; // bytes that were typed before the line is read
  struct str kept;  // what the next line begins with
} terminal = {.kept = STR_INIT};

static void take_line(char *line) {
  terminal.line = line;
  terminal.has_line = true;
  if (line && block_is_open())
    block_leave();
  rl_callback_handler_remove(); // the terminal is the learner's again
}

// While something ran, the terminal gathered lines, and made a Ctrl-D that came
// then a byte 0 (n_tty).
static int read_byte(FILE *stream) {
  if (unread_has()) // where Readline has its keys from, too
    return unread_take();
  int byte = rl_getc(stream);
  if (terminal.typed_before == 0)
    return byte;
  terminal.typed_before--;
  return byte == 0 ? CTRL_D : byte;
}

static void begin_with_kept(void) {
  if (!terminal.kept.len)
    return;
  rl_insert_text(terminal.kept.data);
  str_clear(&terminal.kept);
  rl_redisplay();
}

static void start_line(const char *prompt, const char *more) {
  terminal.has_line = false;
  terminal.line = NULL;
  block_begin(more);
  rl_callback_handler_install(prompt, take_line);
  block_begun();
  if (ioctl(STDIN_FILENO, FIONREAD, &terminal.typed_before))
    terminal.typed_before = 0;
  begin_with_kept();
}

static char *throw_line(void) {
  char *thrown = xstrdup(rl_line_buffer);
  take_signal(INTERRUPTED);
  rl_free_line_state(); // draws once more
  rl_callback_sigcleanup();
  block_leave();
  rl_replace_line("", 0);
  rl_callback_handler_remove();
  return thrown;
}

// An escape byte that nothing follows for so long was the key Esc, and not the
// beginning of another.
enum { ALONE_MS = 500 };

static bool is_escape_waiting(void) {
  return RL_ISSTATE(RL_STATE_MULTIKEY) && rl_editing_mode == 1 &&
         rl_key_sequence_length == 1 && rl_executing_keyseq[0] == '\x1b';
}

static void after_escape(const sigset_t *while_waiting) {
  struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
  struct timespec alone = {0, ALONE_MS * 1000000L};
  if (!unread_has() && ppoll(&in, 1, &alone, while_waiting) == 0)
    block_escape_alone();
}

// Ctrl-C takes away what was typed before it and is not read yet: a key that can be
// read while it is pending was typed behind it, and waits its turn. ppoll lets no
// signal in where there is a key.
static bool let_interrupt_in(const sigset_t *while_waiting) {
  sigset_t pending, held;
  if (sigpending(&pending) || !sigismember(&pending, SIGINT))
    return false;
  sigprocmask(SIG_SETMASK, while_waiting, &held);
  sigprocmask(SIG_SETMASK, &held, NULL);
  return true;
}

// What was left running may fail while somebody reads, or types: that stands above
// the text, then. For how long nobody needs to look again; NULL: until a key comes.
static const struct timespec *tell_of_left(void) {
  static const struct timespec soon = {.tv_nsec = 100000000};
  struct terminal_session *s = &terminal.session;
  enum terminal_left left =
      terminal.is_text ? s->look(s->context) : LEFT_NOTHING;
  if (left == LEFT_FAILED) {
    block_clear();
    s->tell(s->context);
    fflush(stdout);
    block_redraw();
  }
  return left == LEFT_RUNNING ? &soon : NULL;
}

// Waits for one key or signal with SIGINT and SIGWINCH let in only here, so
// that none is missed between the test of its flag and the wait.
static void wait_for_key(const sigset_t *while_waiting) {
  struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
  if (!unread_has() && (ppoll(&in, 1, tell_of_left(), while_waiting) <= 0 ||
                        let_interrupt_in(while_waiting)))
    return;
  rl_callback_read_char();
  if (!terminal.has_line && block_is_open() && is_escape_waiting())
    after_escape(while_waiting);
  if (!terminal.has_line)
    block_key_done();
}

// The signals that are let in only while a key is waited for.
static void hold_signals(sigset_t *before) {
  static const int numbers[] = {SIGINT, SIGTERM, SIGWINCH, SIGCHLD, SIGCONT};
  sigset_t caught;
  sigemptyset(&caught);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    sigaddset(&caught, numbers[i]);
  sigprocmask(SIG_BLOCK, &caught, before);
}

// Readline gives the terminal's own keys (Ctrl-U, Backspace) back their usual meaning.
static void prepare_again(void) {
  rl_prep_terminal(1);
  block_begun();
}

static void after_signals(void) {
  if (take_signal(RESIZED))
    block_resized();
  if (take_signal(CAME_BACK)) { // the shell's line is there, and its modes
    rl_deprep_terminal();
    prepare_again();
    block_redraw();
  }
  if (take_signal(LOST_CHILD))
    terminal.session.reap(terminal.session.context);
}

// The editor has the terminal and its signals; what it leaves stands there.
static void edit_text(const sigset_t *while_waiting) {
  struct str text = STR_INIT;
  sigset_t held;
  str_add(&text, rl_line_buffer);
  sigprocmask(SIG_SETMASK, while_waiting, &held);
  block_leave();
  rl_deprep_terminal();
  bool fine = terminal.session.edit(terminal.session.context, &text);
  prepare_again();
  sigprocmask(SIG_SETMASK, &held, NULL);
  if (fine)
    block_replace(text.data);
  block_redraw();
  str_free(&text);
}

char *terminal_text(const char *prompt, const char *more, bool *cleared) {
  sigset_t before;
  fflush(stdout);
  hold_signals(&before);
  *cleared = false;
  start_line(prompt, more);
  terminal.is_text = more != NULL;
  while (!terminal.has_line && !*cleared) {
    wait_for_key(&before);
    if (!terminal.has_line && block_takes_editor())
      edit_text(&before);
    if (!terminal.has_line)
      after_signals();
    if (has_signal(INTERRUPTED) && !terminal.has_line) {
      terminal.line = throw_line();
      *cleared = true;
    }
  }
  terminal.is_text = false;
  sigprocmask(SIG_SETMASK, &before, NULL);
  transcript_typed(prompt, more, terminal.line ? terminal.line : "");
  return terminal.line;
}

char *terminal_line(const char *prompt, bool *cleared) {
  return terminal_text(prompt, NULL, cleared);
}

bool terminal_has_texts(void) {
  return block_is_open();
}

void terminal_note(const char *text) {
  block_note(text);
}

// Without what Ctrl-C threw away.
static char *read_answer(const char *question, bool *cleared) {
  char *line = terminal_line(question, cleared);
  if (!*cleared)
    return line;
  free(line);
  return NULL;
}

// Ctrl-C throws away what stands there; where nothing does, the question.
char *terminal_ask(const char *question, const char *way_out) {
  bool cleared, was_empty;
  char *line;
  block_way_out(way_out);
  terminal.is_answer = true;
  do {
    line = terminal_line(question, &cleared);
    was_empty = !line || !*line;
    if (cleared) {
      free(line);
      line = NULL;
    }
  } while (cleared && !was_empty);
  terminal.is_answer = false;
  block_way_out(NULL);
  if (!line && !cleared)
    putchar('\n');
  return line;
}

void terminal_keep_keys(const char *keys) {
  unread_add(keys, strlen(keys));
}

void terminal_keep_key(int key) {
  str_add_char(&terminal.kept, (char)key);
}

char *terminal_command_from(int key) {
  terminal_keep_key(key);
  return terminal_ask("", message("Ctrl-C goes back to the page"));
}

// ---- One key ----

// A terminal sets a paste between marks, where it is asked to.
static bool has_marks(void) {
  const char *term = getenv("TERM");
  return term && *term && strcmp(term, "dumb") != 0 && !plain_is_wanted();
}

static void set_key_mode(const struct termios *lines) {
  struct termios keys = *lines;
  keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
  tcsetattr(STDIN_FILENO, TCSADRAIN, &keys);
  if (has_marks())
    fputs("\x1b[?2004h", stdout);
  fflush(stdout);
}

// Whatever ends the program, the terminal gets its own modes back.
static bool guard_keys(void) {
  return display_guard(has_marks() ? "\x1b[?2004l" : "");
}

static void set_line_mode(const struct termios *lines) {
  if (has_marks())
    fputs("\x1b[?2004l", stdout);
  fflush(stdout);
  tcsetattr(STDIN_FILENO, TCSADRAIN, lines);
}

// What belongs together comes within a moment.
enum { PIECE_MS = 50, PASTE_MS = 1000 };

static int next_byte(int ms) {
  struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
  unsigned char byte;
  if (poll(&in, 1, ms) <= 0 || read(STDIN_FILENO, &byte, 1) != 1)
    return -1;
  return byte;
}

static void read_paste(struct str *out) {
  static const char end[] = "\x1b[201~";
  const size_t n = sizeof end - 1;
  str_clear(out);
  for (int byte; (byte = next_byte(PASTE_MS)) >= 0;) {
    if (byte)
      str_add_char(out, byte == '\r' ? '\n' : (char)byte);
    if (out->len < n || memcmp(out->data + out->len - n, end, n) != 0)
      continue;
    out->data[out->len -= n] = 0;
    return;
  }
}

// Behind an escape byte: a key of several bytes (CSI of ECMA-48, or "O" and a
// letter), a paste, Alt and a letter, or nothing: Esc itself.
static int read_escape(struct str *paste) {
  char text[16];
  size_t n = 0;
  int byte = next_byte(PIECE_MS);
  if (byte < 0)
    return KEY_ESCAPE;
  if (byte == 'O')
    return next_byte(PIECE_MS) == 'A' ? KEY_UP : KEY_OTHER;
  if (byte != '[')
    return KEY_OTHER;
  do {
    byte = next_byte(PIECE_MS);
    if (byte >= 0 && n + 1 < sizeof text)
      text[n++] = (char)byte;
  } while (byte >= 0 && (byte < '@' || byte > '~'));
  text[n] = 0;
  if (!strcmp(text, "200~")) {
    read_paste(paste);
    return KEY_PASTE;
  }
  return !strcmp(text, "A") || !strcmp(text, "5~") ? KEY_UP : KEY_OTHER;
}

static int read_key(struct str *paste) {
  unsigned char key;
  if (read(STDIN_FILENO, &key, 1) != 1)
    return KEY_END; // the terminal is gone
  return key == KEY_ESCAPE ? read_escape(paste) : key;
}

static void take_away(const char *question) {
  if (plain_is_wanted())
    putchar('\n'); // what was said stays
  else
    printf("\r%*s\r", width_of(question, strlen(question)), "");
  fflush(stdout);
}

static void put_question(const char **shown, const char *question) {
  if (*shown)
    take_away(*shown);
  *shown = question;
  fputs(question, stdout);
  fflush(stdout);
}

static int wait_for_one(const char **shown, const char *question,
                        const struct termios *lines, const sigset_t *before,
                        struct str *paste) {
  struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
  for (;;) {
    int n = ppoll(&in, 1, NULL, before);
    let_interrupt_in(before);
    if (take_signal(INTERRUPTED))
      return 'q';
    if (take_signal(CAME_BACK)) {
      *shown = NULL;
      set_key_mode(lines);
      put_question(shown, question);
    }
    int key = n > 0 ? read_key(paste) : 0;
    if (key == KEY_ESCAPE || key == KEY_END || key == KEY_INTERRUPT)
      return 'q';
    if (key == KEY_UP)
      put_question(shown, TERMINAL_NOTHING_ABOVE);
    else if (key)
      return key;
  }
}

// A key that says nothing here begins what the learner types: the next line
// that is read begins with it.
static void keep_key(int key, const struct str *paste) {
  if (key == KEY_PASTE)
    str_add(&terminal.kept, paste->data);
  else if (key > ' ' && key < 256 && key != 127 && !strchr("q:?", key))
    terminal_keep_key(key);
}

int terminal_key(const char *question) {
  struct termios lines;
  sigset_t before;
  struct str paste = STR_INIT;
  const char *shown = NULL;
  if (tcgetattr(STDIN_FILENO, &lines))
    return 'q';
  bool is_guarded = guard_keys();
  hold_signals(&before);
  set_key_mode(&lines);
  put_question(&shown, question);
  int key = wait_for_one(&shown, question, &lines, &before, &paste);
  take_away(shown);
  set_line_mode(&lines);
  if (is_guarded)
    display_unguard();
  sigprocmask(SIG_SETMASK, &before, NULL);
  keep_key(key, &paste);
  str_free(&paste);
  return key;
}

// ---- Keys while other things are waited for ----

static bool is_in_foreground(void) {
  return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) &&
         tcgetpgrp(STDIN_FILENO) == getpgrp();
}

void terminal_keys_begin(struct terminal_keys *k) {
  catch_signal(SIGTERM, on_interrupt, 0);
  catch_signal(SIGCONT, on_continue, SA_RESTART);
  k->is_on = is_in_foreground() && !tcgetattr(STDIN_FILENO, &k->lines);
  k->is_guarded = k->is_on && guard_keys();
  if (k->is_on)
    set_key_mode(&k->lines);
}

void terminal_keys_end(struct terminal_keys *k) {
  if (k->is_on)
    set_line_mode(&k->lines);
  if (k->is_guarded)
    display_unguard();
  k->is_on = k->is_guarded = false;
}

// What is pasted is no key.
static int read_single_key(void) {
  struct str paste = STR_INIT;
  int key = read_key(&paste);
  str_free(&paste);
  return key;
}

int terminal_wait(const struct terminal_keys *k, int fd, int ms) {
  struct pollfd in[] = {{k->is_on ? STDIN_FILENO : -1, POLLIN, 0},
                        {fd, POLLIN, 0}};
  struct timespec most = {ms / 1000, ms % 1000 * 1000000L};
  sigset_t before;
  int key = 0;
  hold_signals(&before);
  if (has_signal(INTERRUPTED))
    key = KEY_INTERRUPT;
  else if (ppoll(in, 2, &most, &before) > 0 && in[0].revents)
    key = read_single_key();
  if (has_signal(INTERRUPTED))
    key = KEY_INTERRUPT;
  if (take_signal(CAME_BACK) && k->is_on)
    set_key_mode(&k->lines);
  sigprocmask(SIG_SETMASK, &before, NULL);
  return key;
}

// ---- An editor ----

static const char *editor(void) {
  static const char *const names[] = {"VISUAL", "EDITOR"};
  for (int i = 0; i < 2; i++) {
    const char *value = getenv(names[i]);
    if (value && *value)
      return value;
  }
  return access("/usr/bin/nano", X_OK) ? "vi" : "nano";
}

bool terminal_edit(struct shop *s, const char *path) {
  return terminal_edit_at(s, path, 0);
}

bool terminal_edit_at(struct shop *s, const char *path, int line) {
  struct str command = STR_INIT;
  editor_add_command(editor(), path, line, &command);
  fflush(stdout);
  int status = system(command.data);
  str_free(&command);
  if (status == 0)
    return true;
  shop_warn(s, "The editor (%s) did not end well; nothing was changed.",
            editor());
  return false;
}

// ---- Histories ----

static void use_history(enum which_history h) {
  HISTORY_STATE empty = {0}, **kept = terminal.histories;
  if (h == terminal.history)
    return;
  kept[terminal.history] = history_get_history_state();
  history_set_history_state(kept[h] ? kept[h] : &empty); // takes a copy
  free(kept[h]);
  kept[h] = NULL;
  terminal.history = h;
}

// A text that is under way has its own lines to go back to.
void terminal_remember_line(const char *line) {
  use_history(OF_TEXT);
  if (*line)
    add_history(line);
}

void terminal_end_text(void) {
  if (terminal.history != OF_TEXT)
    return;
  clear_history();
  use_history(OF_PROMPT);
}

const char *terminal_remembered(int i) {
  const HIST_ENTRY *entry = history_get(history_base + i);
  return entry ? entry->line : NULL;
}

bool terminal_remember(const char *text) {
  HIST_ENTRY *last = history_length ? history_get(history_length) : NULL;
  if (!*text || (last && !strcmp(last->line, text)))
    return false;
  add_history(text);
  return true;
}

// ---- A prompt inside a command ----

void terminal_enter_debug(bool on) {
  if (!terminal.session.complete) // no terminal
    return;
  terminal.is_debugging = on;
  use_history(on ? OF_DEBUGGER : OF_PROMPT);
}

char *terminal_read(struct shop *s, const char *prompt, bool *cleared) {
  char *line = NULL;
  size_t capacity = 0;
  *cleared = false;
  if (s->screen.is_terminal) {
    block_way_out(message("quit leaves"));
    line = read_answer(prompt, cleared);
    block_way_out(NULL);
    if (line)
      terminal_remember(line);
    if (!line && !*cleared)
      putchar('\n');
    return line;
  }
  if (getline(&line, &capacity, stdin) > 0)
    return line;
  free(line);
  return NULL;
}

// ---- Opening ----

static char **complete(const char *text, int start, int end) {
  (void)text;
  bool is_command = *rl_line_buffer == ':' || *rl_line_buffer == '?';
  if (terminal.is_answer && !is_command) {
    rl_attempted_completion_over = 1;
    block_escape(1, 0); // there is nothing to complete: how does one go on?
    return NULL;
  }
  return terminal.session.complete(terminal.session.context, rl_line_buffer,
                                   start, end, terminal.is_debugging);
}

void terminal_turn_plain(bool has_colour) {
  if (!terminal.session.complete) // no terminal
    return;
  terminal.session.has_colour = has_colour;
  block_turn_plain(&terminal.session);
}

// Readline's own way to leave a line: the marks of a paste and, where inputrc has
// `enable-keypad`, the application's keypad.
static void guard_lines(void) {
  const char *is_on = rl_variable_value("enable-keypad"),
             *end = rl_get_termcap("ke");
  bool has_keypad = has_marks() && is_on && !strcmp(is_on, "on") && end;
  char *leave = xasprintf("%s%s", has_marks() ? "\x1b[?2004l" : "",
                          has_keypad ? end : "");
  display_guard(leave);
  free(leave);
}

void terminal_open(const struct terminal_session *s) {
  terminal.session = *s;
  rl_readline_name = "warpshop";
  rl_catch_signals = 0;
  rl_catch_sigwinch = 0;
  rl_outstream = transcript_terminal();
  rl_getc_function = read_byte;
  rl_attempted_completion_function = complete;
  rl_completion_word_break_hook = s->breaks;
  block_open(&terminal.session);
  catch_signal(SIGWINCH, on_resize, 0);
  catch_signal(SIGCHLD, on_child, SA_RESTART);
  catch_signal(SIGCONT, on_continue, SA_RESTART);
  using_history();
  guard_lines();
  mem_set_fatal_hook(rl_callback_handler_remove);
}

void terminal_close(void) {
  display_unguard();
}
