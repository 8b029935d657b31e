// SPDX-License-Identifier: Apache-2.0
// Two threads that met in one cell: what finding_race.c, finding_index.c and
// finding_update.c share.
#ifndef GPU_FINDING_FINDING_RACE_H
#define GPU_FINDING_FINDING_RACE_H

#include "gpu/finding/finding_place.h"
#include "gpu/finding/finding_source.h"
#include "gpu/finding/finding_value.h"

// One of the two accesses.
struct party {
  const struct gpu_place *place;
  struct finding_scene scene;
  struct finding_view view;
  const char *line, *at; // of the code; the access, else the line's statement
  int length;
  struct finding_span use;   // "t[i + 1]"; length 0: not found
  struct finding_span index; // "i + 1"; length 0: a variable without one
  struct finding_names names;
  bool is_known; // the index, and it is the finding's
  struct finding_condition all[FINDING_CONDITIONS];
  int count;
};

struct meeting {
  const struct finding_subject *s;
  const char *code;
  struct party one, two; // by their lines
  bool is_same_block, is_same_line;
};

// "threadIdx.x" to "blockIdx.z".
enum { FINDING_PARTS = 6 };
extern const char *const finding_parts[FINDING_PARTS];
// The innermost loop around both; NULL: there is none.
const struct finding_condition *finding_common_loop(const struct meeting *m);
bool finding_is_of_threads(const struct finding_names *names);
void finding_add_span(struct str *out, struct finding_span t);
// Does the code from `from` on hold the word?
bool finding_has_text(const char *from, const char *end, const char *text);

// Why two threads met. False where that is not sure: nothing was added.
bool finding_explain_race(struct str *out, const struct finding_subject *s);

#endif
