// SPDX-License-Identifier: Apache-2.0
// The access that was out of bounds, as the source has it, for those who say why
// (finding_bounds*.c).
#ifndef GPU_FINDING_FINDING_CAUSE_H
#define GPU_FINDING_FINDING_CAUSE_H

#include <ctype.h>

#include "gpu/finding/finding_place.h"
#include "gpu/finding/finding_source.h"
#include "gpu/finding/finding_value.h"

struct cause {
  const struct finding_subject *s;
  struct finding_scene scene; // with the function's own code
  struct finding_view view;
  struct finding_span index; // in the brackets
  const char *at;            // the access
  struct finding_names names;
  struct finding_condition all[FINDING_CONDITIONS];
  int count;
  bool is_known; // the index, and it is the finding's
  bool is_cut;   // it would be `whole`, and 32 bits of that are the finding's
  int64_t whole;
  struct finding_span use; // the whole access, of several brackets
};

// Finds the access and its index in `code`, the function's own. False where that is
// not sure.
bool cause_read(struct cause *c, const struct finding_subject *s,
                const char *code);
// What that is worth to the thread; false: nobody knows.
bool cause_evaluate(const struct cause *c, struct finding_span t, int64_t *out);

// ---- Texts ----

static inline bool cause_is_letter(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

struct finding_span cause_trim(struct finding_span t);
bool cause_is_simple(struct finding_span t); // one name
bool cause_is_balanced(struct finding_span t);

// ---- Sentences ----

// Elements of the array; -1: not known.
int64_t cause_count_elements(const struct finding_subject *s);
void cause_add_span(struct str *out, struct finding_span t);
void cause_add_extent(struct str *out, const struct finding_subject *s);

// "i is 1000, n is 1000", each name once.
struct cause_told {
  int count;
  struct finding_span names[FINDING_NAMES];
};
bool cause_was_told(const struct cause_told *t, struct finding_span name);
void cause_add_values(struct str *out, const struct cause *c,
                      struct finding_span text, struct cause_told *t);

#endif
