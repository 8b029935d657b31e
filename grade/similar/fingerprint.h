// SPDX-License-Identifier: Apache-2.0
// Fingerprints of programs: what two of them have in common shows, whatever
// their names, numbers, comments and spaces are.
#ifndef GRADE_SIMILAR_FINGERPRINT_H
#define GRADE_SIMILAR_FINGERPRINT_H

#include <stdbool.h>
#include <stdint.h>

// The hash of some tokens in a row, and the lines that they stand in.
struct fingerprint {
  uint64_t hash;
  int first, last; // lines, from 1
};

struct fingerprints {
  int count;
  struct fingerprint *list; // by hash, each hash once
};

// Of a source: names other than the language's and CUDA's are alike, and so are
// numbers. Of each window of hashes the least is kept (winnowing: Schleimer,
// Wilkerson and Aiken, "Winnowing: local algorithms for document fingerprinting",
// 2003): whatever two programs share that is longer than a window is found.
void fingerprints_of_source(const char *text, bool is_lua,
                            struct fingerprints *out);
// Of PTX: its instructions in their order; registers are alike, and so are labels
// and numbers.
void fingerprints_of_ptx(const char *ptx, struct fingerprints *out);
void fingerprints_free(struct fingerprints *f);

bool fingerprints_have(const struct fingerprints *f, uint64_t hash);
// Takes out what `given` has, too: what everybody was given says nothing.
void fingerprints_drop(struct fingerprints *f,
                       const struct fingerprints *given);
// How many hashes both have.
int fingerprints_shared(const struct fingerprints *a,
                        const struct fingerprints *b);

#endif
