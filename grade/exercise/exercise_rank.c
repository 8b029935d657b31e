// SPDX-License-Identifier: Apache-2.0
// rank = {case = "large", n = 1 << 24, bytes = 2^27}: what is timed.
#include "grade/exercise/exercise_rank.h"

#include <stdlib.h>
#include <string.h>

static void add_change(struct fields *l, struct case_changes *c) {
  const char *field = lua_tostring(l->L, -2);
  if (!lua_isinteger(l->L, -1) || strlen(field) >= CASE_FIELD_BYTES ||
      c->count == CASE_MAX_CHANGES) {
    fields_fault(l,
                 "rank: besides case, bytes and operations it has up to %d "
                 "whole numbers of the case's own, under names of up to %d "
                 "letters, and \"%.40s\" is not such",
                 CASE_MAX_CHANGES, CASE_FIELD_BYTES - 1, field);
    return;
  }
  struct case_change *to = &c->at[c->count++];
  strcpy(to->field, field);
  to->value = lua_tointeger(l->L, -1);
}

static bool is_ranks_own(const char *field) {
  return !strcmp(field, "case") || !strcmp(field, "bytes") ||
         !strcmp(field, "operations");
}

static int find_case(struct fields *l, const char *name) {
  for (int i = 0; i < l->ex->case_count; i++)
    if (!strcmp(l->ex->cases[i].name, name))
      return i;
  fields_fault(l, "rank: there is no case \"%.80s\"", name);
  return 0;
}

void exercise_rank_load(struct fields *l) {
  struct exercise_rank *r = &l->ex->rank;
  int type = lua_getfield(l->L, -1, "rank");
  if (type == LUA_TTABLE) {
    fields_check(l, FIELD_RANK);
    char *name = fields_string(l, "case", NULL);
    r->is_there = true;
    r->index = find_case(l, name);
    r->bytes = fields_number(l, "bytes", 0, 0);
    r->operations = fields_number(l, "operations", 0, 0);
    free(name);
    for (lua_pushnil(l->L); lua_next(l->L, -2); lua_pop(l->L, 1))
      if (lua_type(l->L, -2) == LUA_TSTRING &&
          !is_ranks_own(lua_tostring(l->L, -2)))
        add_change(l, &r->changes);
  } else if (type != LUA_TNIL) {
    fields_fault_of(l, "rank",
                    "rank must be a table {case = NAME, and whole numbers that "
                    "the case has there}");
  }
  lua_pop(l->L, 1);
}
