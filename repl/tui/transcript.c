// SPDX-License-Identifier: Apache-2.0
// The transcript: stdout and stderr are replaced by streams that write where the
// old ones did and keep a copy. It is the process's, as these streams are:
// whoever prints does not know of it.
#include "repl/tui/tui.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

enum { MOST_BYTES = 1 << 20 };

static struct {
  struct str kept;
  FILE *terminal; // the old stdout
  size_t dropped; // bytes that were kept once
  bool is_paused;
} transcript = {STR_INIT, NULL, 0, false};

// Around what was typed, in what is kept; nobody else's stay in it.
enum { TYPED = '\x0e', SHOWN = '\x0f' };

// A line that is written over from its beginning was a question that is gone.
static void begin_line_again(struct str *kept) {
  while (kept->len && kept->data[kept->len - 1] != '\n')
    kept->len--;
  if (kept->len)
    kept->data[kept->len] = 0;
}

// Colours and cursor movements are left out.
static void keep(const char *text, size_t bytes) {
  struct str *kept = &transcript.kept;
  for (size_t i = 0; i < bytes && !transcript.is_paused; i++) {
    if (text[i] == '\x1b' && i + 1 < bytes && text[i + 1] == '[') {
      i += 2;
      while (i < bytes && (text[i] < '@' || text[i] > '~'))
        i++;
    } else if (text[i] == '\r') {
      if (i + 1 == bytes || text[i + 1] != '\n')
        begin_line_again(kept);
    } else if (text[i] != TYPED && text[i] != SHOWN) {
      str_add_char(kept, text[i]);
    }
  }
  if (kept->len < 2 * MOST_BYTES)
    return;
  transcript.dropped += kept->len - MOST_BYTES;
  memmove(kept->data, kept->data + kept->len - MOST_BYTES, MOST_BYTES);
  kept->len = MOST_BYTES;
  kept->data[kept->len] = 0;
}

static ssize_t write_both(void *cookie, const char *text, size_t bytes) {
  int fd = *(const int *)cookie;
  keep(text, bytes);
  // As fopencookie wants it.
  return file_write_all(fd, text, bytes) ? (ssize_t)bytes : 0;
}

static FILE *stream_to(const int *fd, int mode) {
  cookie_io_functions_t calls = {.write = write_both};
  FILE *f = fopencookie((void *)fd, "w", calls);
  if (f)
    setvbuf(f, NULL, mode, BUFSIZ);
  return f;
}

void transcript_begin(void) {
  static const int out = STDOUT_FILENO, err = STDERR_FILENO;
  fflush(stdout);
  FILE *to_out = stream_to(&out, _IOLBF), *to_err = stream_to(&err, _IOLBF);
  transcript.terminal = stdout;
  if (to_out)
    stdout = to_out;
  if (to_err)
    stderr = to_err;
}

FILE *transcript_terminal(void) {
  return transcript.terminal ? transcript.terminal : stdout;
}

void transcript_typed(const char *prompt, const char *more, const char *text) {
  fflush(stdout);
  if (more)
    str_add_char(&transcript.kept, TYPED);
  keep(prompt, strlen(prompt));
  for (;; text++) {
    size_t n = strcspn(text, "\n");
    keep(text, n);
    keep("\n", 1);
    text += n;
    if (!*text)
      break;
    keep(more ? more : "", more ? strlen(more) : 0);
  }
  if (more)
    str_add_char(&transcript.kept, SHOWN);
}

static void add_plain(struct str *out, const char *text, size_t bytes) {
  for (size_t i = 0; i < bytes; i++)
    if (text[i] != TYPED && text[i] != SHOWN)
      str_add_char(out, text[i]);
}

// What was typed, without its prompts: all are as wide as the first.
static void add_typed(struct str *out, const char *text, size_t bytes) {
  size_t width = 0;
  while (width < bytes && text[width] != '>')
    width++;
  width += 2;
  for (size_t i = 0; i < bytes;) {
    size_t n = 0;
    while (i + n < bytes && text[i + n] != '\n')
      n++;
    if (n > width)
      str_add_bytes(out, text + i + width, n - width);
    i += n + 1;
    if (i < bytes)
      str_add_char(out, '\n');
  }
}

void transcript_each(void (*each)(void *context, const char *typed,
                                  const char *shown),
                     void *context) {
  fflush(stdout);
  char *all = xstrdup(transcript.kept.data), *at = strchr(all, TYPED);
  while (at) {
    struct str typed = STR_INIT, shown = STR_INIT;
    char *end = strchr(at, SHOWN), *next = end ? strchr(end, TYPED) : NULL;
    if (!end)
      break;
    size_t bytes = next ? (size_t)(next - end) : strlen(end);
    add_typed(&typed, at + 1, (size_t)(end - at - 1));
    add_plain(&shown, end, bytes);
    each(context, typed.data, shown.data);
    str_free(&typed);
    str_free(&shown);
    at = next;
  }
  free(all);
}

void transcript_pause(bool on) {
  fflush(stdout);
  fflush(stderr);
  transcript.is_paused = on;
}

size_t transcript_mark(void) {
  fflush(stdout);
  return transcript.dropped + transcript.kept.len;
}

void transcript_add_since(size_t mark, struct str *out) {
  fflush(stdout);
  const struct str *kept = &transcript.kept;
  size_t at = mark < transcript.dropped ? 0 : mark - transcript.dropped;
  if (at < kept->len)
    add_plain(out, kept->data + at, kept->len - at);
}

void transcript_add_last(int lines, struct str *out) {
  fflush(stdout);
  const struct str *kept = &transcript.kept;
  const char *p = kept->data + kept->len;
  for (; p > kept->data; p--)
    if (p[-1] == '\n' && p < kept->data + kept->len && lines-- == 1)
      break;
  add_plain(out, p, strlen(p));
}
