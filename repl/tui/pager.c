// SPDX-License-Identifier: Apache-2.0
// Text that is longer than the screen, a screen at a time.
#include "repl/tui/tui.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "repl/shop.h"

// The bytes of `text` that fill at most `rows` rows; at least one line.
static size_t bytes_for(const struct screen *screen, const char *text,
                        int rows) {
  size_t at = 0;
  for (int used = 0; text[at];) {
    size_t n = strcspn(text + at, "\n");
    char *line = xstrndup(text + at, n);
    used += screen_rows_of(screen, line);
    free(line);
    if (used > rows && at)
      break;
    at += n + (text[at + n] == '\n');
  }
  return at;
}

static bool print_screens(struct shop *s, const char *text) {
  bool asks = s->screen.is_terminal && !s->mode.is_quiet;
  while (asks && screen_rows_of(&s->screen, text) > s->screen.rows - 1) {
    size_t n = bytes_for(&s->screen, text, s->screen.rows - 1);
    fwrite(text, 1, n, stdout);
    text += n;
    int key = terminal_key(PAGER_QUESTION);
    screen_measure(&s->screen);   // the window may be another now
    if (key == ':' || key == '?') // a command: the prompt's line begins so
      terminal_keep_key(key);
    if (key == 'q' || key == ':' || key == '?')
      return false;
  }
  size_t all = strlen(text);
  fwrite(text, 1, all, stdout);
  if (all && text[all - 1] != '\n')
    putchar('\n');
  return true;
}

bool pager_print(struct shop *s, const char *text) {
  struct str fitted = STR_INIT;
  screen_fit(&s->screen, text, &fitted);
  bool whole = print_screens(s, fitted.data);
  str_free(&fitted);
  return whole;
}
