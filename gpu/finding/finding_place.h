// SPDX-License-Identifier: Apache-2.0
// Which conditions and loops a place of the code stands in.
#ifndef GPU_FINDING_FINDING_PLACE_H
#define GPU_FINDING_FINDING_PLACE_H

#include "gpu/finding/finding_source.h"

// Line `line` (from 1) of a text; NULL: it has none.
const char *finding_line(const char *code, int line);
// What stands between the two, without blanks at its ends.
struct finding_span finding_trim(const char *from, const char *end);
// Puts blanks over comments and what stands between quotes, in place.
void finding_blank_words(char *code);
// The source with everything blanked that is no code of the function around
// line `line`: comments, texts, other functions' bodies. Every place stays where
// it was. The caller frees it.
char *finding_own_code(const char *source, int line);
// What stands between the brackets of the function around the line; length 0:
// there is none.
struct finding_span finding_body(const char *code, int line);

// A condition that a place stands under.
enum finding_clause {
  FINDING_IF,   // holds: if, ?:, &&
  FINDING_ELSE, // does not hold
  FINDING_LEFT, // does not hold: who it holds for has left
  FINDING_LOOP, // holds in each round
};
struct finding_condition {
  struct finding_span text;
  enum finding_clause clause;
  const char *statement; // where it begins
  const char *end;       // of a loop's body
};
enum { FINDING_CONDITIONS = 16 };
// Of `at`, which is a place of the code, the outermost first. Returns how many,
// -1 where the code cannot be read.
int finding_conditions(const char *code, const char *at,
                       struct finding_condition out[FINDING_CONDITIONS]);

#endif
