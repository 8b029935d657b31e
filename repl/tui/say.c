// SPDX-License-Identifier: Apache-2.0
// Sentences, fitted to the terminal: what is printed, noted, warned and said.
#include "repl/tui/tui.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "base/text/text.h"
#include "repl/shop.h"

void shop_say(const char *fmt, ...) {
  char text[2048] = "warpshop: ";
  size_t n = strlen(text);
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text + n, sizeof text - n, message(fmt), ap);
  va_end(ap);
  struct str said = STR_INIT;
  message_report(text, &said);
  screen_say(said.data);
  str_free(&said);
}

void shop_print(struct shop *s, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  struct str text = STR_INIT;
  str_addv(&text, message(fmt), ap);
  va_end(ap);
  pager_print(s, text.data);
  str_free(&text);
}

void shop_report(struct shop *s, const char *text) {
  struct str said = STR_INIT;
  message_report(text, &said);
  pager_print(s, said.data);
  str_free(&said);
}

// The text, fitted to the screen, and what a library has said in it (err_info) in the
// reader's language; to be freed.
static struct str fit(const struct shop *s, const char *fmt, va_list ap) {
  struct str text = STR_INIT, said = STR_INIT, out = STR_INIT;
  str_addv(&text, message(fmt), ap);
  message_report(text.data, &said);
  screen_fit(&s->screen, said.data, &out);
  str_free(&text);
  str_free(&said);
  return out;
}

void shop_note(struct shop *s, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  struct str out = fit(s, fmt, ap);
  va_end(ap);
  screen_print(&s->screen, STYLE_DIM, out.data);
  if (out.len && !str_ends(out.data, "\n"))
    screen_print(&s->screen, STYLE_PLAIN, "\n");
  str_free(&out);
}

void shop_warn(struct shop *s, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  struct str out = fit(s, fmt, ap);
  va_end(ap);
  fprintf(stderr, "%s%s", out.data, str_ends(out.data, "\n") ? "" : "\n");
  str_free(&out);
}
