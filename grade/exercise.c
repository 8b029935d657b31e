// SPDX-License-Identifier: Apache-2.0
// Loading an exercise: exercise.lua is run in a Lua state of its own that has
// no way out (no files, no processes, a limit on its instructions), and every
// field of the table that it returns is checked, so that a broken exercise is
// a sentence and never a wrong grade.
#include "grade/exercise.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "base/str.h"
#include "grade/efficiency.h"
#include "grade/requires.h"
#include "grade/sandbox.h"
#include "grade/source.h"

enum {
  MAX_FILE_BYTES = 1 << 20,
  LUA_BUDGET = 1 << 28, // units of work (learner_count.h): one to three seconds
};

const char *exercise_solution_name(enum exercise_kind kind) {
  return kind == EXERCISE_LUA ? "solution.lua" : "solution.cu";
}

const char *exercise_comment(enum exercise_kind kind) {
  return kind == EXERCISE_LUA ? "--" : "//";
}

// ---- The index ----

enum err exercise_names(char ***out, int *count, struct err_info *e) {
  char *path = file_own("exercises/index"), *text = NULL;
  size_t bytes;
  *out = NULL;
  *count = 0;
  if (!path)
    return err_set(e, ERR_NOT_FOUND,
                   "exercises/index is not where warpshop was built or "
                   "installed; WARPSHOP_HOME can name the folder");
  enum err err = file_read(path, MAX_FILE_BYTES, &text, &bytes, e);
  free(path);
  if (err)
    return err;
  char *rest = text, *line;
  while ((line = strsep(&rest, "\n"))) {
    if (!*line || *line == '#')
      continue;
    *out = xrealloc(*out, (size_t)(*count + 1) * sizeof **out);
    (*out)[(*count)++] = xstrdup(line);
  }
  free(text);
  return ERR_OK;
}

void exercise_names_free(char **names, int count) {
  for (int i = 0; i < count; i++)
    free(names[i]);
  free(names);
}

// The folder of a name in the index; NULL and a sentence when it is not there.
static char *find_folder(const char *name, struct err_info *e) {
  if (strchr(name, '/'))
    return xstrdup(name);
  char **names, *folder = NULL;
  int count;
  if (exercise_names(&names, &count, e))
    return NULL;
  struct str list = STR_INIT;
  struct nearest near = nearest_to(name);
  for (int i = 0; i < count; i++) {
    nearest_try(&near, names[i], strlen(names[i]));
    str_addf(&list, "%s%s", i ? ", " : "", names[i]);
    if (strcmp(names[i], name))
      continue;
    char *relative = xasprintf("exercises/%s", name);
    folder = file_own(relative);
    free(relative);
  }
  if (!folder && near.name)
    err_set(e, ERR_NOT_FOUND, "no exercise \"%.80s\"; did you mean %s?", name,
            near.name);
  else if (!folder)
    err_set(e, ERR_NOT_FOUND,
            "no exercise \"%.80s\"; there are: %s (a folder is named with a "
            "slash: ./%.80s)",
            name, list.data, name);
  str_free(&list);
  exercise_names_free(names, count);
  return folder;
}

// ---- Fields of the description ----

// The first fault found; loading goes on with defaults, which never get out.
struct loader {
  lua_State *L;
  struct exercise *ex;
  struct err_info *e;
  enum err err;
};

static void fault(struct loader *l, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static void fault(struct loader *l, const char *fmt, ...) {
  char text[512];
  va_list ap;
  if (l->err)
    return;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  l->err =
      err_set(l->e, ERR_ARGUMENT, "%s/exercise.lua: %s", l->ex->folder, text);
}

// The string at field `key` of the table on top; `fallback` NULL: it must be
// there.
static char *get_string(struct loader *l, const char *key,
                        const char *fallback) {
  const char *text = fallback;
  if (lua_getfield(l->L, -1, key) == LUA_TSTRING)
    text = lua_tostring(l->L, -1);
  else if (!fallback || !lua_isnil(l->L, -1))
    fault(l, "%s must be a text", key);
  char *copy = xstrdup(text ? text : "");
  lua_pop(l->L, 1);
  return copy;
}

static double get_number(struct loader *l, const char *key, double fallback,
                         double least) {
  double value = fallback;
  int type = lua_getfield(l->L, -1, key);
  if (type == LUA_TNUMBER)
    value = lua_tonumber(l->L, -1);
  else if (type != LUA_TNIL)
    fault(l, "%s must be a number", key);
  lua_pop(l->L, 1);
  if (!(value >= least))
    fault(l, "%s must be at least %g", key, least);
  return value;
}

static bool get_flag(struct loader *l, const char *key) {
  lua_getfield(l->L, -1, key);
  bool value = lua_toboolean(l->L, -1);
  lua_pop(l->L, 1);
  return value;
}

// Pushes the list at `key` (an empty one where it is missing) and returns its
// length, which must be between the bounds.
static int push_list(struct loader *l, const char *key, int least, int most) {
  if (lua_getfield(l->L, -1, key) != LUA_TTABLE) {
    if (!lua_isnil(l->L, -1))
      fault(l, "%s must be a list", key);
    lua_pop(l->L, 1);
    lua_newtable(l->L);
  }
  int count = (int)lua_rawlen(l->L, -1);
  if (count < least || count > most)
    fault(l, "%s has %d entries; %d to %d are needed", key, count, least, most);
  return l->err ? 0 : count;
}

static char **get_strings(struct loader *l, const char *key, int least,
                          int most, int *count) {
  *count = push_list(l, key, least, most);
  char **list = xcalloc((size_t)*count + 1, sizeof *list);
  for (int i = 0; i < *count; i++) {
    if (lua_rawgeti(l->L, -1, i + 1) != LUA_TSTRING)
      fault(l, "%s[%d] must be a text", key, i + 1);
    const char *text = lua_tostring(l->L, -1);
    list[i] = xstrdup(text ? text : "");
    lua_pop(l->L, 1);
  }
  lua_pop(l->L, 1);
  return list;
}

// ---- Signature ----

static const struct {
  const char *c;
  enum dtype dtype;
} c_types[] = {
    {"float", DTYPE_F32},
    {"double", DTYPE_F64},
    {"int", DTYPE_I32},
    {"unsigned", DTYPE_U32},
    {"unsigned int", DTYPE_U32},
    {"long long", DTYPE_I64},
    {"char", DTYPE_I8},
    {"signed char", DTYPE_I8},
    {"unsigned char", DTYPE_U8},
    {"short", DTYPE_I16},
    {"unsigned short", DTYPE_U16},
    {"unsigned long long", DTYPE_U64},
    {"__half", DTYPE_F16},
    {"bool", DTYPE_BOOL},
};

// "const float *" -> f32, with a star; false when it is none of the table's.
static bool parse_type(const char *declared, enum dtype *t, bool *is_pointer) {
  const char *start = declared;
  if (str_starts(start, "const "))
    start += 6;
  size_t n = strcspn(start, "*");
  *is_pointer = start[n] == '*' && !start[n + 1];
  if (start[n] && !*is_pointer)
    return false;
  while (n && start[n - 1] == ' ')
    n--;
  for (size_t i = 0; i < sizeof c_types / sizeof *c_types; i++)
    if (strlen(c_types[i].c) == n && !strncmp(c_types[i].c, start, n)) {
      *t = c_types[i].dtype;
      return true;
    }
  return false;
}

// "f32[]" -> f32, an array.
static bool parse_lua_type(const char *declared, enum dtype *t,
                           bool *is_array) {
  char name[16];
  *is_array = str_ends(declared, "[]");
  size_t n = strlen(declared) - (*is_array ? 2 : 0);
  if (n >= sizeof name)
    return false;
  memcpy(name, declared, n);
  name[n] = 0;
  return dtype_parse(name, t) && strchr("biuf", dtype_kind(*t));
}

static enum direction parse_direction(struct loader *l, const char *text) {
  static const char *const names[] = {"value", "in", "out", "inout"};
  for (int i = 0; i < 4; i++)
    if (text && !strcmp(text, names[i]))
      return (enum direction)i;
  fault(l, "a direction in signature must be value, in, out or inout");
  return PARAM_VALUE;
}

// What is given to a Lua function is not what it returns.
static void check_lua_param(struct loader *l, struct exercise_param *p) {
  if (!parse_lua_type(p->declared, &p->dtype, &p->is_array))
    fault(l,
          "signature: the type \"%s\" of %s is not known; an array's is "
          "\"f32[]\", a number's \"f32\"",
          p->declared, p->name);
  else if (p->direction == PARAM_INOUT)
    fault(l,
          "signature: %s is inout; a Lua function is given arguments and "
          "returns results",
          p->name);
  else if (p->direction != PARAM_OUT &&
           p->is_array != (p->direction == PARAM_IN))
    fault(l, "signature: %s is \"%s\"; in is an array, value a number", p->name,
          p->declared);
}

// One row {"in", "const float *", "x"} on top of the stack.
static void load_param(struct loader *l, struct exercise_param *p) {
  bool is_pointer = false;
  const char *part[3];
  for (int i = 0; i < 3; i++) {
    lua_rawgeti(l->L, -1, i + 1);
    part[i] = lua_tostring(l->L, -1);
    lua_pop(l->L, 1); // the row still holds it
  }
  p->direction = parse_direction(l, part[0]);
  p->declared = xstrdup(part[1] ? part[1] : "");
  p->name = xstrdup(part[2] ? part[2] : "");
  bool is_lua = l->ex->kind == EXERCISE_LUA;
  if (!*p->name || strlen(p->name) > 31)
    fault(l, "a row of signature is {direction, type, name}");
  else if (is_lua)
    check_lua_param(l, p);
  else if (!parse_type(p->declared, &p->dtype, &is_pointer))
    fault(l, "signature: the type \"%s\" of %s is not known", p->declared,
          p->name);
  else if (is_pointer != (p->direction != PARAM_VALUE))
    fault(l, "signature: %s is \"%s\"; a value has no star, an array has one",
          p->name, p->declared);
  if (!is_lua)
    p->is_array = is_pointer;
}

// "function newton(f, x) -> root"
static char *lua_signature(const struct exercise *ex) {
  struct str s = STR_INIT;
  str_addf(&s, "function %s(", ex->kernel);
  for (int results = 0; results < 2; results++) {
    const char *between = results ? ") -> " : "";
    for (int i = 0; i < ex->param_count; i++)
      if ((ex->params[i].direction == PARAM_OUT) == results) {
        str_addf(&s, "%s%s: %s", between, ex->params[i].name,
                 ex->params[i].declared);
        between = ", ";
      }
  }
  return str_take(&s);
}

static void load_signature(struct loader *l) {
  struct exercise *ex = l->ex;
  int count = push_list(l, "signature", 1, EXERCISE_MAX_PARAMS);
  struct str text = STR_INIT;
  bool has_result = false;
  str_addf(&text, "__global__ void %s(", ex->kernel);
  for (int i = 0; i < count; i++) {
    struct exercise_param *p = &ex->params[ex->param_count++];
    if (lua_rawgeti(l->L, -1, i + 1) != LUA_TTABLE) {
      fault(l, "signature[%d] must be {direction, type, name}", i + 1);
      lua_newtable(l->L);
      lua_replace(l->L, -2);
    }
    load_param(l, p);
    lua_pop(l->L, 1);
    has_result |= p->direction == PARAM_OUT || p->direction == PARAM_INOUT;
    str_addf(&text, "%s%s%s%s", i ? ", " : "", p->declared,
             str_ends(p->declared, "*") ? "" : " ", p->name);
  }
  lua_pop(l->L, 1);
  str_add(&text, ")");
  ex->signature = str_take(&text);
  if (ex->kind == EXERCISE_LUA) {
    free(ex->signature);
    ex->signature = lua_signature(ex);
  }
  if (!has_result)
    fault(l, "signature has no out or inout array: nothing can be judged");
}

// ---- Tolerance and cases ----

// The table at field "tolerance", over `base`; it must give its reason.
static struct tolerance get_tolerance(struct loader *l, struct tolerance base,
                                      bool is_needed, char **reason) {
  struct tolerance t = base;
  if (lua_getfield(l->L, -1, "tolerance") == LUA_TTABLE) {
    t = (struct tolerance){
        .abs = get_number(l, "abs", 0, 0),
        .rel = get_number(l, "rel", 0, 0),
        .ulp = (int64_t)get_number(l, "ulp", 0, 0),
        .allow_nan = get_flag(l, "allow_nan"),
        .signed_zero = get_flag(l, "signed_zero"),
    };
    char *text = get_string(l, "reason", NULL);
    if (reason)
      *reason = text;
    else
      free(text);
  } else if (is_needed || !lua_isnil(l->L, -1)) {
    fault(l, "tolerance must be a table with its reason");
  }
  lua_pop(l->L, 1);
  return t;
}

static void load_cases(struct loader *l) {
  struct exercise *ex = l->ex;
  struct tolerance usual =
      get_tolerance(l, (struct tolerance){0}, true, &ex->tolerance_reason);
  ex->case_count = push_list(l, "cases", 1, 100);
  ex->cases = xcalloc((size_t)ex->case_count + 1, sizeof *ex->cases);
  double visible = 0;
  for (int i = 0; i < ex->case_count; i++) {
    struct exercise_case *c = &ex->cases[i];
    if (lua_rawgeti(l->L, -1, i + 1) != LUA_TTABLE) {
      fault(l, "cases[%d] must be a table", i + 1);
      ex->case_count = i;
      lua_pop(l->L, 1);
      break;
    }
    c->name = get_string(l, "name", NULL);
    c->is_hidden = get_flag(l, "hidden");
    c->weight = get_number(l, "weight", 1, 0);
    c->tolerance = get_tolerance(l, usual, false, NULL);
    visible += c->is_hidden ? 0 : c->weight;
    lua_pop(l->L, 1);
    for (int k = 0; k < i; k++)
      if (!strcmp(c->name, ex->cases[k].name))
        fault(l, "two cases are named \"%s\"", c->name);
  }
  lua_pop(l->L, 1);
  if (!(visible > 0))
    fault(l, "cases: at least one that is not hidden must have a weight");
  if (lua_getfield(l->L, -1, "make") != LUA_TFUNCTION)
    fault(l, "make must be a function(case, rng) that returns the arguments "
             "and {grid, block}");
  lua_pop(l->L, 1);
}

static void load_reference(struct loader *l) {
  int type = lua_getfield(l->L, -1, "reference");
  if (type == LUA_TSTRING) {
    l->ex->reference = reference_find(lua_tostring(l->L, -1));
    if (!l->ex->reference)
      fault(l, "reference: kernels/kernels.def has no \"%s\"",
            lua_tostring(l->L, -1));
  } else if (type != LUA_TFUNCTION) {
    fault(l, "reference must name a kernel of kernels/kernels.def or be a "
             "function(args, launch)");
  }
  lua_pop(l->L, 1);
}

// ---- Mutants and rules ----

static void load_mutant(struct loader *l, const char *solution,
                        struct exercise_mutant *m) {
  struct err_info why;
  m->name = get_string(l, "name", NULL);
  m->explain = get_string(l, "explain", NULL);
  char *breaks = get_string(l, "breaks", "");
  m->breaks = *breaks ? breaks : NULL;
  if (!m->breaks)
    free(breaks);
  char *pair[2] = {NULL, NULL};
  if (lua_getfield(l->L, -1, "replace") == LUA_TTABLE)
    for (int i = 0; i < 2; i++) {
      lua_rawgeti(l->L, -1, i + 1);
      if (lua_type(l->L, -1) == LUA_TSTRING)
        pair[i] = xstrdup(lua_tostring(l->L, -1));
      lua_pop(l->L, 1);
    }
  lua_pop(l->L, 1);
  if (!pair[0] || !pair[1])
    fault(l, "mutant \"%s\": replace must be {text, other text}", m->name);
  else if (source_mutate(solution, exercise_comment(l->ex->kind), pair[0],
                         pair[1], &m->source, &why))
    fault(l, "mutant \"%s\": %s", m->name, why.text);
  free(pair[0]);
  free(pair[1]);
}

static void load_mutants(struct loader *l, const char *solution) {
  struct exercise *ex = l->ex;
  ex->mutant_count = push_list(l, "mutants", 4, 40);
  ex->mutants = xcalloc((size_t)ex->mutant_count + 1, sizeof *ex->mutants);
  for (int i = 0; i < ex->mutant_count; i++) {
    if (lua_rawgeti(l->L, -1, i + 1) == LUA_TTABLE)
      load_mutant(l, solution, &ex->mutants[i]);
    else
      fault(l, "mutants[%d] must be {name =, replace =, explain =}", i + 1);
    lua_pop(l->L, 1);
    if (l->err) {
      ex->mutant_count = i + 1;
      break;
    }
  }
  lua_pop(l->L, 1);
}

static bool has_case(const struct exercise *ex, const char *name) {
  for (int i = 0; i < ex->case_count; i++)
    if (!strcmp(ex->cases[i].name, name))
      return true;
  return false;
}

// "counter <= number", or {that, points =, cases = {names}}, on top.
static void load_rule(struct loader *l, const char *key, bool is_goal) {
  struct efficiency_rule *r = &l->ex->rules[l->ex->rule_count];
  struct err_info e;
  bool is_table = lua_istable(l->L, -1);
  if (is_table)
    lua_rawgeti(l->L, -1, 1);
  else
    lua_pushvalue(l->L, -1);
  const char *text =
      lua_type(l->L, -1) == LUA_TSTRING ? lua_tostring(l->L, -1) : "";
  bool is_rule = efficiency_parse(text, r, &e);
  lua_pop(l->L, 1);
  if (!is_rule) {
    fault(l, "%s: %s", key, e.text);
    return;
  }
  l->ex->rule_count++;
  r->is_goal = is_goal;
  if (!is_table)
    return;
  r->points = get_number(l, "points", 0, 0);
  r->cases = get_strings(l, "cases", 0, 100, &r->case_count);
  if (is_goal && r->points > 0)
    fault(l, "goal: \"%s\" decides the verdict; points are for efficiency",
          r->text);
  for (int i = 0; i < r->case_count; i++)
    if (!has_case(l->ex, r->cases[i]))
      fault(l, "%s: there is no case \"%s\"", key, r->cases[i]);
}

static void load_rules(struct loader *l, const char *key, bool is_goal) {
  int count = push_list(l, key, 0, 20);
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

static void load_requires(struct loader *l) {
  int count;
  char **texts = get_strings(l, "requires", 0, 20, &count);
  l->ex->requires = xcalloc((size_t)count + 1, sizeof *l->ex->requires);
  for (int i = 0; i < count; i++) {
    struct err_info e;
    struct requirement *r = &l->ex->requires[l->ex->require_count];
    if (requires_parse(texts[i], r, &e))
      l->ex->require_count++;
    else
      fault(l, "requires: %s", e.text);
  }
  exercise_names_free(texts, count);
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
static void check_breaks(struct loader *l) {
  const struct exercise *ex = l->ex;
  for (int i = 0; i < ex->mutant_count && !l->err; i++)
    if (ex->mutants[i].breaks && !decides(ex, ex->mutants[i].breaks))
      fault(l,
            "mutant \"%s\" breaks \"%s\", which is no goal and no "
            "requirement",
            ex->mutants[i].name, ex->mutants[i].breaks);
  for (int i = 0; i < ex->require_count && !l->err; i++)
    if (!is_broken_by(ex, ex->requires[i].text))
      fault(l, "requires: no mutant breaks \"%s\"", ex->requires[i].text);
  for (int i = 0; i < ex->rule_count && !l->err; i++)
    if (ex->rules[i].is_goal && !is_broken_by(ex, ex->rules[i].text))
      fault(l, "goal: no mutant breaks \"%s\"", ex->rules[i].text);
}

// ---- Loading ----

static char *read_part(struct loader *l, const char *name) {
  char *path = xasprintf("%s/%s", l->ex->folder, name), *text = NULL;
  size_t bytes;
  if (!l->err)
    l->err = file_read(path, MAX_FILE_BYTES, &text, &bytes, l->e);
  free(path);
  return text ? text : xstrdup("");
}

static void load_kind(struct loader *l) {
  struct exercise *ex = l->ex;
  char *kind = get_string(l, "kind", "cuda");
  if (!strcmp(kind, "lua"))
    ex->kind = EXERCISE_LUA;
  else if (strcmp(kind, "cuda"))
    fault(l, "kind is \"cuda\" or \"lua\", not \"%.40s\"", kind);
  free(kind);
  ex->kernel =
      get_string(l, ex->kind == EXERCISE_LUA ? "entry" : "kernel", NULL);
  if (strlen(ex->kernel) > 63)
    fault(l, "the name \"%.80s\" has more than 63 letters", ex->kernel);
}

// A function in Lua is counted as a whole, which is the budget.
static void check_lua_rules(struct loader *l) {
  const struct exercise *ex = l->ex;
  if (ex->kind == EXERCISE_LUA && (ex->rule_count || ex->require_count))
    fault(l, "goal, efficiency and requires are rules over kernels, which kind "
             "lua has not");
  if (ex->kind == EXERCISE_LUA && ex->budget > LUA_BUDGET)
    fault(l, "budget is at most %d", LUA_BUDGET);
}

static void load_fields(struct loader *l) {
  struct exercise *ex = l->ex;
  load_kind(l);
  ex->title = get_string(l, "title", NULL);
  ex->task = get_string(l, "task", "");
  ex->minutes = (int)get_number(l, "minutes", 0, 1);
  ex->points = get_number(l, "points", 10, 0);
  ex->budget = (uint64_t)get_number(
      l, "budget", ex->kind == EXERCISE_LUA ? LUA_BUDGET : 1000000, 1);
  ex->needs = get_strings(l, "needs", 0, 20, &ex->need_count);
  ex->hints = get_strings(l, "hints", 2, 5, &ex->hint_count);
  load_signature(l);
  load_cases(l);
  load_reference(l);
  load_rules(l, "goal", true);
  load_rules(l, "efficiency", false);
  load_requires(l);
  check_lua_rules(l);
  char *solution = read_part(l, exercise_solution_name(ex->kind));
  const char *comment = exercise_comment(ex->kind);
  if (!l->err)
    l->err = source_cut_starter(solution, comment, &ex->starter, l->e);
  if (!l->err)
    l->err = source_cut_solution(solution, comment, &ex->solution, l->e);
  if (!l->err)
    load_mutants(l, solution);
  free(solution);
  check_breaks(l);
}

static char *folder_name(const char *folder) {
  char *copy = xstrdup(folder);
  size_t n = strlen(copy);
  while (n > 1 && copy[n - 1] == '/')
    copy[--n] = 0;
  const char *slash = strrchr(copy, '/');
  char *name = xstrdup(slash && slash[1] ? slash + 1 : copy);
  free(copy);
  return name;
}

enum err exercise_load(const char *name, struct exercise **out,
                       struct err_info *e) {
  *out = NULL;
  char *folder = find_folder(name, e);
  if (!folder)
    return ERR_NOT_FOUND;
  struct exercise *ex = xcalloc(1, sizeof *ex);
  struct loader l = {.ex = ex, .e = e};
  ex->folder = folder;
  ex->name = folder_name(folder);
  char *text = read_part(&l, "exercise.lua");
  if (!l.err)
    l.err = sandbox_open(text, ex->folder, &ex->L, e);
  if (!l.err) {
    l.L = ex->L;
    load_fields(&l);
  }
  free(text);
  if (l.err)
    exercise_free(ex);
  else
    *out = ex;
  return l.err;
}

void exercise_free(struct exercise *ex) {
  if (!ex)
    return;
  for (int i = 0; i < ex->param_count; i++) {
    free(ex->params[i].declared);
    free(ex->params[i].name);
  }
  for (int i = 0; i < ex->case_count; i++)
    free(ex->cases[i].name);
  for (int i = 0; i < ex->mutant_count; i++) {
    free(ex->mutants[i].name);
    free(ex->mutants[i].breaks);
    free(ex->mutants[i].source);
    free(ex->mutants[i].explain);
  }
  efficiency_rules_free(ex->rules, ex->rule_count);
  requires_free(ex->requires, ex->require_count);
  exercise_names_free(ex->hints, ex->hint_count);
  exercise_names_free(ex->needs, ex->need_count);
  char *texts[] = {ex->name,    ex->folder,   ex->title,
                   ex->task,    ex->kernel,   ex->signature,
                   ex->starter, ex->solution, ex->tolerance_reason};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    free(texts[i]);
  free(ex->cases);
  free(ex->mutants);
  if (ex->L)
    sandbox_close(ex->L);
  free(ex);
}
