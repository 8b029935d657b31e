// SPDX-License-Identifier: Apache-2.0
// The fields `signature` and `kernels`: what the exercise gives and what it wants
// back, and which kernels are handed in.
#include "grade/exercise/exercise_signature.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

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

static enum direction parse_direction(struct fields *l, const char *text) {
  static const char *const names[] = {"value",   "in",       "out",    "inout",
                                      "scratch", "constant", "texture"};
  enum { DIRECTIONS = sizeof names / sizeof *names };
  for (int i = 0; i < DIRECTIONS; i++)
    if (text && !strcmp(text, names[i]))
      return (enum direction)i;
  fields_fault(
      l,
      "signature: the direction \"%.40s\" is none of value, in, out, "
      "inout; scratch for memory that nobody judges; constant; texture",
      text ? text : "");
  return PARAM_VALUE;
}

// What is given to a Lua function is not what it returns.
static void check_lua_param(struct fields *l, struct exercise_param *p) {
  if (!parse_lua_type(p->declared, &p->dtype, &p->is_array))
    fields_fault(l,
                 "signature: the type \"%s\" of %s is not known; an array's is "
                 "\"f32[]\", a number's \"f32\"",
                 p->declared, p->name);
  else if (p->direction > PARAM_OUT)
    fields_fault(l,
                 "signature: %s is %s; a Lua function is given arguments and "
                 "returns results",
                 p->name,
                 p->direction == PARAM_INOUT ? "inout" : "for kernels alone");
  else if (p->direction != PARAM_OUT &&
           p->is_array != (p->direction == PARAM_IN))
    fields_fault(l, "signature: %s is \"%s\"; in is an array, value a number",
                 p->name, p->declared);
}

// "float[9]" -> f32, with room for 9.
static void load_constant(struct fields *l, struct exercise_param *p) {
  char *type = xstrndup(p->declared, strcspn(p->declared, "["));
  unsigned room = 0;
  char end = 0, tail = 0;
  bool is_pointer;
  if (sscanf(p->declared + strlen(type), "[%u%c%c", &room, &end, &tail) != 2 ||
      end != ']' || !room || room > 1 << 14 ||
      !parse_type(type, &p->dtype, &is_pointer) || is_pointer)
    fields_fault(l,
                 "signature: the constant %s is \"%s\"; that of a __constant__ "
                 "array has a number of elements: \"float[9]\"",
                 p->name, p->declared);
  p->room = room;
  free(type);
}

// Option `key` of the row on top, one of the words; the first where it is
// missing.
static int get_word(struct fields *l, const char *key, const char *const *words,
                    int count) {
  char *word = fields_string(l, key, words[0]);
  int found = -1;
  struct str list = STR_INIT;
  for (int i = 0; i < count; i++) {
    str_addf(&list, "%s\"%s\"", i ? ", " : "", words[i]);
    if (!strcmp(word, words[i]))
      found = i;
  }
  if (found < 0)
    fields_fault(l, "signature: %s is one of %s, not \"%.40s\"", key, list.data,
                 word);
  str_free(&list);
  free(word);
  return found < 0 ? 0 : found;
}

// {"texture", "float", "image", filter =, address =, normalized =}
static void load_texture(struct fields *l, struct exercise_param *p) {
  static const char *const filters[] = {"point", "linear"};
  static const char *const modes[] = {"clamp", "wrap", "mirror", "border"};
  static const enum gpu_address_mode mode_of[] = {
      GPU_ADDRESS_CLAMP, GPU_ADDRESS_WRAP, GPU_ADDRESS_MIRROR,
      GPU_ADDRESS_BORDER};
  fields_check(l, FIELD_TEXTURE);
  p->dtype = DTYPE_F32;
  if (strcmp(p->declared, "float"))
    fields_fault(l,
                 "signature: the texture %s is \"%s\"; its elements are "
                 "\"float\"",
                 p->name, p->declared);
  p->filter = (enum gpu_filter)get_word(l, "filter", filters, 2);
  p->address_mode = mode_of[get_word(l, "address", modes, 4)];
  p->is_normalized = fields_flag(l, "normalized");
}

// One row {"in", "const float *", "x"} on top of the stack.
static void load_param(struct fields *l, struct exercise_param *p) {
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
  bool is_lua = exercise_is_lua(l->ex->kind);
  if (!*p->name || strlen(p->name) > 31 || lua_rawlen(l->L, -1) > 3)
    fields_fault(l, "a row of signature is {direction, type, name}");
  else if (is_lua)
    check_lua_param(l, p);
  else if (p->direction == PARAM_CONSTANT)
    load_constant(l, p);
  else if (p->direction == PARAM_TEXTURE)
    load_texture(l, p);
  else if (!parse_type(p->declared, &p->dtype, &is_pointer))
    fields_fault(l, "signature: the type \"%s\" of %s is not known",
                 p->declared, p->name);
  else if (is_pointer != (p->direction != PARAM_VALUE))
    fields_fault(
        l, "signature: %s is \"%s\"; a value has no star, an array has one",
        p->name, p->declared);
  if (!is_lua)
    p->is_array = p->direction != PARAM_VALUE;
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

// The rows at field `signature` of the table on top.
static int load_params(struct fields *l, struct exercise_param *params) {
  int count = fields_list(l, "signature", 1, EXERCISE_MAX_PARAMS);
  for (int i = 0; i < count; i++) {
    if (lua_rawgeti(l->L, -1, i + 1) != LUA_TTABLE) {
      fields_fault(l, "signature[%d] must be {direction, type, name}", i + 1);
      lua_newtable(l->L);
      lua_replace(l->L, -2);
    }
    load_param(l, &params[i]);
    lua_pop(l->L, 1);
  }
  lua_pop(l->L, 1);
  return count;
}

// ---- Kernels ----

// "__global__ void add(const float *x, float *y)"
static char *kernel_signature(const struct exercise_kernel *k) {
  struct str s = STR_INIT;
  str_addf(&s, "__global__ void %s(", k->name);
  for (int i = 0; i < k->param_count; i++) {
    const struct exercise_param *p = &k->params[i];
    const char *type =
        p->direction == PARAM_TEXTURE ? "cudaTextureObject_t" : p->declared;
    str_addf(&s, "%s%s%s%s", i ? ", " : "", type,
             str_ends(type, "*") ? "" : " ", p->name);
  }
  str_add(&s, ")");
  return str_take(&s);
}

// One kernel, launched once: its parameters are the exercise's.
static void load_only_kernel(struct fields *l) {
  struct exercise *ex = l->ex;
  struct exercise_kernel *k = xcalloc(1, sizeof *k);
  ex->kernels = k;
  ex->kernel_count = 1;
  k->name = xstrdup(ex->kernel);
  for (int i = 0; i < ex->param_count; i++) {
    if (ex->params[i].direction == PARAM_CONSTANT)
      continue;
    struct exercise_param *p = &k->params[k->param_count++];
    *p = ex->params[i];
    p->name = xstrdup(ex->params[i].name);
    p->declared = xstrdup(ex->params[i].declared);
  }
  k->signature = kernel_signature(k);
}

// {name =, signature = {rows}}, on top.
static void load_kernel(struct fields *l, struct exercise_kernel *k) {
  fields_check(l, FIELD_KERNEL);
  k->name = fields_string(l, "name", NULL);
  k->param_count = load_params(l, k->params);
  if (strlen(k->name) > 63)
    fields_fault(l, "the name \"%.80s\" has more than 63 letters", k->name);
  for (int i = 0; i < k->param_count; i++)
    if (k->params[i].direction == PARAM_SCRATCH ||
        k->params[i].direction == PARAM_CONSTANT)
      fields_fault(
          l,
          "kernels: %s of %s is %s; a kernel's parameter is value, in, "
          "out, inout or texture",
          k->params[i].name, k->name,
          k->params[i].direction == PARAM_SCRATCH ? "scratch" : "constant");
  k->signature = kernel_signature(k);
}

static void load_kernels(struct fields *l) {
  struct exercise *ex = l->ex;
  int count = fields_list(l, "kernels", 1, EXERCISE_MAX_KERNELS);
  ex->kernels = xcalloc((size_t)count + 1, sizeof *ex->kernels);
  for (int i = 0; i < count && !l->err; i++) {
    struct exercise_kernel *k = &ex->kernels[ex->kernel_count++];
    if (lua_rawgeti(l->L, -1, i + 1) == LUA_TTABLE)
      load_kernel(l, k);
    else
      fields_fault(l, "kernels[%d] must be {name =, signature = {rows}}",
                   i + 1);
    lua_pop(l->L, 1);
    for (int n = 0; n < i && !l->err; n++)
      if (!strcmp(k->name, ex->kernels[n].name))
        fields_fault(l, "two kernels are named \"%s\"", k->name);
  }
  lua_pop(l->L, 1);
}

void exercise_add_constant(const struct exercise_param *p, struct str *out) {
  size_t type = strcspn(p->declared, "[");
  str_addf(out, "__constant__ %.*s %s%s", (int)type, p->declared, p->name,
           p->declared + type);
}

// A line for each constant and each kernel.
static char *kernel_signatures(const struct exercise *ex) {
  struct str s = STR_INIT;
  for (int i = 0; i < ex->param_count; i++)
    if (ex->params[i].direction == PARAM_CONSTANT) {
      exercise_add_constant(&ex->params[i], &s);
      str_add(&s, "\n");
    }
  for (int i = 0; i < ex->kernel_count; i++)
    str_addf(&s, "%s%s", i ? "\n" : "",
             ex->kernels[i].signature ? ex->kernels[i].signature : "");
  return str_take(&s);
}

bool signature_has_types(const struct exercise *ex, const char *types) {
  int i = 0;
  for (const char *p = types; *p; p += strspn(p, ", "), i++) {
    size_t n = strcspn(p, ",");
    char *type = xstrndup(p, n);
    enum dtype dtype;
    bool is_pointer, is_known = parse_type(type, &dtype, &is_pointer);
    free(type);
    if (!is_known || i == ex->param_count || ex->params[i].dtype != dtype ||
        is_pointer == (ex->params[i].direction == PARAM_VALUE))
      return false;
    p += n;
  }
  return i == ex->param_count;
}

void signature_load(struct fields *l) {
  struct exercise *ex = l->ex;
  bool has_result = false;
  ex->param_count = load_params(l, ex->params);
  for (int i = 0; i < ex->param_count; i++)
    has_result |= exercise_is_result(&ex->params[i]);
  if (!has_result)
    fields_fault(l,
                 "signature has no out or inout array: nothing can be judged");
  if (exercise_is_lua(ex->kind)) {
    ex->signature = lua_signature(ex);
    return;
  }
  if (ex->most_launches)
    load_kernels(l);
  else
    load_only_kernel(l);
  ex->signature = kernel_signatures(ex);
  if (!ex->kernel)
    ex->kernel = xstrdup(
        ex->kernel_count && ex->kernels[0].name ? ex->kernels[0].name : "");
}

static void free_params(struct exercise_param *params, int count) {
  for (int i = 0; i < count; i++) {
    free(params[i].declared);
    free(params[i].name);
  }
}

void signature_free(struct exercise *ex) {
  free_params(ex->params, ex->param_count);
  for (int i = 0; i < ex->kernel_count; i++) {
    free_params(ex->kernels[i].params, ex->kernels[i].param_count);
    free(ex->kernels[i].name);
    free(ex->kernels[i].signature);
  }
  free(ex->kernels);
  free(ex->signature);
}
