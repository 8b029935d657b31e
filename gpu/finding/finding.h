// SPDX-License-Identifier: Apache-2.0
// A finding in the learner's words, the same at the prompt and in a verdict:
// the array and its element, a sentence, what it means, where it stands in the
// source. Nothing here touches a device, Lua or a terminal.
#ifndef GPU_FINDING_FINDING_H
#define GPU_FINDING_FINDING_H

#include <stdbool.h>

#include "base/str.h"
#include "gpu/finding/finding_subject.h"

// ---- finding_text.c ----

// A warning that threads of a warp had left before a barrier says nothing where
// the source shows that they returned, which is legal.
bool finding_is_moot(const struct finding_subject *s);
// "write out of bounds: out[4096], 4 bytes past the end of out (float[4096])".
void finding_add_sentence(struct str *out, const struct finding_subject *s);
// "part[5]"; nothing where there is no name.
void finding_add_cell(struct str *out, const struct finding_subject *s);
// What one of the two wrote or read ("10.5"); nothing where that is not known, or its
// type is not.
void finding_add_seen(struct str *out, const struct finding_subject *s,
                      const struct gpu_place *p);
// What it means; tells sizes where they are known. Adds nothing for a kind
// without advice.
void finding_add_explanation(struct str *out, const struct finding_subject *s);
// The same for who may set the budget, which a verdict's reader may not: the way
// to more work behind what is only long.
void finding_add_help(struct str *out, const struct finding_subject *s);
// "block (0,0,0) thread (1,0,0), and 3 more threads".
void finding_add_who(struct str *out, const struct gpu_finding *f);
// Place, sentence, source with a mark, and what it means; no newline at the
// end.
void finding_add_report(struct str *out, const struct finding_subject *s);

// The stable key "oob-write", "race"; the same in words, "write out of
// bounds"; and the advice that tells no sizes (NULL: none).
const char *finding_code(const struct gpu_finding *f);
const char *finding_what(const struct gpu_finding *f);
const char *finding_advice(const struct gpu_finding *f);

// Where this kind stands among findings of one severity, the first being 0: what
// ends the kernel comes before all that it may have led to.
int finding_rank(const char *kind);

const char *finding_access_word(int access); // "read"
const char *finding_space_word(int space);   // "shared"; "" for none

// ---- finding_unset.c: asked before a launch ----

// A number that a function declares without a value and only updates.
struct finding_unset {
  char name[64];
  int declared, last; // lines: of its declaration, and where its scope ends
  int line, column;   // of its first update, from 1
  const char *start;  // what such updates begin from, "0" or "1"; NULL: neither
};
// All that are updated and read in the source, at most `most`; returns how many.
// Those that may get a value in any way are left out.
int finding_find_unset(const char *source, struct finding_unset *out, int most);

// ---- finding_shared.c ----

// The source's __shared__ variables as the debugger's commands, a line each:
// "declare tile float[4][8]". Sizes are numbers, and names that the source
// defines as numbers, with + - * / between them; of others only the element
// type is told.
void finding_find_shared(const char *source, struct str *out);

#endif
