// SPDX-License-Identifier: Apache-2.0
// Does the terminal show images? It is asked: kitty's graphics query, outside of tmux
// and screen, and then the primary device attributes (DA1), which every terminal answers,
// and whose 4 means sixels. What else comes meanwhile are keys, which the prompt gets.
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text/text.h"
#include "repl/tui/tui.h"
#include "repl/tui/unread.h"

enum { ANSWER_MS = 300, MOST_MS = 60000 }; // across an ocean it answers in that

#define KITTY_QUERY        "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\"
#define PRIMARY_ATTRIBUTES "\x1b[c"

struct answer {
  struct str keys; // what was no answer
  bool has_kitty, has_sixel, is_whole;
};

// ---- What came ----

// "CSI ? 62 ; 4 ; 22 c": the first number is the terminal's class.
static bool has_attribute(const char *text, size_t n, int wanted) {
  const char *end = text + n, *p = memchr(text, ';', n);
  while (p && p < end) {
    if (atoi(++p) == wanted)
      return true;
    p = memchr(p, ';', (size_t)(end - p));
  }
  return false;
}

// The bytes of an answer that begins here; 0: none does, or it is not whole.
static size_t take_attributes(const char *at, size_t n, struct answer *a) {
  size_t i = 3;
  if (n < i || memcmp(at, "\x1b[?", i) != 0)
    return 0;
  while (i < n && at[i] && strchr("0123456789;", at[i]))
    i++;
  if (i == n || at[i] != 'c')
    return 0;
  a->is_whole = true;
  a->has_sixel = has_attribute(at, i, 4);
  return i + 1;
}

static size_t take_kitty(const char *at, size_t n, struct answer *a) {
  if (n < 3 || memcmp(at, "\x1b_G", 3) != 0)
    return 0;
  const char *end = memmem(at, n, "\x1b\\", 2);
  if (!end)
    return 0;
  a->has_kitty = memmem(at, (size_t)(end - at), ";OK", 3) != NULL;
  return (size_t)(end - at) + 2;
}

// All that has come, anew with each piece.
static void sort_out(const struct str *in, struct answer *a) {
  a->is_whole = false;
  str_clear(&a->keys);
  for (size_t i = 0; i < in->len;) {
    size_t n = take_attributes(in->data + i, in->len - i, a);
    n = n ? n : take_kitty(in->data + i, in->len - i, a);
    if (!n)
      str_add_char(&a->keys, in->data[i]);
    i += n ? n : 1;
  }
}

// ---- Asking ----

static uint64_t answer_ms(void) {
  const char *value = getenv("WARPSHOP_GRAPHICS");
  int ms = value ? atoi(value) : 0;
  return (uint64_t)(ms <= 0 ? ANSWER_MS : ms > MOST_MS ? MOST_MS : ms);
}

// tmux and screen take kitty's query for a title, which they would show.
static bool is_multiplexed(void) {
  const char *term = getenv("TERM");
  return getenv("TMUX") || getenv("STY") ||
         (term && (str_starts(term, "screen") || str_starts(term, "tmux")));
}

static void wait_for_answer(struct answer *a) {
  struct str in = STR_INIT;
  uint64_t end = clock_ns() + answer_ms() * 1000000;
  for (uint64_t now; !a->is_whole && (now = clock_ns()) < end;) {
    char bytes[256];
    struct pollfd from = {STDIN_FILENO, POLLIN, 0};
    int left = (int)((end - now) / 1000000) + 1;
    if (poll(&from, 1, left) <= 0)
      continue;
    ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);
    if (n <= 0)
      break;
    str_add_bytes(&in, bytes, (size_t)n);
    sort_out(&in, a);
  }
  str_free(&in);
}

static enum graphics ask(void) {
  struct answer a = {.keys = STR_INIT};
  struct termios before, now;
  if (tcgetattr(STDIN_FILENO, &before))
    return GRAPHICS_NONE;
  now = before;
  now.c_lflag &= (tcflag_t) ~(ICANON | ECHO);
  now.c_cc[VMIN] = 1;
  now.c_cc[VTIME] = 0;
  tcsetattr(STDIN_FILENO, TCSANOW, &now);
  fflush(stdout);
  if (!is_multiplexed())
    fputs(KITTY_QUERY, transcript_terminal());
  fputs(PRIMARY_ATTRIBUTES, transcript_terminal());
  fflush(transcript_terminal());
  wait_for_answer(&a);
  tcsetattr(STDIN_FILENO, TCSANOW, &before);
  unread_add(a.keys.data, a.keys.len);
  str_free(&a.keys);
  return a.has_kitty   ? GRAPHICS_KITTY
         : a.has_sixel ? GRAPHICS_SIXEL
                       : GRAPHICS_NONE;
}

static bool is_wanted(const struct screen *s) {
  const char *value = getenv("WARPSHOP_GRAPHICS"), *term = getenv("TERM");
  if (!term || !strcmp(term, "linux")) // older ones write the question out
    return false;
  return s->is_terminal && s->has_colour && !s->is_plain && !s->is_ascii &&
         !plain_is_wanted() && !(value && !strcmp(value, "0"));
}

enum graphics graphics_of(struct screen *s) {
  if (!is_wanted(s))
    return GRAPHICS_NONE;
  if (s->graphics == GRAPHICS_UNKNOWN)
    s->graphics = ask();
  return s->graphics;
}

void graphics_cell(int *width, int *height) {
  struct winsize size = {0};
  ioctl(STDIN_FILENO, TIOCGWINSZ, &size);
  bool is_known =
      size.ws_xpixel && size.ws_ypixel && size.ws_col && size.ws_row;
  *width = is_known ? size.ws_xpixel / size.ws_col : 10;
  *height = is_known ? size.ws_ypixel / size.ws_row : 20;
  *width = *width < 1 ? 1 : *width;
  *height = *height < 1 ? 1 : *height;
}
