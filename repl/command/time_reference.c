// SPDX-License-Identifier: Apache-2.0
// :time beside the CPU: where the timed launch is of a built-in kernel, its
// references run on copies of the same arrays, the plain loop and the best that
// this CPU can do.
#include "repl/command/time.h"

#include <ctype.h>
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/median.h"
#include "base/mem.h"
#include "base/str.h"
#include "kernels/reference.h"
#include "lua/bind/np/array.h"
#include "repl/eval/eval.h"

enum { MAX_ARGS = 16, MAX_RUNS = 50, MAX_THREADS = 256 };
#define LIMIT_S 0.3

// ---- The launch as text: NAME[...](ARGUMENTS) ----

// Past the bracket that closes the one at `p`, or NULL.
static const char *past_bracket(const char *p) {
  int depth = 0;
  do {
    depth += (*p && strchr("([{", *p)) - (*p && strchr(")]}", *p));
    p++;
  } while (p[-1] && depth);
  return depth ? NULL : p;
}

struct launch_text {
  char name[64];
  char *arguments; // to be freed
};

static bool split_launch(const char *text, struct launch_text *out) {
  size_t n = 0;
  while (isalnum((unsigned char)text[n]) || text[n] == '_')
    n++;
  const char *open = text[n] == '[' || text[n] == '{' ? text + n : NULL;
  const char *call = open ? past_bracket(open) : NULL;
  const char *end = call && *call == '(' ? past_bracket(call) : NULL;
  if (!n || n >= sizeof out->name || !end || end[strspn(end, " ;")])
    return false;
  memcpy(out->name, text, n);
  out->name[n] = 0;
  out->arguments = xstrndup(call + 1, (size_t)(end - call) - 2);
  return true;
}

// ---- The reference of that kernel ----

// The types of the kernel on top of the stack, as kernels.def writes them. (The
// references of exercises have no kernel of ours, and a learner's of that name
// may compute something else.)
static void add_types(lua_State *L, struct str *out) {
  lua_getfield(L, -1, "parameters");
  for (lua_Integer i = 1; i <= luaL_len(L, -1); i++) {
    lua_geti(L, -1, i);
    lua_getfield(L, -1, "type");
    str_addf(out, "%s%s", i > 1 ? ", " : "", lua_tostring(L, -1));
    lua_pop(L, 2);
  }
  lua_pop(L, 1);
}

static const struct reference *find_reference(lua_State *L, const char *name) {
  const struct reference *r = NULL;
  struct str types = STR_INIT;
  if (lua_getglobal(L, name) == LUA_TUSERDATA && !array_test(L, -1))
    add_types(L, &types);
  for (int i = 0; types.len && (r = reference_at(i)); i++)
    if (r->entry && !strcmp(r->entry, name) &&
        !strcmp(r->signature, types.data))
      break;
  str_free(&types);
  lua_pop(L, 1);
  return r;
}

// ---- Its arguments ----

// A host copy of the array at `i` takes its place on the stack.
static void copy_array(lua_State *L, int i) {
  struct array *a = array_check(L, i);
  if (array_is_device(a)) {
    lua_getfield(L, i, "copy_to_host");
    lua_pushvalue(L, i);
    lua_call(L, 1, 1);
  } else {
    array_push_copy(L, a, a->dtype);
  }
  lua_replace(L, i);
}

static void take_arguments(lua_State *L, int from, int count,
                           struct reference_arg *args) {
  for (int i = 0; i < count; i++) {
    int at = from + i;
    args[i].name = "it";
    if (array_test(L, at)) {
      copy_array(L, at);
      struct array *a = array_check_host(L, at, ":time");
      args[i].data = array_data(a);
      args[i].count = (size_t)array_count(a);
    } else {
      args[i].number = luaL_checknumber(L, at);
      args[i].integer = (int64_t)args[i].number;
    }
  }
}

static void take_triple(lua_State *L, const char *name, uint32_t out[3]) {
  lua_getfield(L, -1, name);
  for (int i = 0; i < 3; i++) {
    lua_geti(L, -1, i + 1);
    out[i] = (uint32_t)luaL_optinteger(L, -1, 1);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

static void take_shape(lua_State *L, struct reference_call *call) {
  shop_push_field(L, "cuda", "last_launch");
  lua_call(L, 0, 1);
  take_triple(L, "grid", call->grid);
  take_triple(L, "block", call->block);
  lua_pop(L, 1);
}

// ---- Timing it ----

struct runner {
  const struct reference *r;
  const struct reference_call *call;
  struct kernel_team *team; // NULL: the plain loop
};

static void run_once(const struct runner *x) {
  if (x->team)
    x->r->best(x->call, x->team);
  else
    x->r->compute(x->call);
}

static double median_us(const struct runner *x) {
  double us[MAX_RUNS], start = clock_s();
  int n = 0;
  run_once(x); // pages and caches are warm from here on
  while (n < MAX_RUNS && (n < 3 || clock_s() - start < LIMIT_S)) {
    double before = clock_s();
    run_once(x);
    us[n++] = (clock_s() - before) * 1e6;
  }
  return median_of(us, (size_t)n);
}

// All processors, or one where the work is too little to share.
static void time_best(const struct reference *r,
                      const struct reference_call *call,
                      struct time_reference *out) {
  out->best_us = out->plain_us;
  out->threads = 1;
  for (int most = 1; most <= MAX_THREADS; most *= MAX_THREADS) {
    struct runner x = {r, call, kernel_team_new(most)};
    double us = median_us(&x);
    if (us < out->best_us) {
      out->best_us = us;
      out->threads = kernel_team_size(x.team);
    }
    kernel_team_free(x.team);
  }
}

static bool time_call(const struct reference *r,
                      const struct reference_call *call,
                      struct time_reference *out) {
  struct runner plain = {r, call, NULL};
  out->plain_us = median_us(&plain);
  if (call->e->code) // its own arrays are too short: the launch is told so
    return false;
  out->work = r->work(call);
  time_best(r, call, out);
  return true;
}

bool time_reference(lua_State *L, const char *expression,
                    struct time_reference *out) {
  struct launch_text launch;
  int base = lua_gettop(L);
  if (!split_launch(expression, &launch))
    return false;
  const struct reference *r = find_reference(L, launch.name);
  lua_pushfstring(L, "return %s", launch.arguments);
  free(launch.arguments);
  bool is_one = false;
  if (r && luaL_loadstring(L, lua_tostring(L, -1)) == LUA_OK) {
    struct reference_arg args[MAX_ARGS] = {{0}};
    struct err_info e = {0};
    struct reference_call call = {.args = args, .e = &e};
    int from = lua_gettop(L);
    lua_call(L, 0, LUA_MULTRET);
    int count = lua_gettop(L) - from + 1;
    luaL_checkstack(L, 20, NULL);
    if (count <= MAX_ARGS) {
      take_arguments(L, from, count, args);
      take_shape(L, &call);
      is_one = time_call(r, &call, out);
    }
  }
  lua_settop(L, base);
  return is_one;
}
