// SPDX-License-Identifier: Apache-2.0
// The compiler's words in plain ones: private to nvrtc_words*.c and
// nvrtc_log.c.
#ifndef GPU_NVRTC_WORDS_NVRTC_WORDS_H
#define GPU_NVRTC_WORDS_NVRTC_WORDS_H

#include "gpu/nvrtc/nvrtc.h"
#include "gpu/nvrtc/words/nvrtc_spot.h"

enum { NVRTC_WORDS_PARTS = 4 };

// One diagnostic beside the source that it is about.
struct nvrtc_words {
  struct nvrtc_diagnostic *d;
  const struct nvrtc_diagnostic *all; // of the whole log
  int count;
  const char *source;     // numbered as the diagnostics are
  struct nvrtc_spot spot; // spot.at is NULL where the place is not in `source`
  // What a row's condition found; the strings are owned.
  char *parts[NVRTC_WORDS_PARTS]; // $1 ... of the message
  char *word, *text;              // $w, $t
  int line;                       // $n
};

struct nvrtc_words_row {
  const char *message;
  bool (*is_sure)(struct nvrtc_words *w); // NULL: always
  const char *text, *sentence;
};

struct nvrtc_words_table {
  const struct nvrtc_words_row *rows;
  size_t count;
};

extern const struct nvrtc_words_table nvrtc_words_syntax, nvrtc_words_names,
    nvrtc_words_types;

// Gives each error and warning its sentence (as its hint) where one is sure,
// then drops what only follows from an error that has one. `source` is numbered
// as the diagnostics of `file` are. Returns the new
// count.
int nvrtc_words_explain(struct nvrtc_diagnostic *d, int count, const char *file,
                        const char *source);

#endif
