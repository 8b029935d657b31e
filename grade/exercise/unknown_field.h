// SPDX-License-Identifier: Apache-2.0
// The fields of the tables in exercise.lua: one that is none is named, with its
// line and the name that was meant. exercise_fields.def has them all.
#ifndef GRADE_EXERCISE_UNKNOWN_FIELD_H
#define GRADE_EXERCISE_UNKNOWN_FIELD_H

#include <lua.h>
#include <stdbool.h>

#include "grade/exercise/exercise.h"

enum field_table {
  FIELD_EXERCISE,
  FIELD_KERNEL,
  FIELD_CASE,
  FIELD_TOLERANCE,
  FIELD_MUTANT,
  FIELD_RULE,
  FIELD_REQUIREMENT,
  FIELD_HARDWARE,
  FIELD_RANK,
  FIELD_TEXTURE,
  FIELD_LAUNCH,
  FIELD_LAUNCHED,
};

// Has the table on top of the stack a field that its kind of table has not? If
// so, a sentence is in *why (to be freed) and its line in `source`, the text of
// exercise.lua, in *line (0: not found). With several, the first of the text.
// `source` NULL: lines are not asked for. A case, and what is ranked, may also have any
// field that the source uses; without the source, all.
bool unknown_field(lua_State *L, enum field_table table,
                   enum exercise_kind kind, const char *source, char **why,
                   int *line);

#endif
