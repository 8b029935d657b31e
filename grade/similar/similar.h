// SPDX-License-Identifier: Apache-2.0
// Which hand-ins of one exercise are alike, beyond what everybody was given and
// what most write.
#ifndef GRADE_SIMILAR_SIMILAR_H
#define GRADE_SIMILAR_SIMILAR_H

#include <stdbool.h>

struct fingerprints;
struct hand_in;
struct hand_ins;
struct nvrtc;

// How much of the smaller one the other has, 0 to 1; -1: too little of its own to
// say.
struct similar_pair {
  int a, b;           // of the hand-ins, a < b
  double source, ptx; // ptx -1 also where one does not compile
  int shared;         // fingerprints of the source
};

struct similar {
  const struct hand_ins *hand_ins;   // borrowed
  struct fingerprints *source, *ptx; // one a hand-in, what is its own
  int pair_count;
  struct similar_pair *pairs; // the most alike first
};

// A link, a FIFO, a folder or a binary has none: it is in no pair.
bool similar_has_text(const struct hand_in *one);

// All pairs of one exercise and two learners. `compiler` NULL: PTX is not
// compared. Starter, solution and mutants are taken out, and what more than half
// of at least six learners have.
void similar_find(const struct hand_ins *h, struct nvrtc *compiler,
                  struct similar *out);
void similar_free(struct similar *s);

// The sources of a pair side by side in `columns`, lines that share fingerprints
// marked by "="; the caller frees the text.
char *similar_show(const struct similar *s, const struct similar_pair *p,
                   int columns);

#endif
