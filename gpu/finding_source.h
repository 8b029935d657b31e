// SPDX-License-Identifier: Apache-2.0
// What the learner's source says around a finding: what its expressions are
// worth to a thread, which conditions and loops a place stands in. All texts are
// parts of one source, borrowed; what cannot be told is not guessed.
#ifndef GPU_FINDING_SOURCE_H
#define GPU_FINDING_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/finding_text.h"

struct finding_span {
  const char *text;
  int length;
};

// Who reads an expression. A variable that the source gives several values may
// have a known one: `known`, NULL for none.
struct finding_view {
  const struct finding_scene *scene;
  const struct gpu_place *at;
  const char *known;
  int known_length;
  int64_t value;
};

// ---- finding_value.c ----

// The value of an expression of integers: of the thread's place, the launch's
// shape, its numbers, #defines and variables that get one value only. False:
// nobody knows.
bool finding_evaluate(const struct finding_view *v, const char *text,
                      int length, int64_t *out);
// What stands behind the one "=" that a variable ever gets; length 0: nothing,
// or several.
struct finding_span finding_value_of(const char *source, struct finding_span v);
// Does an assignment stand behind a name ("= 3", "+= 1", "++")?
bool finding_is_assigned(const char *after);

// The next name of `*rest`, which is moved behind it: "i", "threadIdx.x"; names
// that follow a number or a dot are none. Length 0: there are no more.
struct finding_span finding_next_name(struct finding_span *rest);
bool finding_is_span(struct finding_span a, const char *text);
bool finding_are_equal(struct finding_span a, struct finding_span b);

// Names that a text comes down to, through the values of its variables; loads
// from memory that are on the way are counted.
enum { FINDING_NAMES = 48 };
struct finding_names {
  int count, loads;
  struct finding_span names[FINDING_NAMES];
};
void finding_collect_names(const char *source, struct finding_span text,
                           struct finding_names *out);
bool finding_has_name(const struct finding_names *names, const char *name);

// ---- finding_use.c ----

// Bytes of CUDA's own types by name, of vectors such as float4, too; 0: unknown.
int finding_type_bytes(const char *word, size_t n);

// Where the source declares the array last before `end`, and the words before its
// name; NULL: nowhere.
enum { FINDING_WORDS = 128 };
const char *finding_declaration(const char *source, const char *end,
                                const char *name, size_t n,
                                char words[FINDING_WORDS]);

// The brackets of s[a][b], and the sizes that s is declared with.
enum { FINDING_ROWS = 4 };
struct finding_row {
  struct finding_span index, size;
};
// How many; 0: its declaration is not found.
int finding_read_rows(const struct finding_subject *s, struct finding_span use,
                      struct finding_row out[FINDING_ROWS]);

// The element's number in memory, of a use such as "s[a][b]", as the view's
// thread sees it. False: nobody knows.
bool finding_read_index(const struct finding_subject *s,
                        const struct finding_view *v, struct finding_span use,
                        int64_t *out);

// ---- finding_local.c ----

// The line's one local array, named in `s`, by its cells: where it is the only one
// of its function and takes all of the memory that the thread has, the finding's
// place in that is the array's. Changes nothing where it is not.
void finding_measure_local(struct finding_subject *s);
// "a.cells[at]" of a structure `a`: the index that is outside of its array. False
// where the cause is not sure: nothing was added.
bool finding_explain_member(struct str *out, const struct finding_subject *s);

// ---- finding_pointer.c ----

// Memory that the kernel's own malloc() or new gave: the line's one pointer whose
// bytes are as many. Changes nothing where that is not sure.
void finding_name_taken(struct finding_subject *s);
// The line's one pointer with brackets whose one value is "array + START": its name
// in `name`, and what START is. False: there is none, or nobody knows.
bool finding_find_part(const struct finding_subject *s, const char *code,
                       const struct finding_view *v, char name[64],
                       int64_t *start);
// A pointer that walked past an array's end, or one to wider elements, such as
// float4. False where the cause is not sure: nothing was added.
bool finding_explain_pointer(struct str *out, const struct finding_subject *s);

// ---- finding_place.c ----

// Line `line` (from 1) of a text; NULL: it has none.
const char *finding_line(const char *code, int line);

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

// ---- finding_unset.c ----

// Is the word one of those that make the type of a number: "unsigned", "float"?
bool finding_is_type(struct finding_span word);

// ---- finding_bounds.c, finding_race.c, finding_loop.c ----

// Why an index was out of bounds, why two threads met, why a loop never ends.
// False where the cause is not sure: nothing was added.
bool finding_explain_bounds(struct str *out, const struct finding_subject *s);
bool finding_explain_race(struct str *out, const struct finding_subject *s);
bool finding_explain_loop(struct str *out, const struct finding_subject *s);

#endif
