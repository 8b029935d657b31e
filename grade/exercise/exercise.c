// SPDX-License-Identifier: Apache-2.0
// Loading an exercise: exercise.lua is run in a Lua state of its own that has
// no way out (no files, no processes, a limit on its instructions), and every
// field of the table that it returns is checked, so that a broken exercise is
// a sentence and never a wrong grade.
#include "grade/exercise/exercise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "base/str.h"
#include "grade/course/course.h"
#include "grade/exercise/exercise_fields.h"
#include "grade/exercise/exercise_private.h"
#include "grade/exercise/exercise_rank.h"
#include "grade/exercise/exercise_rules.h"
#include "grade/exercise/exercise_script.h"
#include "grade/exercise/exercise_signature.h"
#include "grade/exercise/exercise_solution.h"
#include "grade/exercise/sandbox.h"
#include "grade/input/input.h"

enum {
  MAX_FILE_BYTES = 1 << 20,
  MAX_ROW_BYTES = 500,
  LUA_BUDGET = 1 << 28, // units of work (learner_count.h): one to three seconds
  USUAL_LAUNCHES = 1000,
  MAX_LAUNCHES = 10000,
};

static const char *const kinds[] = {"cuda", "lua", "host", "batch"};
enum { KINDS = sizeof kinds / sizeof *kinds };

const char *exercise_kind_name(enum exercise_kind kind) {
  return kinds[kind];
}

static const struct {
  const char *extension, *solution, *comment;
} files[] = {
    [EXERCISE_CUDA] = {".cu", "solution.cu", "//"},
    [EXERCISE_LUA] = {".lua", "solution.lua", "--"},
    [EXERCISE_HOST] = {".lua", "solution.lua", "--"},
    [EXERCISE_BATCH] = {".sh", "solution.sh", "#"},
};

const char *exercise_extension(enum exercise_kind kind) {
  return files[kind].extension;
}

const char *exercise_solution_name(enum exercise_kind kind) {
  return files[kind].solution;
}

const char *exercise_comment(enum exercise_kind kind) {
  return files[kind].comment;
}

// ---- The index ----

enum err exercise_names(char ***out, int *count, struct err_info *e) {
  struct course *c;
  *out = NULL;
  *count = 0;
  enum err err = course_in_use(&c, e);
  if (!err)
    err = course_index(c, "exercises", out, count, e);
  course_free(c);
  return err;
}

void exercise_names_free(char **names, int count) {
  file_names_free(names, count);
}

// What is known of a name when its folder is looked for.
struct search {
  const char *name;
  struct str names; // of the exercises seen so far
  struct nearest near;
  char *near_name; // what `near` holds, which outlives its index
  char *folder;
};

static void search_course(struct search *s, const struct course *c,
                          struct str *notes) {
  char **names;
  int count;
  struct err_info e;
  if (course_index(c, "exercises", &names, &count, &e))
    str_addf(notes, "%s\n", e.text);
  for (int i = 0; i < count && !s->folder; i++) {
    nearest_try(&s->near, names[i], strlen(names[i]));
    str_addf(&s->names, "%s%s", s->names.len ? ", " : "", names[i]);
    if (!strcmp(names[i], s->name))
      s->folder = xasprintf("%s/exercises/%s", c->folder, names[i]);
  }
  if (s->near.name) {
    char *copy = xstrdup(s->near.name);
    free(s->near_name);
    s->near.name = s->near_name = copy;
  }
  exercise_names_free(names, count);
}

// The folder of a name: the first of the courses (course_list_load) that has it.
// NULL and a sentence when none does.
static char *find_folder(const char *name, struct err_info *e) {
  if (strchr(name, '/'))
    return xstrdup(name);
  struct search s = {.name = name, .names = STR_INIT, .near = nearest_to(name)};
  struct str notes = STR_INIT;
  struct course_list list;
  course_list_load(&list, &notes);
  for (int i = 0; i < list.count && !s.folder; i++)
    search_course(&s, list.at[i], &notes);
  if (!s.folder && s.near.name)
    err_set(e, ERR_NOT_FOUND, "no exercise \"%.80s\"; did you mean %s?", name,
            s.near.name);
  else if (!s.folder && !s.names.len)
    err_set(e, ERR_NOT_FOUND, "no exercise \"%.80s\": %s", name, notes.data);
  else if (!s.folder)
    err_set(e, ERR_NOT_FOUND,
            "no exercise \"%.80s\": warpshop exercise list shows all (a folder "
            "is named with a slash: ./%.80s)",
            name, name);
  course_list_free(&list);
  str_free(&notes);
  str_free(&s.names);
  free(s.near_name);
  return s.folder;
}

bool exercise_is_known(const char *name, struct err_info *e) {
  char *folder = find_folder(name, e);
  free(folder);
  return folder != NULL;
}

// ---- Tolerance and cases ----

// The table at field "tolerance", over `base`; it must give its reason.
static struct tolerance get_tolerance(struct fields *l, struct tolerance base,
                                      bool is_needed, char **reason) {
  struct tolerance t = base;
  if (lua_getfield(l->L, -1, "tolerance") == LUA_TTABLE) {
    t = (struct tolerance){
        .abs = fields_number(l, "abs", 0, 0),
        .rel = fields_number(l, "rel", 0, 0),
        .ulp = (int64_t)fields_number(l, "ulp", 0, 0),
        .allow_nan = fields_flag(l, "allow_nan"),
        .signed_zero = fields_flag(l, "signed_zero"),
    };
    fields_check(l, FIELD_TOLERANCE);
    char *text = fields_string(l, "reason", NULL);
    if (reason)
      *reason = text;
    else
      free(text);
  } else if (is_needed || !lua_isnil(l->L, -1)) {
    fields_fault(l, "tolerance must be a table with its reason");
  }
  lua_pop(l->L, 1);
  return t;
}

// When a course system may show a hidden case, in Gradescope's words.
static char *get_release(struct fields *l, bool is_hidden) {
  char *text = fields_string(l, "release", "");
  if (*text && !is_hidden)
    fields_fault(l, "release is for a hidden case: the others are shown");
  if (*text && strcmp(text, "after_due_date") &&
      strcmp(text, "after_published"))
    fields_fault(l,
                 "release is \"after_due_date\" or \"after_published\", not "
                 "\"%.40s\"",
                 text);
  char *release = *text ? xstrdup(text) : NULL;
  free(text);
  return release;
}

// The row on top, for those who are told what a case is.
static char *get_row(lua_State *L) {
  struct str row = STR_INIT;
  if (exercise_add_text(&row, L, -1) && row.len <= MAX_ROW_BYTES)
    return str_take(&row);
  str_free(&row);
  return NULL;
}

static void load_cases(struct fields *l) {
  struct exercise *ex = l->ex;
  struct tolerance usual =
      get_tolerance(l, (struct tolerance){0}, true, &ex->tolerance_reason);
  ex->case_count = fields_list(l, "cases", 1, 100);
  ex->cases = xcalloc((size_t)ex->case_count + 1, sizeof *ex->cases);
  double visible = 0;
  for (int i = 0; i < ex->case_count; i++) {
    struct exercise_case *c = &ex->cases[i];
    if (lua_rawgeti(l->L, -1, i + 1) != LUA_TTABLE) {
      fields_fault(l, "cases[%d] must be a table", i + 1);
      ex->case_count = i;
      lua_pop(l->L, 1);
      break;
    }
    fields_check(l, FIELD_CASE);
    c->name = fields_string(l, "name", NULL);
    c->is_hidden = fields_flag(l, "hidden");
    c->release = get_release(l, c->is_hidden);
    c->row = get_row(l->L);
    c->weight = fields_number(l, "weight", 1, 0);
    c->tolerance = get_tolerance(l, usual, false, NULL);
    visible += c->is_hidden ? 0 : c->weight;
    lua_pop(l->L, 1);
    for (int k = 0; k < i; k++)
      if (!strcmp(c->name, ex->cases[k].name))
        fields_fault(l, "two cases are named \"%s\"", c->name);
  }
  lua_pop(l->L, 1);
  if (!(visible > 0))
    fields_fault(l,
                 "cases: at least one that is not hidden must have a weight");
  if (lua_getfield(l->L, -1, "make") != LUA_TFUNCTION)
    fields_fault(
        l, "make must be a function(case, rng) that returns the arguments "
           "and {grid, block}");
  lua_pop(l->L, 1);
}

// A reference in C takes its arguments in the signature's order.
static void find_reference(struct fields *l, const char *name) {
  const struct reference *r = reference_find(name);
  if (!r)
    fields_fault(l,
                 "reference: there is no \"%s\" in "
                 "kernels/reference/references.def, nor in kernels/kernels.def",
                 name);
  else if (!signature_has_types(l->ex, r->signature))
    fields_fault(l, "reference: %s takes (%s), and the signature has others",
                 name, r->signature);
  l->ex->reference = r;
}

static void load_reference(struct fields *l) {
  int type = lua_getfield(l->L, -1, "reference");
  if (type == LUA_TSTRING)
    find_reference(l, lua_tostring(l->L, -1));
  else if (type != LUA_TFUNCTION)
    fields_fault(l,
                 "reference must be a function(args, launch), or the name of a "
                 "row of kernels/reference/references.def");
  lua_pop(l->L, 1);
}

// ---- Rules ----

static bool has_case(const struct exercise *ex, const char *name) {
  for (int i = 0; i < ex->case_count; i++)
    if (!strcmp(ex->cases[i].name, name))
      return true;
  return false;
}

// Pushes the text on top, or the first of the table on top.
static const char *push_text(struct fields *l) {
  if (lua_istable(l->L, -1))
    lua_rawgeti(l->L, -1, 1);
  else
    lua_pushvalue(l->L, -1);
  return lua_type(l->L, -1) == LUA_TSTRING ? lua_tostring(l->L, -1) : "";
}

// "counter <= number", or {that, points =, cases = {names}}, on top.
static void load_rule(struct fields *l, const char *key, bool is_goal) {
  struct efficiency_rule *r = &l->ex->rules[l->ex->rule_count];
  struct err_info e;
  bool is_table = lua_istable(l->L, -1);
  const char *text = push_text(l);
  bool is_rule = efficiency_parse(text, l->ex->kind, r, &e);
  lua_pop(l->L, 1);
  if (!is_rule) {
    fields_fault(l, "%s: %s", key, e.text);
    return;
  }
  l->ex->rule_count++;
  r->is_goal = is_goal;
  if (!is_table)
    return;
  fields_check(l, FIELD_RULE);
  r->points = fields_number(l, "points", 0, 0);
  r->is_each_line = fields_flag(l, "each_line");
  r->cases = fields_strings(l, "cases", 0, 100, &r->case_count);
  if (is_goal && r->points > 0)
    fields_fault(l,
                 "goal: \"%s\" decides the verdict; points are for efficiency",
                 r->text);
  if (r->is_each_line && !efficiency_has_lines(r))
    fields_fault(l, "%s: a line alone has nothing that \"%s\" could ask for",
                 key, r->text);
  for (int i = 0; i < r->case_count; i++)
    if (!has_case(l->ex, r->cases[i]))
      fields_fault(l, "%s: there is no case \"%s\"", key, r->cases[i]);
}

static void load_rules(struct fields *l, const char *key, bool is_goal) {
  int count = fields_list(l, key, 0, 20);
  size_t room = (size_t)(l->ex->rule_count + count) + 1;
  l->ex->rules = xrealloc(l->ex->rules, room * sizeof *l->ex->rules);
  memset(l->ex->rules + l->ex->rule_count, 0,
         ((size_t)count + 1) * sizeof *l->ex->rules);
  for (int i = 0; i < count; i++) {
    lua_rawgeti(l->L, -1, i + 1);
    load_rule(l, key, is_goal);
    lua_pop(l->L, 1);
  }
  lua_pop(l->L, 1);
}

// {"shared", kernel = "scan"}, on top: asked of that kernel alone. Its text is
// "scan: shared" then.
static void limit_requirement(struct fields *l, struct requirement *r) {
  fields_check(l, FIELD_REQUIREMENT);
  char *name = fields_string(l, "kernel", NULL);
  for (int k = 0; k < l->ex->kernel_count; k++)
    if (!strcmp(l->ex->kernels[k].name, name))
      r->kernel = k;
  if (r->kernel < 0)
    fields_fault(l, "requires: there is no kernel \"%s\"", name);
  char *text = xasprintf("%s: %s", name, r->text);
  free(r->text);
  r->text = text;
  free(name);
}

// "shared", or that of one kernel, on top.
static void load_requirement(struct fields *l) {
  struct requirement *r = &l->ex->requires[l->ex->require_count];
  struct err_info e;
  bool is_table = lua_istable(l->L, -1);
  const char *text = push_text(l);
  bool is_one = requires_parse(text, r, &e);
  lua_pop(l->L, 1);
  if (!is_one) {
    fields_fault(l, "requires: %s", e.text);
    return;
  }
  l->ex->require_count++;
  if (is_table)
    limit_requirement(l, r);
}

static void load_requires(struct fields *l) {
  int count = fields_list(l, "requires", 0, 20);
  l->ex->requires = xcalloc((size_t)count + 1, sizeof *l->ex->requires);
  for (int i = 0; i < count; i++) {
    lua_rawgeti(l->L, -1, i + 1);
    load_requirement(l);
    lua_pop(l->L, 1);
  }
  lua_pop(l->L, 1);
}

static bool is_broken_by(const struct exercise *ex, const char *rule) {
  for (int i = 0; i < ex->mutant_count; i++)
    if (ex->mutants[i].breaks && !strcmp(ex->mutants[i].breaks, rule))
      return true;
  return false;
}

static bool decides(const struct exercise *ex, const char *rule) {
  for (int i = 0; i < ex->require_count; i++)
    if (!strcmp(ex->requires[i].text, rule))
      return true;
  for (int i = 0; i < ex->rule_count; i++)
    if (ex->rules[i].is_goal && !strcmp(ex->rules[i].text, rule))
      return true;
  return false;
}

// What decides a verdict is proved by a mutant that is right but for that.
static void check_breaks(struct fields *l) {
  const struct exercise *ex = l->ex;
  for (int i = 0; i < ex->mutant_count && !l->err; i++)
    if (ex->mutants[i].breaks && !decides(ex, ex->mutants[i].breaks))
      fields_fault(l,
                   "mutant \"%s\" breaks \"%s\", which is no goal and no "
                   "requirement",
                   ex->mutants[i].name, ex->mutants[i].breaks);
  for (int i = 0; i < ex->require_count && !l->err; i++)
    if (!is_broken_by(ex, ex->requires[i].text))
      fields_fault(l, "requires: no mutant breaks \"%s\"",
                   ex->requires[i].text);
  for (int i = 0; i < ex->rule_count && !l->err; i++)
    if (ex->rules[i].is_goal && !is_broken_by(ex, ex->rules[i].text))
      fields_fault(l, "goal: no mutant breaks \"%s\"", ex->rules[i].text);
}

// ---- Loading ----

static char *read_part(struct fields *l, const char *name) {
  char *path = xasprintf("%s/%s", l->ex->folder, name), *text = NULL;
  size_t bytes;
  if (!l->err)
    l->err = file_read(path, MAX_FILE_BYTES, &text, &bytes, l->e);
  free(path);
  return text ? text : xstrdup("");
}

static bool has_field(struct fields *l, const char *key) {
  bool has = lua_getfield(l->L, -1, key) != LUA_TNIL;
  lua_pop(l->L, 1);
  return has;
}

// Several launches are a function's. Then `kernels` has the kernels' names.
static void load_launches(struct fields *l) {
  bool is_function = lua_getfield(l->L, -1, "launches") == LUA_TFUNCTION &&
                     !lua_iscfunction(l->L, -1);
  lua_pop(l->L, 1);
  if (!has_field(l, "launches")) {
    if (has_field(l, "kernels"))
      fields_fault_of(l, "kernels",
                      "kernels are for several launches, which a function "
                      "does: launches = function(args, kernels, case)");
    if (has_field(l, "most_launches"))
      fields_fault_of(l, "most_launches",
                      "most_launches is for launches = function(args, "
                      "kernels, case)");
    return;
  }
  if (!is_function)
    fields_fault_of(l, "launches",
                    "launches must be a function(args, kernels, case)");
  if (has_field(l, "kernel"))
    fields_fault_of(l, "kernel",
                    "kernel is for one launch; launches takes its kernels from "
                    "kernels = {{name =, signature = {rows}}}");
  l->ex->most_launches =
      (int)fields_number(l, "most_launches", USUAL_LAUNCHES, 1);
  if (l->ex->most_launches > MAX_LAUNCHES)
    fields_fault_of(l, "most_launches", "most_launches is at most %d",
                    MAX_LAUNCHES);
}

static bool is_name(const char *text) {
  size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                          "0123456789_");
  return n && !text[n] && (text[0] < '0' || text[0] > '9');
}

static void load_kind(struct fields *l) {
  struct exercise *ex = l->ex;
  char *kind = fields_string(l, "kind", "cuda");
  int k = 0;
  while (k < KINDS && strcmp(kind, kinds[k]))
    k++;
  if (k < KINDS)
    ex->kind = (enum exercise_kind)k;
  else
    fields_fault(
        l, "kind is \"cuda\", \"lua\", \"host\" or \"batch\", not \"%.40s\"",
        kind);
  free(kind);
  fields_check(l, FIELD_EXERCISE);
  if (ex->kind == EXERCISE_CUDA)
    load_launches(l);
  if (!ex->most_launches && ex->kind != EXERCISE_BATCH)
    ex->kernel =
        fields_string(l, exercise_is_lua(ex->kind) ? "entry" : "kernel", NULL);
  if (ex->kernel && !is_name(ex->kernel))
    fields_fault(l, "%s: \"%.80s\" is no name of a function",
                 exercise_is_lua(ex->kind) ? "entry" : "kernel", ex->kernel);
  if (ex->kernel && strlen(ex->kernel) > 63)
    fields_fault(l, "the name \"%.80s\" has more than 63 letters", ex->kernel);
}

// The lines of the function at the top of the stack, each behind "//  " and
// moved to the left as far as the first one can be.
static void add_lines(struct fields *l, struct str *out) {
  lua_Debug ar;
  const char *at = l->text;
  lua_getinfo(l->L, ">S", &ar);
  for (int line = 1; line < ar.linedefined && strchr(at, '\n'); line++)
    at = strchr(at, '\n') + 1;
  size_t left = strspn(at, " ");
  for (int line = ar.linedefined; line <= ar.lastlinedefined; line++) {
    size_t bytes = strcspn(at, "\n"), spaces = strspn(at, " ");
    size_t skip = spaces < left ? spaces : left;
    str_add(out, skip < bytes ? "//   " : "//");
    str_add_bytes(out, at + skip, bytes - skip);
    str_add_char(out, '\n');
    at += bytes + (at[bytes] != 0);
  }
}

// Who writes kernels for several launches must know how they are launched: the
// starter begins with the function, as it is.
static void show_launches(struct fields *l) {
  struct str out = STR_INIT;
  str_add(&out, "// What the host does, in Lua:\n//\n");
  lua_getfield(l->L, -1, "launches");
  add_lines(l, &out); // which pops it
  str_addf(&out, "//\n%s", l->ex->starter);
  free(l->ex->starter);
  l->ex->starter = str_take(&out);
}

// The kernels that an answer of kind host launches: a file of the exercise's.
static void load_host_kernels(struct fields *l) {
  struct exercise *ex = l->ex;
  if (ex->kind != EXERCISE_HOST)
    return;
  ex->host_file = fields_string(l, "kernels", NULL);
  if (strchr(ex->host_file, '/') || strlen(ex->host_file) > 63)
    fields_fault(l,
                 "kernels names a file of the exercise's folder, not "
                 "\"%.80s\"",
                 ex->host_file);
  ex->host_source = read_part(l, ex->host_file);
}

// A function in Lua is counted as a whole.
static void check_lua_budget(struct fields *l) {
  if (exercise_is_lua(l->ex->kind) && l->ex->budget > LUA_BUDGET)
    fields_fault_of(l, "budget", "budget is at most %d", LUA_BUDGET);
}

// `hints = false` says that there shall be none; a table that is empty or short
// was forgotten.
static void load_hints(struct fields *l) {
  bool has_none = lua_getfield(l->L, -1, "hints") == LUA_TBOOLEAN &&
                  !lua_toboolean(l->L, -1);
  lua_pop(l->L, 1);
  if (!has_none)
    l->ex->hints = fields_strings(l, "hints", 2, 5, &l->ex->hint_count);
}

static void load_hardware(struct fields *l) {
  struct exercise_hardware *h = &l->ex->hardware;
  int type = lua_getfield(l->L, -1, "hardware");
  if (type == LUA_TTABLE) {
    fields_check(l, FIELD_HARDWARE);
    h->capability = (int)(10 * fields_number(l, "capability", 0, 0) + 0.5);
    h->memory_bytes = (uint64_t)fields_number(l, "memory", 0, 0);
    h->gpu = fields_flag(l, "gpu");
    if (h->capability > 999)
      fields_fault(l, "hardware: capability is a number such as 9.0");
  } else if (type != LUA_TNIL) {
    fields_fault_of(l, "hardware",
                    "hardware must be a table {capability =, memory =, gpu =}");
  }
  lua_pop(l->L, 1);
}

char *exercise_hardware_text(const struct exercise *ex) {
  const struct exercise_hardware *h = &ex->hardware;
  struct str s = STR_INIT;
  if (h->gpu)
    str_add(&s, "a real GPU");
  if (h->capability)
    str_addf(&s, "%scompute capability %d.%d", s.len ? ", " : "",
             h->capability / 10, h->capability % 10);
  if (h->memory_bytes)
    str_addf(&s, "%s%.3g GiB of device memory", s.len ? ", " : "",
             (double)h->memory_bytes / (double)(1 << 30));
  return s.len ? str_take(&s) : NULL;
}

// One paragraph, however it is broken into lines.
static void load_editorial(struct fields *l) {
  enum { LEAST = 60, MOST = 400 };
  char *text = fields_string(l, "editorial", ""), *to = text;
  for (const char *at = text; *at; at++)
    if (!strchr(" \n", *at) || (to > text && to[-1] != ' '))
      *to++ = *at == '\n' ? ' ' : *at;
  while (to > text && to[-1] == ' ')
    to--;
  *to = 0;
  size_t bytes = (size_t)(to - text);
  if (bytes && (bytes < LEAST || bytes > MOST))
    fields_fault_of(l, "editorial",
                    "editorial has %zu letters: two to four sentences, %d to "
                    "%d, on what the solution costs and what comes next",
                    bytes, LEAST, MOST);
  l->ex->editorial = bytes ? xstrdup(text) : NULL;
  free(text);
}

// What a kernel or a function is given, and what must come of it.
static void load_program(struct fields *l) {
  load_hardware(l);
  signature_load(l);
  load_cases(l);
  exercise_rank_load(l);
  load_reference(l);
  load_host_kernels(l);
  load_rules(l, "goal", true);
  load_rules(l, "efficiency", false);
  load_requires(l);
  check_lua_budget(l);
}

static void load_fields(struct fields *l) {
  struct exercise *ex = l->ex;
  load_kind(l);
  ex->title = fields_string(l, "title", NULL);
  ex->task = fields_string(l, "task", "");
  ex->minutes = (int)fields_number(l, "minutes", 0, 1);
  ex->points = fields_number(l, "points", 10, 0);
  ex->budget = (uint64_t)fields_number(
      l, "budget", exercise_is_lua(ex->kind) ? LUA_BUDGET : 1000000, 1);
  ex->needs = fields_strings(l, "needs", 0, 20, &ex->need_count);
  load_hints(l);
  load_editorial(l);
  if (ex->kind == EXERCISE_BATCH)
    exercise_script_load(l);
  else
    load_program(l);
  exercise_solution_load(l);
  if (!l->err && ex->most_launches)
    show_launches(l);
  if (!ex->is_copy)
    check_breaks(l);
}

// The last part of its path; where that is "." or "..", of where it leads to.
static char *folder_name(const char *folder) {
  char *copy = xstrdup(folder);
  size_t n = strlen(copy);
  while (n > 1 && copy[n - 1] == '/')
    copy[--n] = 0;
  const char *slash = strrchr(copy, '/'), *last = slash ? slash + 1 : copy;
  char *whole =
      strcmp(last, ".") && strcmp(last, "..") ? NULL : realpath(copy, NULL);
  last = whole ? strrchr(whole, '/') + 1 : last;
  char *name = xstrdup(*last ? last : copy);
  free(whole);
  free(copy);
  return name;
}

// An exercise of a course lies in its folder exercises/.
static void load_lock(struct fields *l) {
  char *folder = xasprintf("%s/../..", l->ex->folder);
  struct course *c = NULL;
  if (course_is_folder(folder))
    l->err = course_load(folder, &c, l->e);
  l->ex->is_locked = c && c->locks_solutions;
  course_free(c);
  free(folder);
}

enum err exercise_load(const char *name, struct exercise **out,
                       struct err_info *e) {
  *out = NULL;
  char *folder = find_folder(name, e);
  if (!folder)
    return ERR_NOT_FOUND;
  struct exercise *ex = xcalloc(1, sizeof *ex);
  struct fields l = {.ex = ex, .e = e};
  ex->folder = folder;
  ex->name = folder_name(folder);
  load_lock(&l);
  char *text = read_part(&l, "exercise.lua");
  if (!l.err)
    l.err = sandbox_open(text, ex->folder, &ex->L, e);
  if (!l.err) {
    l.L = ex->L;
    l.text = text;
    ex->private_folder = exercise_private_folder(folder, ex->name);
    exercise_private_merge(&l);
    load_fields(&l);
  }
  free(text);
  if (l.err)
    exercise_free(ex);
  else
    *out = ex;
  return l.err;
}

enum err exercise_call(const struct exercise *ex, int arguments, int results,
                       struct err_info *e) {
  return sandbox_call(ex->L, arguments, results, e);
}

void exercise_free(struct exercise *ex) {
  if (!ex)
    return;
  signature_free(ex);
  for (int i = 0; i < ex->case_count; i++) {
    free(ex->cases[i].name);
    free(ex->cases[i].release);
    free(ex->cases[i].row);
  }
  for (int i = 0; i < ex->mutant_count; i++) {
    free(ex->mutants[i].name);
    free(ex->mutants[i].breaks);
    free(ex->mutants[i].source);
    free(ex->mutants[i].explain);
  }
  efficiency_rules_free(ex->rules, ex->rule_count);
  requires_free(ex->requires, ex->require_count);
  exercise_script_free(ex);
  exercise_names_free(ex->hints, ex->hint_count);
  free(ex->editorial);
  exercise_names_free(ex->needs, ex->need_count);
  char *texts[] = {ex->name,        ex->folder,    ex->title,
                   ex->task,        ex->kernel,    ex->starter,
                   ex->solution,    ex->written,   ex->tolerance_reason,
                   ex->host_source, ex->host_file, ex->private_folder};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    free(texts[i]);
  free(ex->cases);
  free(ex->mutants);
  if (ex->L)
    sandbox_close(ex->L);
  free(ex);
}
