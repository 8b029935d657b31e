// SPDX-License-Identifier: Apache-2.0
// Arguments of a launch: each is checked against its parameter's declaration
// and written into the parameter block, or refused in words that name the
// parameter, its type, what was given and the way out. Also the two kinds of
// value that exist for arguments alone: cuda.pointer and cuda.struct.
#include "lua/bind/cuda/l_cuda_args.h"

#include <float.h>
#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lua/bind/cuda/l_cuda_memory.h"
#include "lua/bind/cuda/l_cuda_module.h"
#include "lua/bind/cuda/l_cuda_texture.h"
#include "lua/bind/np/array.h"

// ---- Words ----

// "argument 3 (out, float *)".
static const char *describe(lua_State *L, const struct lkernel *k, int i) {
  const struct nvrtc_param *p = &lkernel_decl(k)->params[i];
  const char *type = p->declared ? p->declared : "a value";
  return p->name ? lua_pushfstring(L, "%s: argument %d (%s, declared %s)",
                                   k->name, i + 1, p->name, type)
                 : lua_pushfstring(L, "%s: argument %d (declared %s)", k->name,
                                   i + 1, type);
}

static const char *param_name(const struct lkernel *k, int i) {
  const char *name = lkernel_decl(k)->params[i].name;
  return name ? name : "x";
}

int lcuda_arg_count_error(lua_State *L, struct lkernel *k, int given) {
  char signature[1024];
  lkernel_signature(k, signature, sizeof signature);
  bind_error(L, ERR_ARGUMENT, "%s takes %d argument%s, not %d: %s", k->name,
             k->param_count, k->param_count == 1 ? "" : "s", given, signature);
}

// The first dtype that a pointer takes.
static enum dtype wanted_dtype(uint32_t dtypes) {
  static const enum dtype order[] = {
      DTYPE_F32, DTYPE_F64, DTYPE_I32,  DTYPE_I64,  DTYPE_U8,
      DTYPE_I16, DTYPE_F16, DTYPE_BF16, DTYPE_BOOL,
  };
  for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
    if (dtypes >> order[i] & 1)
      return order[i];
  return DTYPE_F32;
}

static const char *variable_or_param(lua_State *L, const struct lkernel *k,
                                     int i, const struct array *a) {
  return array_push_name(L, a, param_name(k, i));
}

static const enum dtype dtype_of_type[] = {
    [NVRTC_BOOL] = DTYPE_BOOL, [NVRTC_I8] = DTYPE_I8,
    [NVRTC_U8] = DTYPE_U8,     [NVRTC_I16] = DTYPE_I16,
    [NVRTC_U16] = DTYPE_U16,   [NVRTC_I32] = DTYPE_I32,
    [NVRTC_U32] = DTYPE_U32,   [NVRTC_I64] = DTYPE_I64,
    [NVRTC_U64] = DTYPE_U64,   [NVRTC_F16] = DTYPE_F16,
    [NVRTC_BF16] = DTYPE_BF16, [NVRTC_F32] = DTYPE_F32,
    [NVRTC_F64] = DTYPE_F64,
};

// How to keep what `method` makes, where the kernel writes to it: the learner's
// variable takes it, if there is one.
static const char *push_kept(lua_State *L, const struct array *a,
                             const char *method) {
  const char *name = array_push_name(L, a, "");
  return *name ? lua_pushfstring(L, "%s = %s%s", name, name, method)
               : lua_pushfstring(
                     L, "keep it in a variable, and put %s behind it", method);
}

// The type that the parameter declares.
static enum dtype wanted_of(const struct lkernel *k, int i) {
  const struct nvrtc_param *p = &lkernel_decl(k)->params[i];
  size_t known = sizeof dtype_of_type / sizeof *dtype_of_type;
  if (p->pointer_levels == 1 && (size_t)p->type < known)
    return dtype_of_type[p->type];
  return wanted_dtype(k->plan[i].dtypes);
}

// uint4 * moves bytes 16 at a time: the array's own, seen as another type.
static bool wants_view(const struct lkernel *k, int i, const struct array *a,
                       enum dtype want) {
  const struct nvrtc_param *p = &lkernel_decl(k)->params[i];
  bool is_whole = p->type != NVRTC_F16 && p->type != NVRTC_BF16 &&
                  p->type != NVRTC_F32 && p->type != NVRTC_F64;
  size_t bytes = a->ndim ? (size_t)a->shape[a->ndim - 1] : 1;
  bytes *= dtype_bytes(a->dtype);
  return p->vector_lanes > 1 && is_whole && a->ndim &&
         bytes % dtype_bytes(want) == 0 && array_is_contiguous(a);
}

static int wrong_dtype(lua_State *L, struct lkernel *k, int i,
                       const struct array *a) {
  enum dtype type = wanted_of(k, i);
  const char *want = dtype_name(type);
  const char *name = variable_or_param(L, k, i, a);
  lua_pushfstring(L, "%s: the array given is %s, and this needs %s",
                  describe(L, k, i), dtype_name(a->dtype), want);
  const char *what = lua_tostring(L, -1);
  if (wants_view(k, i, a, type))
    bind_error(L, ERR_ARGUMENT, "%s; pass the same bytes: %s:view(\"%s\")",
               what, name, want);
  if (!k->plan[i].is_const)
    bind_error(L, ERR_ARGUMENT,
               "%s; the kernel writes to it, so keep what astype makes: %s",
               what,
               push_kept(L, a, lua_pushfstring(L, ":astype(\"%s\")", want)));
  bind_error(L, ERR_ARGUMENT, "%s; pass %s:astype(\"%s\")", what, name, want);
}

// Something that is no array was given for a pointer.
static int no_pointer(lua_State *L, struct lkernel *k, int i, int at) {
  const char *want = dtype_name(wanted_of(k, i));
  if (lua_isnil(L, at))
    bind_error(L, ERR_ARGUMENT,
               "%s is nil: a variable with a slip in its name? 0 stands for a "
               "null pointer",
               describe(L, k, i));
  if (lua_type(L, at) == LUA_TTABLE)
    bind_error(L, ERR_ARGUMENT,
               "%s needs an array, not a table: np.array(t, \"%s\") makes one",
               describe(L, k, i), want);
  bind_error(L, ERR_ARGUMENT,
             "%s needs an array of %s, a device pointer (d:pointer()) or an "
             "integer address, not %s",
             describe(L, k, i), want, luaL_typename(L, at));
}

// ---- Pointers ----

static void put(void *params, const struct arg_plan *p, const void *value) {
  memcpy((char *)params + p->offset, value, p->bytes);
}

static void check_array(lua_State *L, struct lkernel *k, int i,
                        const struct array *a) {
  const struct arg_plan *p = &k->plan[i];
  if (!(p->dtypes >> a->dtype & 1))
    wrong_dtype(L, k, i, a);
  if (a->is_readonly && !p->is_const)
    bind_error(L, ERR_ARGUMENT,
               "%s: this array is read-only, and the kernel may write through "
               "the pointer: declare it const, or use a copy: %s",
               describe(L, k, i), push_kept(L, a, ":copy()"));
}

// Names are looked for only when there is something to say: this is on every
// launch's way.
static void check_device_array(lua_State *L, struct ldevice *d,
                               struct lkernel *k, int i,
                               const struct array *a) {
  const struct storage *s = a->storage;
  bool is_usable = s->device == d->gpu && !s->is_freed && !s->is_lost;
  if (is_usable && array_is_contiguous(a))
    return;
  ldevice_check_storage(L, d, a->storage, variable_or_param(L, k, i, a));
  const char *name = variable_or_param(L, k, i, a);
  if (!array_is_contiguous(a) && k->plan[i].is_const)
    bind_error(L, ERR_ARGUMENT,
               "%s: this view is not contiguous, and a kernel sees plain "
               "memory: pass %s:copy()",
               describe(L, k, i), name);
  if (!array_is_contiguous(a))
    bind_error(L, ERR_ARGUMENT,
               "%s: this view is not contiguous, and a kernel sees plain "
               "memory: use a copy: %s",
               describe(L, k, i), push_kept(L, a, ":copy()"));
}

static void pack_pointer_object(lua_State *L, struct ldevice *d,
                                struct lkernel *k, int i, int at,
                                struct lpacked *to) {
  struct lpointer *p = lua_touserdata(L, at);
  if (p->storage->device != d->gpu || p->storage->is_freed ||
      p->storage->is_lost)
    ldevice_check_storage(L, d, p->storage, describe(L, k, i));
  if (p->generation != p->storage->generation)
    bind_error(L, ERR_DEVICE_LOST,
               "%s: this pointer is from before %s was reset; ask the array "
               "for a new one with :pointer()",
               describe(L, k, i), d->id);
  gpu_ptr address = p->storage->address + (uint64_t)p->offset;
  put(to->params, &k->plan[i], &address);
  to->used = p->storage;
}

static void pack_address(lua_State *L, struct ldevice *d, struct lkernel *k,
                         int i, int at, struct lpacked *to) {
  gpu_ptr address = (gpu_ptr)lua_tointeger(L, at);
  struct device_storage *s = address ? ldevice_find(d, address) : NULL;
  put(to->params, &k->plan[i], &address);
  to->used = s ? &s->base : NULL;
}

static bool pack_pointer(lua_State *L, struct ldevice *d, struct lkernel *k,
                         int i, int at, struct lpacked *to) {
  const void *meta = NULL;
  if (lua_type(L, at) == LUA_TUSERDATA && lua_getmetatable(L, at)) {
    meta = lua_topointer(L, -1);
    lua_pop(L, 1);
  }
  if (meta && meta == d->owner->array_meta) {
    struct array *a = lua_touserdata(L, at);
    if (!a->storage)
      array_check(L, at); // it was closed: raises
    check_array(L, k, i, a);
    if (!array_is_device(a)) {
      to->used = a->storage;
      return false;
    }
    check_device_array(L, d, k, i, a);
    gpu_ptr address = a->storage->address + a->offset;
    put(to->params, &k->plan[i], &address);
    to->used = a->storage;
  } else if (meta && meta == d->owner->pointer_meta) {
    pack_pointer_object(L, d, k, i, at, to);
  } else if (lua_isinteger(L, at)) {
    pack_address(L, d, k, i, at, to);
  } else {
    no_pointer(L, k, i, at);
  }
  return true;
}

// ---- Numbers ----

static void check_number(lua_State *L, struct lkernel *k, int i, int at) {
  if (lua_type(L, at) == LUA_TNUMBER)
    return;
  bind_error(L, ERR_ARGUMENT, "%s needs a number, not %s%s", describe(L, k, i),
             lua_isnil(L, at)    ? "nil (a variable with a slip in its name?)"
             : array_test(L, at) ? "an array"
                                 : luaL_typename(L, at),
             array_test(L, at) ? " (x[0] is its first element)" : "");
}

static lua_Integer check_integral(lua_State *L, struct lkernel *k, int i,
                                  int at) {
  int is_integral;
  check_number(L, k, i, at);
  lua_Integer n = lua_tointegerx(L, at, &is_integral);
  if (!is_integral)
    bind_error(L, ERR_ARGUMENT,
               "%s needs a whole number, not %s: x // 1 or math.floor(x) "
               "rounds down",
               describe(L, k, i), luaL_tolstring(L, at, NULL));
  return n;
}

static void pack_integer(lua_State *L, struct lkernel *k, int i, int at,
                         void *params) {
  const struct arg_plan *p = &k->plan[i];
  lua_Integer n = check_integral(L, k, i, at);
  int bits = (int)p->bytes * 8;
  bool is_signed = p->kind == ARG_INT;
  if (bits < 64) {
    lua_Integer low = is_signed ? -((lua_Integer)1 << (bits - 1)) : 0;
    lua_Integer high = ((lua_Integer)1 << (is_signed ? bits - 1 : bits)) - 1;
    if (n < low || n > high)
      bind_error(L, ERR_ARGUMENT,
                 "%s goes from %lld to %lld, and %lld does "
                 "not fit",
                 describe(L, k, i), (long long)low, (long long)high,
                 (long long)n);
  } else if (!is_signed && n < 0) {
    bind_error(L, ERR_ARGUMENT, "%s cannot be negative, and %lld is",
               describe(L, k, i), (long long)n);
  }
  put(params, p, &n); // little-endian, as every device is
}

// Round to nearest even, NaN kept.
static uint16_t to_bf16(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  if (isnan(x))
    return (uint16_t)(bits >> 16 | 0x40);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

// A texture or a surface, for a parameter of 8 bytes.
static bool pack_object(lua_State *L, struct ldevice *d, struct lkernel *k,
                        int i, int at, void *params) {
  const struct arg_plan *p = &k->plan[i];
  uint64_t number;
  if (lua_type(L, at) != LUA_TUSERDATA || p->bytes != sizeof number ||
      !lcuda_test_object(L, d, at, describe(L, k, i),
                         lkernel_decl(k)->params[i].declared, &number))
    return false;
  put(params, p, &number);
  return true;
}

static void pack_float(lua_State *L, struct lkernel *k, int i, int at,
                       void *params) {
  const struct arg_plan *p = &k->plan[i];
  check_number(L, k, i, at);
  double x = lua_tonumber(L, at);
  float f = (float)x;
  uint16_t half;
  switch (p->type) {
  case NVRTC_F64: put(params, p, &x); return;
  case NVRTC_F32:
    if (isinf(f) && !isinf(x))
      bind_error(L, ERR_ARGUMENT, "%s: %s is too large for a float",
                 describe(L, k, i), luaL_tolstring(L, at, NULL));
    put(params, p, &f);
    return;
  case NVRTC_F16: array_store_element(L, DTYPE_F16, &half, at); break;
  default: half = to_bf16(f);
  }
  put(params, p, &half);
}

static void pack_bool(lua_State *L, struct lkernel *k, int i, int at,
                      void *params) {
  uint8_t value = (uint8_t)lua_toboolean(L, at);
  if (!lua_isboolean(L, at)) {
    lua_Integer n = check_integral(L, k, i, at);
    if (n != 0 && n != 1)
      bind_error(L, ERR_ARGUMENT, "%s needs true or false (or 1 and 0)",
                 describe(L, k, i));
    value = (uint8_t)n;
  }
  put(params, &k->plan[i], &value);
}

// ---- Structures by value ----

static void pack_bytes(lua_State *L, struct lkernel *k, int i, int at,
                       void *params) {
  const struct arg_plan *p = &k->plan[i];
  struct lstruct *s = luaL_testudata(L, at, LCUDA_STRUCT);
  if (!s)
    bind_error(L, ERR_ARGUMENT,
               "%s is %u bytes by value: cuda.struct(\"f32 f32 i32\", 1, 2, 3) "
               "makes such a value, %s does not",
               describe(L, k, i), p->bytes, luaL_typename(L, at));
  if (s->bytes != p->bytes)
    bind_error(L, ERR_ARGUMENT,
               "%s is a structure of %u bytes, and this cuda.struct has %u: "
               "compare the members one by one",
               describe(L, k, i), p->bytes, s->bytes);
  put(params, p, s->data);
}

// ---- Parameters of which only the size is known ----

static void pack_any_integer(lua_State *L, struct lkernel *k, int i, int at,
                             void *params) {
  const struct arg_plan *p = &k->plan[i];
  lua_Integer n = lua_tointeger(L, at);
  lua_Integer half = p->bytes < 8 ? (lua_Integer)1 << (p->bytes * 8 - 1) : 0;
  if (half && (n < -half || n >= 2 * half))
    bind_error(L, ERR_ARGUMENT, "%s is %u bytes, and %lld does not fit",
               describe(L, k, i), p->bytes, (long long)n);
  put(params, p, &n);
}

static void pack_any_float(lua_State *L, struct lkernel *k, int i, int at,
                           void *params) {
  const struct arg_plan *p = &k->plan[i];
  double x = lua_tonumber(L, at);
  float f = (float)x;
  if (p->bytes != sizeof f && p->bytes != sizeof x)
    bind_error(
        L, ERR_ARGUMENT,
        "%s is %u byte%s, which no float or double has: math.tointeger(x)"
        " gives a whole number",
        describe(L, k, i), p->bytes, p->bytes == 1 ? "" : "s");
  put(params, p, p->bytes == sizeof f ? (void *)&f : (void *)&x);
}

// A whole number (2) is an integer, one with a point (2.0) a float or double.
static bool pack_unknown(lua_State *L, struct ldevice *d, struct lkernel *k,
                         int i, int at, struct lpacked *to) {
  uint8_t truth = (uint8_t)lua_toboolean(L, at);
  if (luaL_testudata(L, at, LCUDA_STRUCT))
    pack_bytes(L, k, i, at, to->params);
  else if (lua_isboolean(L, at) && k->plan[i].bytes == 1)
    put(to->params, &k->plan[i], &truth);
  else if (pack_object(L, d, k, i, at, to->params))
    return true;
  else if (k->plan[i].bytes == 8 && lua_type(L, at) != LUA_TNUMBER)
    return pack_pointer(L, d, k, i, at, to);
  else if (k->plan[i].bytes == 8 && lua_isinteger(L, at))
    pack_address(L, d, k, i, at, to);
  else if (lua_isinteger(L, at))
    pack_any_integer(L, k, i, at, to->params);
  else {
    check_number(L, k, i, at);
    pack_any_float(L, k, i, at, to->params);
  }
  return true;
}

bool lcuda_pack_arg(lua_State *L, struct ldevice *d, struct lkernel *k, int i,
                    int at, struct lpacked *to) {
  to->used = NULL;
  switch (k->plan[i].kind) {
  case ARG_POINTER: return pack_pointer(L, d, k, i, at, to);
  case ARG_INT:
  case ARG_UINT:
    if (!pack_object(L, d, k, i, at, to->params))
      pack_integer(L, k, i, at, to->params);
    return true;
  case ARG_FLOAT: pack_float(L, k, i, at, to->params); return true;
  case ARG_BOOL: pack_bool(L, k, i, at, to->params); return true;
  case ARG_UNKNOWN: return pack_unknown(L, d, k, i, at, to);
  default: pack_bytes(L, k, i, at, to->params); return true;
  }
}

// ---- cuda.struct ----

enum { MAX_STRUCT_BYTES = 4096 };

// Places one member as C does and returns the offset behind it.
static uint32_t place_member(lua_State *L, const char *name, uint32_t offset,
                             uint32_t *align, uint32_t *at, enum dtype *t) {
  if (!dtype_parse(name, t))
    bind_error(L, ERR_ARGUMENT,
               "cuda.struct: \"%s\" is no type; there are bool, i8 to i64, u8 "
               "to u64, f16, bf16, f32 and f64",
               name);
  uint32_t bytes = (uint32_t)dtype_bytes(*t);
  *at = (offset + bytes - 1) / bytes * bytes;
  if (bytes > *align)
    *align = bytes;
  if (*at + bytes > MAX_STRUCT_BYTES)
    bind_error(L, ERR_ARGUMENT,
               "cuda.struct: over %d bytes; kernels take no "
               "more by value",
               MAX_STRUCT_BYTES);
  return *at + bytes;
}

static bool next_word(const char **text, char word[16]) {
  *text += strspn(*text, " ,\t\n");
  size_t len = strcspn(*text, " ,\t\n");
  snprintf(word, 16, "%.*s", (int)(len < 15 ? len : 15), *text);
  *text += len;
  return len > 0;
}

// cuda.struct("f32 f32 i32 f64", ...): bytes in C's layout.
static int l_struct(lua_State *L) {
  const char *text = luaL_checkstring(L, 1);
  uint8_t data[MAX_STRUCT_BYTES] = {0};
  uint32_t end = 0, align = 1, at;
  int members = 0;
  char word[16];
  enum dtype t;
  while (next_word(&text, word)) {
    end = place_member(L, word, end, &align, &at, &t);
    members++;
    if (members + 1 <= lua_gettop(L))
      array_store_element(L, t, data + at, members + 1);
  }
  if (members != lua_gettop(L) - 1)
    bind_error(L, ERR_ARGUMENT,
               "cuda.struct: the layout has %d members, and %d values follow",
               members, lua_gettop(L) - 1);
  uint32_t bytes = (end + align - 1) / align * align;
  struct lstruct *s = lua_newuserdatauv(L, sizeof *s + bytes, 0);
  s->bytes = bytes;
  s->align = align;
  memcpy(s->data, data, bytes);
  luaL_setmetatable(L, LCUDA_STRUCT);
  return 1;
}

static int struct_tostring(lua_State *L) {
  struct lstruct *s = luaL_checkudata(L, 1, LCUDA_STRUCT);
  lua_pushfstring(L, "cuda.struct of %d bytes", (int)s->bytes);
  return 1;
}

static int struct_len(lua_State *L) {
  struct lstruct *s = luaL_checkudata(L, 1, LCUDA_STRUCT);
  lua_pushinteger(L, s->bytes);
  return 1;
}

// ---- cuda.pointer ----

static struct lpointer *push_pointer(lua_State *L, struct lpointer *from,
                                     lua_Integer bytes) {
  struct lpointer *p = lua_newuserdatauv(L, sizeof *p, 0);
  p->storage = NULL;
  luaL_setmetatable(L, LCUDA_POINTER);
  *p = *from;
  p->offset += bytes;
  storage_ref(p->storage);
  return p;
}

// p + bytes, bytes + p.
static int pointer_add(lua_State *L) {
  int at = luaL_testudata(L, 1, LCUDA_POINTER) ? 1 : 2;
  push_pointer(L, luaL_checkudata(L, at, LCUDA_POINTER),
               luaL_checkinteger(L, 3 - at));
  return 1;
}

static int pointer_sub(lua_State *L) {
  push_pointer(L, luaL_checkudata(L, 1, LCUDA_POINTER),
               -luaL_checkinteger(L, 2));
  return 1;
}

static lua_Integer address_of(const struct lpointer *p) {
  return (lua_Integer)(p->storage->address + (uint64_t)p->offset);
}

static int pointer_address(lua_State *L) {
  lua_pushinteger(L, address_of(luaL_checkudata(L, 1, LCUDA_POINTER)));
  return 1;
}

static int pointer_eq(lua_State *L) {
  struct lpointer *a = luaL_testudata(L, 1, LCUDA_POINTER);
  struct lpointer *b = luaL_testudata(L, 2, LCUDA_POINTER);
  lua_pushboolean(L, a && b && address_of(a) == address_of(b));
  return 1;
}

static int pointer_tostring(lua_State *L) {
  char text[32];
  snprintf(
      text, sizeof text, "0x%llx",
      (unsigned long long)address_of(luaL_checkudata(L, 1, LCUDA_POINTER)));
  lua_pushstring(L, text);
  return 1;
}

static int pointer_gc(lua_State *L) {
  struct lpointer *p = luaL_checkudata(L, 1, LCUDA_POINTER);
  storage_unref(p->storage);
  p->storage = NULL;
  return 0;
}

// ---- Opening ----

static void open_pointer(lua_State *L) {
  static const luaL_Reg meta[] = {
      {"__add", pointer_add}, {"__sub", pointer_sub},
      {"__eq", pointer_eq},   {"__tostring", pointer_tostring},
      {"__gc", pointer_gc},   {NULL, NULL},
  };
  luaL_newmetatable(L, LCUDA_POINTER); // [meta]
  luaL_setfuncs(L, meta, 0);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, pointer_address);
  lua_setfield(L, -2, "address");
  lua_setfield(L, -2, "__index");
  lcuda_of(L)->pointer_meta = lua_topointer(L, -1);
  lua_pop(L, 1);
}

int lcuda_open_args(lua_State *L) {
  static const luaL_Reg meta[] = {
      {"__tostring", struct_tostring},
      {"__len", struct_len},
      {NULL, NULL},
  };
  open_pointer(L);
  luaL_newmetatable(L, LCUDA_STRUCT);
  luaL_setfuncs(L, meta, 0);
  lua_pop(L, 1);
  lua_pushcfunction(L, l_struct);
  lua_setfield(L, -2, "struct");
  return 0;
}
