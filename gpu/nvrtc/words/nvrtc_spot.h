// SPDX-License-Identifier: Apache-2.0
// The place in a source that a diagnostic points at: its statement, its
// brackets, and what declares a name before it.
#ifndef GPU_NVRTC_WORDS_NVRTC_SPOT_H
#define GPU_NVRTC_WORDS_NVRTC_SPOT_H

#include <stdbool.h>
#include <stddef.h>

// All pointers lead into `text`.
struct nvrtc_spot {
  const char *text;      // the source; see nvrtc_plain
  const char *at;        // what the compiler points at
  const char *statement; // where the statement around it begins
  const char *open;      // the innermost ( or [ that is open there, or NULL
  const char *ended; // the last } outside of which nothing was open, or NULL
  int braces;        // how many { are open
};

// A copy of `source`, byte for byte as long, in which comments, the insides of
// quotes and lines of the preprocessor are blanks. The caller frees it.
char *nvrtc_plain(const char *source);

// Finds line and column (from 1) in a text of nvrtc_plain. False when the text
// has no such place.
bool nvrtc_spot_find(const char *plain, int line, int column,
                     struct nvrtc_spot *out);

int nvrtc_spot_line(const char *text, const char *at); // from 1
int nvrtc_spot_column(const char *text, const char *at);

bool nvrtc_is_word(char c);
size_t nvrtc_word_bytes(const char *p); // of the word that begins at `p`
bool nvrtc_word_is(const char *p, const char *word);
bool nvrtc_starts_type(const char *p); // int, const, float4, __shared__ ...

// The last byte before `at` that is no blank, or NULL.
const char *nvrtc_before(const char *text, const char *at);
// The first byte of the word that ends at `last`.
const char *nvrtc_word_start(const char *text, const char *last);
// The bracket that closes the one at `open`, or NULL.
const char *nvrtc_closing(const char *open);

// How a name was declared.
struct nvrtc_declared {
  const char *name; // where the name stands
  const char *type; // where its declaration begins
  bool is_pointer;  // a * right before it, or [ right behind it
  bool is_array;    // [ right behind it
  bool is_const;    // const stands in front
  bool is_function;
};

// The last declaration of the word at `word` that begins before `limit`
// (NULL: the first anywhere). Parameters and variables of basic types only: a
// false answer means that none was recognized.
bool nvrtc_find_declared(const char *text, const char *word, const char *limit,
                         struct nvrtc_declared *out);

#endif
