// SPDX-License-Identifier: Apache-2.0
// The words of what a course teaches, and which of them a program uses: read
// off its source, so that nothing is asked for before a page has taught it.
#ifndef REPL_LESSON_VOCABULARY_H
#define REPL_LESSON_VOCABULARY_H

#include <stdbool.h>
#include <stdint.h>

// One bit a word of vocabulary.def.
struct vocabulary {
  uint64_t bits[2];
};

bool vocabulary_has(const char *word);
// The word most like it; NULL: none is.
const char *vocabulary_nearest(const char *word);
void vocabulary_add(struct vocabulary *v, const char *word); // unknown: nothing
void vocabulary_join(struct vocabulary *v, const struct vocabulary *more);

// What CUDA C (or Lua, whose names differ) uses, comments and strings left out.
struct vocabulary vocabulary_of(const char *source);

// The words of `used` that `taught` lacks, one after the other: *at begins as 0.
// NULL: no more.
const char *vocabulary_lacks(const struct vocabulary *used,
                             const struct vocabulary *taught, int *at);

#endif
