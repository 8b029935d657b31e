// SPDX-License-Identifier: Apache-2.0
// The transcript: stdout and stderr are replaced by streams that write where the
// old ones did and keep a copy. It is the process's, as these streams are:
// whoever prints does not know of it.
#include "repl/tui/tui.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

enum { MOST_BYTES = 64 << 10 };

static struct {
  struct str kept;
  FILE *terminal; // the old stdout
} transcript = {STR_INIT, NULL};

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
  for (size_t i = 0; i < bytes; i++) {
    if (text[i] == '\x1b' && i + 1 < bytes && text[i + 1] == '[') {
      i += 2;
      while (i < bytes && (text[i] < '@' || text[i] > '~'))
        i++;
    } else if (text[i] == '\r') {
      if (i + 1 == bytes || text[i + 1] != '\n')
        begin_line_again(kept);
    } else {
      str_add_char(kept, text[i]);
    }
  }
  if (kept->len < 2 * MOST_BYTES)
    return;
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
  keep(prompt, strlen(prompt));
  for (;;) {
    size_t n = strcspn(text, "\n");
    keep(text, n);
    keep("\n", 1);
    if (!text[n])
      return;
    text += n + 1;
    keep(more ? more : "", more ? strlen(more) : 0);
  }
}

void transcript_add_last(int lines, struct str *out) {
  fflush(stdout);
  const struct str *kept = &transcript.kept;
  const char *p = kept->data + kept->len;
  for (; p > kept->data; p--)
    if (p[-1] == '\n' && p < kept->data + kept->len && lines-- == 1)
      break;
  str_add(out, p);
}
