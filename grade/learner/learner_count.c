// SPDX-License-Identifier: Apache-2.0
// Theory of operation. One hook sees every so many instructions, and every call
// and return. Of a C function's it looks at the arguments before the function
// begins and at the results after it: what it can take is known by their sizes.
// Lua's own copying (s .. s) calls nothing, so the allocator counts as well, and
// strings are kept short, because comparing them is one instruction.
//
// An error that the hook raises may be caught; so once the budget is used up the
// hook runs at each instruction and the allocator gives nothing, and nothing can
// go on. Finalizers run without hooks: learner_main.c gives none.
#include "grade/learner/learner_count.h"

#include <lauxlib.h>
#include <math.h>
#include <string.h>

#include "gpu/remote/remote.h"
#include "lua/bind/np/array.h"
#include "lua/bind/state/bind.h"

enum {
  STEP = 1000,
  BYTES_A_UNIT = 16,
  ELEMENTS_A_UNIT = 8,
  MAX_STRING_BYTES = 1 << 20,
  UNITS_A_MESSAGE = 1 << 14 // two processes wake; on a busy machine both wait
};

static struct count *count_of(lua_State *L) {
  return bind_state_of(L)->options.meter;
}

static void charge(struct count *c, double units) {
  uint64_t left = c->budget + 1 - c->work;
  c->work += units < (double)left ? (uint64_t)units : left;
}

void count_add(void *meter, double units) {
  struct count *c = meter;
  if (c->is_counting)
    charge(c, units);
}

bool count_is_over(const struct count *c) {
  return c->work > c->budget;
}

bool count_may_take(void *meter, size_t bytes, bool is_string) {
  struct count *c = meter;
  if (!c->is_counting)
    return true;
  charge(c, (double)bytes / BYTES_A_UNIT);
  return !count_is_over(c) && !(is_string && bytes > MAX_STRING_BYTES);
}

// ---- One call of a C function ----

// The most steps that Lua's matcher can take: each of the pattern's repetitions
// may try every length, from every beginning.
static double pattern_steps(lua_State *L, lua_Debug *ar) {
  size_t bytes = 0, pattern_bytes = 0;
  const char *pattern = NULL;
  if (lua_getlocal(L, ar, 1) && lua_type(L, -1) == LUA_TSTRING)
    lua_tolstring(L, -1, &bytes);
  if (lua_getlocal(L, ar, 2) && lua_type(L, -1) == LUA_TSTRING)
    pattern = lua_tolstring(L, -1, &pattern_bytes);
  double steps = (double)bytes + 1;
  for (size_t i = 0; pattern && i < pattern_bytes; i++)
    if (strchr("*+-", pattern[i]))
      steps *= (double)bytes + 1;
    else if (pattern[i] == '?' || pattern[i] == 'b')
      steps *= 2;
  return steps + (double)pattern_bytes;
}

// A product of matrices, by the name that np's dispatch keeps, or a
// decomposition.
static bool is_product(lua_State *L, int f) {
  bool is_it = false;
  if (lua_getupvalue(L, f, 2)) {
    is_it = lua_type(L, -1) == LUA_TSTRING &&
            !strcmp(lua_tostring(L, -1), "matmul");
    lua_pop(L, 1);
  }
  lua_pushvalue(L, f);
  if (lua_rawget(L, LUA_REGISTRYINDEX) == LUA_TBOOLEAN)
    is_it = true;
  lua_pop(L, 1);
  return is_it;
}

struct sizes {
  double elements, longest;
};

static void add_size(lua_State *L, int i, struct sizes *s) {
  const struct array *a = NULL;
  if (lua_type(L, i) == LUA_TUSERDATA && (a = array_test(L, i))) {
    double n = 1;
    for (int d = 0; d < a->ndim; d++) {
      n *= (double)a->shape[d];
      s->longest = fmax(s->longest, (double)a->shape[d]);
    }
    s->elements += n;
  } else if (lua_type(L, i) == LUA_TSTRING) {
    s->elements += (double)lua_rawlen(L, i);
  }
}

static bool is_one_of(lua_CFunction f, const lua_CFunction *list, int n) {
  for (int i = 0; i < n; i++)
    if (f == list[i])
      return true;
  return false;
}

static bool has_number_key(lua_State *L, lua_Debug *ar) {
  bool is_number = lua_getlocal(L, ar, 2) && lua_type(L, -1) == LUA_TNUMBER;
  lua_pop(L, 1);
  return is_number;
}

static bool has_one_axis(lua_State *L, lua_Debug *ar) {
  const struct array *a = lua_getlocal(L, ar, 1) ? array_test(L, -1) : NULL;
  lua_pop(L, 1);
  return a && a->ndim == 1;
}

// From which argument on sizes count: x[key], #x and x[3] = y take nothing of x,
// or no more than y has.
static int first_counted(lua_State *L, lua_Debug *ar, lua_CFunction f) {
  const struct count *c = count_of(L);
  if (f == c->index || f == c->length)
    return 2;
  bool is_one =
      f == c->new_index && has_number_key(L, ar) && has_one_axis(L, ar);
  return is_one ? 2 : 1;
}

// What table's functions do with the list that they get first; an element put at
// its end, or taken from there, moves no others. A length that Lua code makes up
// may be any.
static double list_steps(lua_State *L, lua_Debug *ar, lua_CFunction f) {
  const struct count *c = count_of(L);
  bool is_end = (f == c->list[0] && ar->ntransfer < 3) ||
                (f == c->list[1] && ar->ntransfer < 2);
  double n = 0;
  if (is_end || !lua_getlocal(L, ar, 1))
    return 0;
  if (lua_type(L, -1) == LUA_TTABLE)
    n = luaL_getmetafield(L, -1, "__len") ? INFINITY
                                          : (double)lua_rawlen(L, -1);
  if (f == c->list[4]) // move(list, from, to, at): not beyond `to`
    for (int i = 2; i <= 3; i++)
      if (lua_getlocal(L, ar, i))
        n = fmax(n, fabs(lua_tonumber(L, -1)));
  return n * (1 + log2(n + 1));
}

// string.rep(text, n)
static double repeat_steps(lua_State *L, lua_Debug *ar) {
  return lua_getlocal(L, ar, 2) ? fmax(0, lua_tonumber(L, -1)) : 0;
}

// Calls that do little for Lua may say much to the device.
static void charge_messages(struct count *c) {
  if (!c->device)
    return;
  uint64_t sent = remote_last_seq(c->device);
  charge(c, (double)(sent - c->messages) * UNITS_A_MESSAGE);
  c->messages = sent;
}

static void charge_call(lua_State *L, lua_Debug *ar, bool is_return) {
  struct count *c = count_of(L);
  int top = lua_gettop(L);
  lua_getinfo(L, "f", ar);
  int self = lua_gettop(L);
  lua_CFunction f = lua_tocfunction(L, self);
  if (is_one_of(f, c->idle, c->idle_count)) {
    lua_settop(L, top);
    charge(c, ar->ntransfer);
    return;
  }
  struct sizes s = {0};
  int from = is_return ? ar->ftransfer : first_counted(L, ar, f);
  int to = ar->ftransfer + ar->ntransfer;
  if (is_return && from > 2 && f == c->index && has_number_key(L, ar))
    to = from; // a view of a row, which touches none of it
  for (int i = from; i < to && i < from + 250; i++) {
    if (!lua_getlocal(L, ar, i))
      break;
    add_size(L, lua_gettop(L), &s);
    lua_pop(L, 1);
  }
  double units = s.elements / ELEMENTS_A_UNIT + ar->ntransfer;
  if (!is_return && s.longest > 0 && is_product(L, self))
    units *= s.longest;
  if (!is_return && is_one_of(f, c->pattern, 4))
    units += pattern_steps(L, ar);
  if (!is_return && is_one_of(f, c->list, 5))
    units += list_steps(L, ar, f);
  if (!is_return && f == c->repeat)
    units += repeat_steps(L, ar);
  lua_settop(L, top);
  charge(c, units);
}

static void on_event(lua_State *L, lua_Debug *ar) {
  static const int all = LUA_MASKCALL | LUA_MASKRET | LUA_MASKCOUNT;
  struct count *c = count_of(L);
  if (!c->is_counting)
    return;
  luaL_checkstack(L, 16, NULL);
  if (ar->event == LUA_HOOKCOUNT) {
    charge(c, STEP);
  } else if (!count_is_over(c)) {
    charge(c, 1);
    lua_getinfo(L, "Sr", ar);
    if (*ar->what == 'C')
      charge_call(L, ar, ar->event == LUA_HOOKRET);
    charge_messages(c);
  }
  if (!count_is_over(c))
    return;
  lua_sethook(L, on_event, all, 1);
  lua_pushlightuserdata(L, c); // takes no memory
  lua_error(L);
}

// ---- Starting ----

static lua_CFunction function_at(lua_State *L, const char *table,
                                 const char *name) {
  lua_getglobal(L, table);
  lua_getfield(L, -1, name);
  lua_CFunction f = lua_tocfunction(L, -1);
  lua_pop(L, 2);
  return f;
}

static lua_CFunction event_of_arrays(lua_State *L, const char *name) {
  luaL_getmetatable(L, ARRAY_TYPE);
  lua_getfield(L, -1, name);
  lua_CFunction f = lua_tocfunction(L, -1);
  lua_pop(L, 2);
  return f;
}

static void keep_products(lua_State *L, const char *registry_key) {
  static const char *const names[] = {
      "solve", "triangular", "slogdet", "det",  "lu",  "cholesky",
      "qr",    "lstsq",      "svd",     "eigh", "eig", "dot_lines"};
  lua_getfield(L, LUA_REGISTRYINDEX, registry_key);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (lua_getfield(L, -1, names[i]) == LUA_TFUNCTION) {
      lua_pushboolean(L, 1);
      lua_rawset(L, LUA_REGISTRYINDEX);
    } else {
      lua_pop(L, 1);
    }
  }
  lua_pop(L, 1);
}

// [table] -> []
static void keep_idle(lua_State *L, const char *const *names) {
  struct count *c = count_of(L);
  for (; *names; names++) {
    lua_getfield(L, -1, *names);
    lua_CFunction f = lua_tocfunction(L, -1);
    if (f && c->idle_count < (int)(sizeof c->idle / sizeof *c->idle))
      c->idle[c->idle_count++] = f;
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

static void find_idle(lua_State *L) {
  static const char *const of_lua[] = {
      "type",   "select", "rawequal", "pcall",  "next", "getmetatable",
      "rawget", "rawset", "assert",   "ipairs", NULL};
  static const char *const of_jax[] = {"mark",  "unmark",  "is_array", "is_jax",
                                       "await", "is_weak", NULL};
  static const char *const of_math[] = {"type", NULL};
  lua_pushglobaltable(L);
  keep_idle(L, of_lua);
  lua_getfield(L, LUA_REGISTRYINDEX, "warpshop.jax.use");
  keep_idle(L, of_jax);
  lua_getglobal(L, "math");
  keep_idle(L, of_math);
}

void count_start(lua_State *L, uint64_t budget) {
  static const char *const patterns[] = {"find", "match", "gmatch", "gsub"};
  static const char *const lists[] = {"insert", "remove", "sort", "concat",
                                      "move"};
  struct count *c = count_of(L);
  for (int i = 0; i < 4; i++)
    c->pattern[i] = function_at(L, "string", patterns[i]);
  for (int i = 0; i < 5; i++)
    c->list[i] = function_at(L, "table", lists[i]);
  c->repeat = function_at(L, "string", "rep");
  c->index = event_of_arrays(L, "__index");
  c->new_index = event_of_arrays(L, "__newindex");
  c->length = event_of_arrays(L, "__len");
  find_idle(L);
  keep_products(L, "warpshop.np.core");
  keep_products(L, "warpshop.jax.use");
  c->work = 0;
  c->messages = c->device ? remote_last_seq(c->device) : 0;
  c->budget = budget;
  c->is_counting = true;
  lua_sethook(L, on_event, LUA_MASKCALL | LUA_MASKRET | LUA_MASKCOUNT, STEP);
}

void count_stop(lua_State *L) {
  count_of(L)->is_counting = false;
  lua_sethook(L, NULL, 0, 0);
}
