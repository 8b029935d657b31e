// SPDX-License-Identifier: Apache-2.0
// Fields of an exercise's description, each checked as it is read: the parts of
// loading share this.
#ifndef GRADE_EXERCISE_EXERCISE_FIELDS_H
#define GRADE_EXERCISE_EXERCISE_FIELDS_H

#include "grade/exercise/exercise.h"
#include "grade/exercise/unknown_field.h"

// The first fault found; loading goes on with defaults, which never get out.
// The table that is read is on top of the stack.
struct fields {
  lua_State *L;
  struct exercise *ex;
  const char *text; // of exercise.lua
  struct err_info *e;
  enum err err;
};

// With its line where the sentence quotes a text of the description, or begins
// with a field of it and a colon.
void fields_fault(struct fields *l, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
// The same of the field `key` of the table on top, with its line where that is
// the description: an inner table's may be any of several.
void fields_fault_of(struct fields *l, const char *key, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
// The table on top must have no field that is in vain (unknown_field.h).
void fields_check(struct fields *l, enum field_table table);
// `fallback` NULL: it must be there. The caller frees the copy.
char *fields_string(struct fields *l, const char *key, const char *fallback);
double fields_number(struct fields *l, const char *key, double fallback,
                     double least);
bool fields_flag(struct fields *l, const char *key);
// Pushes the list at `key` (an empty one where it is missing) and returns its
// length, which must be between the bounds.
int fields_list(struct fields *l, const char *key, int least, int most);
// A list of texts, freed with exercise_names_free.
char **fields_strings(struct fields *l, const char *key, int least, int most,
                      int *count);

#endif
