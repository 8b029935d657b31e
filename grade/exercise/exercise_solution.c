// SPDX-License-Identifier: Apache-2.0
#include "grade/exercise/exercise_solution.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "grade/input/input.h"

enum { MAX_FILE_BYTES = 1 << 20, LEAST_MUTANTS = 4, MOST_MUTANTS = 40 };

// A file of a folder; NULL: it is not there.
static char *read_if_there(struct fields *l, const char *folder,
                           const char *name) {
  char *path = xasprintf("%s/%s", folder, name), *text = NULL;
  size_t bytes;
  if (!l->err && !access(path, F_OK))
    l->err = file_read(path, MAX_FILE_BYTES, &text, &bytes, l->e);
  free(path);
  return text;
}

// ---- Mutants ----

static char *make_mutant(struct fields *l, const char *name,
                         char *const pair[2]) {
  struct err_info why;
  char *source = NULL;
  if (!*l->ex->written)
    fields_fault(l, "mutant \"%s\" is made of a solution that is not here",
                 name);
  else if (source_mutate(l->ex->written, exercise_comment(l->ex->kind), pair[0],
                         pair[1], &source, &why))
    fields_fault(l, "mutant \"%s\": %s", name, why.text);
  return source;
}

// Of a learner's copy: the one of that number there, as PTX.
static char *read_mutant(struct fields *l, const char *name, int number) {
  char *file = xasprintf("mutant-%d.ptx", number);
  char *source = read_if_there(l, l->ex->folder, file);
  if (!source)
    fields_fault(l, "mutant \"%s\": replace must be {text, other text}", name);
  free(file);
  return source;
}

// The one on top; `*read` counts those that are PTX.
static void load_mutant(struct fields *l, struct exercise_mutant *m,
                        int *read) {
  fields_check(l, FIELD_MUTANT);
  m->name = fields_string(l, "name", NULL);
  m->explain = fields_string(l, "explain", NULL);
  char *breaks = fields_string(l, "breaks", "");
  m->breaks = *breaks ? breaks : NULL;
  if (!m->breaks)
    free(breaks);
  char *pair[2] = {NULL, NULL};
  if (lua_getfield(l->L, -1, "replace") == LUA_TTABLE &&
      lua_rawlen(l->L, -1) == 2)
    for (int i = 0; i < 2; i++) {
      lua_rawgeti(l->L, -1, i + 1);
      if (lua_type(l->L, -1) == LUA_TSTRING)
        pair[i] = xstrdup(lua_tostring(l->L, -1));
      lua_pop(l->L, 1);
    }
  lua_pop(l->L, 1);
  m->source = pair[0] && pair[1] ? make_mutant(l, m->name, pair)
                                 : read_mutant(l, m->name, ++*read);
  free(pair[0]);
  free(pair[1]);
}

static void load_mutants(struct fields *l) {
  struct exercise *ex = l->ex;
  int read = 0;
  ex->mutant_count =
      fields_list(l, "mutants", ex->is_copy ? 0 : LEAST_MUTANTS, MOST_MUTANTS);
  ex->mutants = xcalloc((size_t)ex->mutant_count + 1, sizeof *ex->mutants);
  for (int i = 0; i < ex->mutant_count; i++) {
    if (lua_rawgeti(l->L, -1, i + 1) == LUA_TTABLE)
      load_mutant(l, &ex->mutants[i], &read);
    else
      fields_fault(l, "mutants[%d] must be {name =, replace =, explain =}",
                   i + 1);
    lua_pop(l->L, 1);
    if (l->err) {
      ex->mutant_count = i + 1;
      break;
    }
  }
  lua_pop(l->L, 1);
}

// ---- The solution ----

// With its markers; NULL: it is in neither folder.
static char *read_written(struct fields *l) {
  const char *name = exercise_solution_name(l->ex->kind);
  char *text = NULL;
  if (l->ex->private_folder)
    text = read_if_there(l, l->ex->private_folder, name);
  return text ? text : read_if_there(l, l->ex->folder, name);
}

static void cut_written(struct fields *l) {
  struct exercise *ex = l->ex;
  const char *comment = exercise_comment(ex->kind);
  if (!l->err)
    l->err = source_cut_starter(ex->written, comment, &ex->starter, l->e);
  if (!l->err)
    l->err = source_cut_solution(ex->written, comment, &ex->solution, l->e);
}

void exercise_solution_load(struct fields *l) {
  struct exercise *ex = l->ex;
  char *starter_name = xasprintf("starter%s", exercise_extension(ex->kind));
  ex->starter = read_if_there(l, ex->folder, starter_name);
  ex->is_copy = ex->starter != NULL;
  ex->written = read_written(l);
  if (ex->written) {
    free(ex->starter);
    ex->starter = NULL;
    cut_written(l);
  } else if (ex->is_copy) {
    ex->solution = read_if_there(l, ex->folder, "solution.ptx");
    ex->solution = ex->solution ? ex->solution : xstrdup("");
  } else if (!l->err) {
    fields_fault(l, "there is no file %s beside it",
                 exercise_solution_name(ex->kind));
  }
  ex->written = ex->written ? ex->written : xstrdup("");
  free(starter_name);
  if (!l->err)
    load_mutants(l);
}
