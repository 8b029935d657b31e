// SPDX-License-Identifier: Apache-2.0
#include "grade/exercise/unknown_field.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "grade/exercise/lua_keys.h"

enum {
  CUDA = 1 << EXERCISE_CUDA,
  HOST = 1 << EXERCISE_HOST,
  LUA = 1 << EXERCISE_LUA | HOST,
  CODE = CUDA | LUA,
  BATCH = 1 << EXERCISE_BATCH,
  ALL = CODE | BATCH,
};

static const struct {
  enum field_table table;
  const char *name;
  int kinds;
} rows[] = {
#define FIELD(table, name, kinds) {FIELD_##table, name, kinds},
#include "grade/exercise/exercise_fields.def"
#undef FIELD
};
enum { ROWS = sizeof rows / sizeof *rows };

// What a table is, and within how many braces of the file it stands.
static const struct {
  const char *what;
  int depth;
} tables[] = {
    [FIELD_EXERCISE] = {"an exercise", 1},
    [FIELD_KERNEL] = {"a kernel", 3},
    [FIELD_CASE] = {"a case", 3},
    [FIELD_TOLERANCE] = {"a tolerance", 2},
    [FIELD_MUTANT] = {"a mutant", 3},
    [FIELD_RULE] = {"a rule", 3},
    [FIELD_TEXTURE] = {"a texture", 3},
    [FIELD_HARDWARE] = {"hardware", 2},
    [FIELD_RANK] = {"what is ranked", 2},
    [FIELD_REQUIREMENT] = {"a requirement", 3},
    [FIELD_LAUNCH] = {"a launch", 1},
    [FIELD_LAUNCHED] = {"a launch", 1},
};

static bool is_known(enum field_table table, enum exercise_kind kind,
                     const char *name) {
  for (int i = 0; i < ROWS; i++)
    if (rows[i].table == table && (rows[i].kinds & 1 << kind) &&
        !strcmp(rows[i].name, name))
      return true;
  return false;
}

// Whatever else `make` reads of a case is the exercise's own.
static bool is_own(enum field_table table, const char *source,
                   const char *name) {
  return (table == FIELD_CASE || table == FIELD_RANK) &&
         (!source || lua_key_is_used(source, name) ||
          lua_key_is_used(source, "pairs") || lua_key_is_used(source, "next"));
}

static bool is_known_elsewhere(enum field_table table, const char *name) {
  for (int i = 0; i < ROWS; i++)
    if (rows[i].table == table && !strcmp(rows[i].name, name))
      return true;
  return false;
}

static char *sentence(enum field_table table, enum exercise_kind kind,
                      const char *name) {
  if (is_known_elsewhere(table, name))
    return xasprintf("\"%s\" is no field of kind %s; docs/exercises.md says "
                     "what that has instead",
                     name, exercise_kind_name(kind));
  struct nearest near = nearest_to(name);
  for (int i = 0; i < ROWS; i++)
    if (rows[i].table == table && (rows[i].kinds & 1 << kind))
      nearest_try(&near, rows[i].name, strlen(rows[i].name));
  return xasprintf("\"%.60s\" is no field of %s%s%s%s%s", name,
                   tables[table].what,
                   table == FIELD_CASE ? ", and make does not read it" : "",
                   near.name ? "; did you mean " : "",
                   near.name ? near.name : "; docs/exercises.md lists them",
                   near.name ? "?" : "");
}

// The line of the field; 0: it is not said.
static int line_of(enum field_table table, const char *source,
                   const char *name) {
  return source ? lua_key_line(source, name, tables[table].depth) : 0;
}

bool unknown_field(lua_State *L, enum field_table table,
                   enum exercise_kind kind, const char *source, char **why,
                   int *line) {
  *why = NULL;
  *line = 0;
  for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
    const char *name =
        lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
    if (!*name || is_known(table, kind, name) || is_own(table, source, name))
      continue;
    int its_line = line_of(table, source, name);
    if (*why && *line <= its_line)
      continue;
    free(*why);
    *why = sentence(table, kind, name);
    *line = its_line;
  }
  return *why != NULL;
}

char *exercise_unknown_setting(lua_State *L, enum exercise_kind kind,
                               bool is_of_several) {
  char *why;
  int line;
  unknown_field(L, is_of_several ? FIELD_LAUNCHED : FIELD_LAUNCH, kind, NULL,
                &why, &line);
  return why;
}
