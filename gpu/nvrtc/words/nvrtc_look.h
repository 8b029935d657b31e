// SPDX-License-Identifier: Apache-2.0
// Small questions about the place of a diagnostic, as the conditions of
// nvrtc_words_*.def ask them. Inline: each of those files uses some.
#ifndef GPU_NVRTC_WORDS_NVRTC_LOOK_H
#define GPU_NVRTC_WORDS_NVRTC_LOOK_H

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "base/str.h"
#include "gpu/nvrtc/words/nvrtc_log.h"
#include "gpu/nvrtc/words/nvrtc_words.h"

#define ANY          NULL
#define LENGTH(list) (sizeof(list) / sizeof *(list))

static inline bool set_word(struct nvrtc_words *w, const char *p) {
  size_t n = nvrtc_word_bytes(p);
  free(w->word);
  w->word = n ? xstrndup(p, n) : NULL;
  return n > 0;
}

static inline bool set_text(struct nvrtc_words *w, const char *from,
                            const char *to) {
  while (to > from && isspace((unsigned char)to[-1]))
    to--;
  free(w->text);
  w->text = xstrndup(from, (size_t)(to - from));
  return to > from;
}

static inline int line_of(const struct nvrtc_words *w, const char *p) {
  return nvrtc_spot_line(w->spot.text, p);
}

// The same place in the source itself, with its comments and texts.
static inline const char *in_source(const struct nvrtc_words *w,
                                    const char *p) {
  return w->source + (p - w->spot.text);
}

static inline const char *skip_blanks(const char *p) {
  return p + strspn(p, " \t\n");
}

static inline const char *before(const struct nvrtc_words *w) {
  return w->spot.at ? nvrtc_before(w->spot.text, w->spot.at) : NULL;
}

static inline bool is_before(const struct nvrtc_words *w, char c) {
  const char *last = before(w);
  return last && *last == c;
}

static inline bool at_text(const struct nvrtc_words *w, const char *text) {
  return w->spot.at && str_starts(w->spot.at, text);
}

static inline bool at_word(const struct nvrtc_words *w) {
  return w->spot.at && nvrtc_is_word(*w->spot.at) &&
         !isdigit((unsigned char)*w->spot.at);
}

// What stands behind the word at `p`, blanks skipped.
static inline const char *behind_word(const char *p) {
  return skip_blanks(p + nvrtc_word_bytes(p));
}

// Is the word at `p` one of `list`?
static inline bool is_one_of(const char *p, const char *const *list, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (nvrtc_word_is(p, list[i]))
      return true;
  return false;
}

// How many more `open` than `close` there are from `from` to `to`.
static inline int left_open(const char *from, const char *to, char open,
                            char close) {
  int n = 0;
  for (const char *p = from; p < to; p++)
    n += (*p == open) - (*p == close);
  return n;
}

// Behind a name, its indices, members and arguments.
static inline const char *skip_operand(const char *p) {
  p += nvrtc_word_bytes(p);
  for (;;) {
    const char *q = p + strspn(p, " \t");
    if (*q == '.' && (nvrtc_is_word(q[1]))) {
      p = q + 1 + nvrtc_word_bytes(q + 1);
    } else if (*q == '[' || *q == '(') {
      const char *end = nvrtc_closing(q);
      if (!end)
        return p;
      p = end + 1;
    } else {
      return p;
    }
  }
}

static inline const char *line_start(const char *text, const char *p) {
  while (p > text && p[-1] != '\n')
    p--;
  return p;
}

static inline size_t indent_of(const struct nvrtc_words *w, const char *p) {
  return strspn(line_start(w->spot.text, p), " \t");
}

static inline bool at_declared(const struct nvrtc_words *w,
                               struct nvrtc_declared *out) {
  return at_word(w) &&
         nvrtc_find_declared(w->spot.text, w->spot.at, w->spot.at, out);
}

static inline const char *word_before(const struct nvrtc_words *w) {
  const char *last = before(w);
  return last && nvrtc_is_word(*last) ? nvrtc_word_start(w->spot.text, last)
                                      : NULL;
}

static inline bool is_function_head(const char *statement) {
  static const char *const starts[] = {"__global__", "__device__", "template"};
  return is_one_of(statement, starts, LENGTH(starts));
}

static inline bool is_in_head(struct nvrtc_words *w) {
  return w->spot.at && !w->spot.braces && w->spot.open &&
         *w->spot.open == '(' && is_function_head(w->spot.statement);
}

static inline const char *for_of(const struct nvrtc_words *w) {
  const char *open = w->spot.at ? w->spot.open : NULL;
  const char *last = open ? nvrtc_before(w->spot.text, open) : NULL;
  const char *word = last ? nvrtc_word_start(w->spot.text, last) : NULL;
  return word && nvrtc_word_is(word, "for") ? open : NULL;
}

// Moves the diagnostic behind the byte at `last`.
static inline void move_behind(struct nvrtc_words *w, const char *last) {
  const char *from = last;
  while (from > w->spot.text && from[-1] != '\n')
    from--;
  struct str line = STR_INIT;
  const char *own = in_source(w, from);
  nvrtc_add_printable(&line, own, strcspn(own, "\n"));
  free(w->d->source);
  w->d->source = str_take(&line);
  w->d->line = line_of(w, last);
  w->d->column = (int)(last - from) + 2;
}

static const char *const built_ins[] = {"threadIdx", "blockIdx", "blockDim",
                                        "gridDim"};

static inline bool is_built_in(struct nvrtc_words *w) {
  return at_word(w) && is_one_of(w->spot.at, built_ins, LENGTH(built_ins)) &&
         set_word(w, w->spot.at);
}

#endif
