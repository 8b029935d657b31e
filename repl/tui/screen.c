// SPDX-License-Identifier: Apache-2.0
// The screen: width, styles, wrapped text.
#include "repl/tui/screen.h"

#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text/text.h"
#include "repl/tui/tui.h"

enum {
  MIN_COLUMNS = 20,
  MAX_COLUMNS = 100,
  DEFAULT_COLUMNS = 80,
  DEFAULT_ROWS = 24,
};

// ---- What the terminal can do ----

static bool is_set(const char *name) {
  const char *value = getenv(name);
  return value && *value;
}

static bool is_dumb(void) {
  const char *term = getenv("TERM");
  return !term || !*term || !strcmp(term, "dumb");
}

void screen_measure(struct screen *s) {
  struct winsize size;
  const char *columns = getenv("COLUMNS");
  bool is_known = !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
  s->columns = DEFAULT_COLUMNS;
  s->rows = is_known && size.ws_row > 0 ? size.ws_row : DEFAULT_ROWS;
  if (is_known && size.ws_col > 0)
    s->columns = size.ws_col;
  else if (columns && atoi(columns) > 0)
    s->columns = atoi(columns);
  if (s->columns < MIN_COLUMNS)
    s->columns = MIN_COLUMNS;
}

// A locale that is named, and has other characters than UTF-8's; its name tells, as
// it may not be installed here. The font of Linux' own console has no braille.
static bool is_ascii(void) {
  static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
  const char *term = getenv("TERM");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (is_set(names[i]))
      return !strcasestr(getenv(names[i]), "utf-8") &&
             !strcasestr(getenv(names[i]), "utf8");
  return term && !strcmp(term, "linux");
}

static int count_colours(void) {
  const char *deep = getenv("COLORTERM"), *term = getenv("TERM");
  if ((deep && (!strcmp(deep, "truecolor") || !strcmp(deep, "24bit"))) ||
      strstr(term, "direct"))
    return 1 << 24;
  return strstr(term, "256color") ? 256 : 16;
}

static void choose_colour(struct screen *s) {
  s->is_plain = plain_is_wanted();
  s->has_colour = isatty(STDOUT_FILENO) && !is_set("NO_COLOR") && !is_dumb() &&
                  !s->is_plain;
  s->colours = s->has_colour ? count_colours() : 0;
}

void screen_turn_plain(struct screen *s, bool is_plain) {
  plain_want(is_plain);
  choose_colour(s);
  terminal_turn_plain(s->has_colour);
}

void screen_open(struct screen *s) {
  s->is_ascii = is_ascii();
  setlocale(LC_CTYPE, "");
  // What we write is UTF-8; so is what is typed, whatever an empty LANG says.
  if (strcmp(nl_langinfo(CODESET), "UTF-8"))
    setlocale(LC_CTYPE, "C.UTF-8");
  s->is_terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
  choose_colour(s);
  screen_measure(s);
}

static const char *const codes[] = {
    [STYLE_PLAIN] = "",        [STYLE_TITLE] = "\x1b[1m",
    [STYLE_DIM] = "\x1b[2m",   [STYLE_ERROR] = "\x1b[31m",
    [STYLE_CODE] = "\x1b[36m",
};

void screen_print(const struct screen *s, enum style style, const char *text) {
  bool coloured = s->has_colour && style != STYLE_PLAIN;
  printf("%s%s%s", coloured ? codes[style] : "", text,
         coloured ? "\x1b[0m" : "");
}

// ---- Wrapping ----

static bool is_mark(char c) {
  return c >= MARK_STRONG && c <= MARK_BREAK;
}

int screen_width_of(const char *text, size_t bytes) {
  int marks = 0;
  for (size_t i = 0; i < bytes; i++)
    marks += is_mark(text[i]);
  return width_of(text, bytes) - marks;
}

int screen_rows_of(const struct screen *s, const char *text) {
  int rows = 0;
  while (*text) {
    size_t n = strcspn(text, "\n");
    int width = screen_width_of(text, n);
    rows += width > s->columns ? (width + s->columns - 1) / s->columns : 1;
    text += n + (text[n] == '\n');
  }
  return rows;
}

// Without colour code is told apart by its backquotes, the rest by nothing.
static void add_mark(const struct screen *s, char mark, bool *in_code,
                     struct str *out) {
  if (s->has_colour)
    str_add(out, mark == MARK_STRONG     ? "\x1b[1m"
                 : mark == MARK_EMPHASIS ? "\x1b[3m"
                 : mark == MARK_CODE     ? "\x1b[36m"
                                         : "\x1b[0m");
  else if (mark == MARK_CODE || (mark == MARK_END && *in_code))
    str_add_char(out, '`');
  *in_code = mark == MARK_CODE;
}

static size_t run_bytes(const char *p) {
  size_t n = 0;
  while (p[n] && p[n] != ' ' && p[n] != '\n' && p[n] != MARK_BREAK)
    n++;
  return n;
}

// "us" of "6.8 us · wait".
static bool is_unit(const char *p) {
  static const char *const units[] = {"ns",  "us", "ms",   "s",   "KB",
                                      "MB",  "GB", "TB",   "KiB", "MiB",
                                      "GiB", "x",  "GB/s", "%"};
  size_t n =
      strspn(p, "%/abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (n == strlen(units[i]) && !strncmp(p, units[i], n))
      return true;
  return false;
}

// A word is what stands between spaces, and a number with its unit; code spans
// may be broken at spaces.
static size_t word_bytes(const char *p) {
  size_t n = run_bytes(p);
  bool is_number = n > 0 && strspn(p, "0123456789.,") == n;
  return is_number && p[n] == ' ' && is_unit(p + n + 1)
             ? n + 1 + run_bytes(p + n + 1)
             : n;
}

// The blanks between two words of a line: one, or those that align a column.
static int gap_of(const char *p) {
  int blanks = (int)strspn(p, " ");
  return p[blanks] == '\n' || blanks < 1 ? 1 : blanks;
}

static void add_word(const struct screen *s, const char *p, size_t n,
                     bool *in_code, struct str *out) {
  for (size_t i = 0; i < n; i++) {
    if (is_mark(p[i]))
      add_mark(s, p[i], in_code, out);
    else
      str_add_char(out, p[i]);
  }
}

// The backquotes that add_word will put around code.
static int added_width(const struct screen *s, const char *p, size_t n,
                       bool in_code) {
  int width = 0;
  for (size_t i = 0; i < n && !s->has_colour; i++) {
    width += p[i] == MARK_CODE || (p[i] == MARK_END && in_code);
    if (is_mark(p[i]))
      in_code = p[i] == MARK_CODE;
  }
  return width;
}

static int new_line(struct str *out, int indent) {
  str_addf(out, "\n%*s", indent, "");
  return indent;
}

void screen_wrap(const struct screen *s, const char *prose, int indent,
                 struct str *out) {
  int limit = s->columns < MAX_COLUMNS ? s->columns - 1 : MAX_COLUMNS;
  int at = indent;
  bool in_code = false, is_first = true;
  int gap = 1;
  for (const char *p = prose; *p;) {
    if (*p == ' ' || *p == '\n') {
      gap = gap_of(p);
      p += strspn(p, " \n");
      continue;
    }
    if (*p == MARK_BREAK) {
      at = new_line(out, indent);
      is_first = true;
      p++;
      continue;
    }
    size_t n = word_bytes(p);
    int width = screen_width_of(p, n) + added_width(s, p, n, in_code);
    if (!is_first && at + gap + width > limit) {
      at = new_line(out, indent);
    } else if (!is_first) {
      str_addf(out, "%*s", gap, "");
      at += gap;
    }
    add_word(s, p, n, &in_code, out);
    at += width;
    is_first = false;
    p += n;
  }
  str_add_char(out, '\n');
}

// ---- A sentence ----

void screen_say(const char *text) {
  struct screen screen = {.is_terminal = isatty(STDERR_FILENO),
                          .is_plain = plain_is_wanted()};
  struct str out = STR_INIT;
  screen_measure(&screen);
  screen_fit(&screen, text, &out);
  fprintf(stderr, "%s\n", out.data);
  str_free(&out);
}

// On the terminal's line, in the place of what stands there.
static void replace_line(const char *text) {
  struct screen screen = {.is_terminal = true};
  screen_measure(&screen);
  size_t room = (size_t)screen.columns - 1; // of MIN_COLUMNS at least
  fprintf(stderr, "\r\033[K%.*s", (int)width_bytes(text, strlen(text), room),
          text);
}

void screen_progress(struct screen *s, const char *text) {
  if (!isatty(STDERR_FILENO))
    return;
  if (!plain_is_wanted() && !is_dumb()) {
    replace_line(text);
  } else if (*text && !s->has_progress) {
    char *sentence = xasprintf(message("This takes a while: %s"), text);
    screen_say(sentence);
    free(sentence);
  }
  fflush(stderr);
  s->has_progress = *text != 0;
}

void screen_status(struct screen *s, const char *text) {
  struct screen screen = {.is_terminal = isatty(STDERR_FILENO)};
  if (screen.is_terminal && !plain_is_wanted()) {
    replace_line(text);
  } else if (*text && !s->has_status) {
    fprintf(stderr, "note: %s\n", text);
  }
  fflush(stderr); // the transcript holds back a line that has no end yet
  s->has_status = *text != 0;
}
