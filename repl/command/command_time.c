// SPDX-License-Identifier: Apache-2.0
// :time [-n N] [-r N] [--cold] EXPRESSION: what its launches take, split.
#include "repl/command/command_time.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/str.h"
#include "lua/bind/state/bind.h"
#include "repl/command/command.h"
#include "repl/command/time.h"
#include "repl/eval/eval.h"
#include "repl/tui/tui.h"

// ---- Options ----

struct time_request {
  long launches, runs; // 0: cuda.time's own choice
  bool is_cold;
  const char *expression;
  struct shop *shop;
};

static bool wrong_usage(struct shop *s) {
  shop_warn(s,
            "usage: :time [-n N] [-r N] [--cold] EXPRESSION\n"
            "  -n N    launches in one run     -r N    runs without a warm-up, "
            "instead of\n"
            "                                  as many as it takes\n"
            "  --cold  the L2 cache is cleared before each run\n");
  return false;
}

static bool take_number(const char **p, long *out) {
  char *end;
  *out = strtol(*p + 2, &end, 10);
  if (end == *p + 2 || *end != ' ' || *out < 1)
    return false;
  *p = end + strspn(end, " ");
  return true;
}

static bool parse_request(const char *text, struct time_request *r) {
  for (*r = (struct time_request){0}; *text == '-';) {
    if (str_starts(text, "--cold ")) {
      r->is_cold = true;
      text += 7 + strspn(text + 7, " ");
    } else if (str_starts(text, "-n") && !r->launches) {
      if (!take_number(&text, &r->launches))
        return false;
    } else if (str_starts(text, "-r") && !r->runs) {
      if (!take_number(&text, &r->runs))
        return false;
    } else {
      break; // "-x" may be an expression
    }
  }
  r->expression = text;
  return *text != 0;
}

// ---- What was measured ----

static double number(lua_State *L, const char *name) {
  lua_getfield(L, -1, name);
  double v = lua_tonumber(L, -1);
  lua_pop(L, 1);
  return v;
}

// "2.1 us", "3.4 ms", with three digits that mean something.
static void add_us(double us, struct str *out) {
  const char *unit = us < 1e3 ? "us" : us < 1e6 ? "ms" : "s";
  double v = us < 1e3 ? us : us < 1e6 ? us / 1e3 : us / 1e6;
  str_addf(out, v < 100 ? "%.1f %s" : "%.0f %s", v, unit);
}

static void add_copy(const char *name, double us, struct str *out) {
  str_addf(out, "%s ", name);
  if (us > 0)
    add_us(us, out);
  else
    str_add_char(out, '0');
}

static void add_compile(lua_State *L, struct str *out) {
  double ms = number(L, "compile_ms");
  str_addf(out, ms > 0 ? "compile %.0f ms · " : "compile cached · ", ms);
}

static void add_noise(lua_State *L, struct str *out) {
  add_compile(L, out);
  str_add(out, "too noisy to say: ");
  add_us(number(L, "min_us"), out);
  str_add(out, " to ");
  add_us(number(L, "max_us"), out);
  str_addf(out, " over %.0f runs", number(L, "runs"));
}

// Compared with a real GPU only: the virtual one's times speak of this computer.
static bool is_gpu(lua_State *L) {
  lua_getfield(L, -1, "device");
  bool found = str_starts(lua_tostring(L, -1), "cuda:");
  lua_pop(L, 1);
  return found;
}

static void add_bandwidth(lua_State *L, struct str *out) {
  double gbs = number(L, "gbs"), peak = number(L, "peak_gbs");
  if (is_gpu(L) && gbs > 0 && peak > 0)
    str_addf(out, gbs < 10 ? " · %.1f GB/s of %.0f" : " · %.0f GB/s of %.0f",
             gbs, peak);
}

// The plain loop beside the kernel, where there is one.
static void add_reference(lua_State *L, const char *expression,
                          struct str *out) {
  double kernel_us = number(L, "kernel_us");
  double us = time_reference_us(L, expression);
  if (us <= 0 || kernel_us <= 0)
    return;
  str_add(out, "\nplain C on one core ");
  add_us(us, out);
  if (is_gpu(L))
    str_addf(out, us / kernel_us < 10 ? " (%.1f x)" : " (%.0f x)",
             us / kernel_us);
  else
    str_add(out, "\nThis device is a simulation: its kernel time is this "
                 "computer's, and says nothing about a GPU's.");
}

static void add_split(lua_State *L, struct str *out) {
  double us = number(L, "kernel_us"), mad = number(L, "mad_us");
  add_compile(L, out);
  add_copy("copy in", number(L, "copy_in_us"), out);
  str_add(out, " · kernel ");
  add_us(us, out);
  if (number(L, "runs") > 1)
    str_addf(out, " ± %.1f", us < 1e3 ? mad : us < 1e6 ? mad / 1e3 : mad / 1e6);
  add_copy(" · copy out", number(L, "copy_out_us"), out);
  add_copy(" · wait", number(L, "wait_us"), out);
  add_bandwidth(L, out);
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double time_median(double *values, int n) {
  qsort(values, (size_t)n, sizeof *values, by_value);
  return values[n / 2];
}

// ---- :time ----

static void push_options(lua_State *L, const struct time_request *r) {
  lua_createtable(L, 0, 3);
  if (r->launches) {
    lua_pushinteger(L, r->launches);
    lua_setfield(L, -2, "n");
  }
  if (r->runs) {
    lua_pushinteger(L, r->runs);
    lua_setfield(L, -2, "r");
    lua_pushinteger(L, 0); // that many and no more
    lua_setfield(L, -2, "warmup");
  }
  lua_pushboolean(L, r->is_cold);
  lua_setfield(L, -2, "cold");
}

// [function, request]: measures and prints, protected.
static int measure(lua_State *L) {
  const struct time_request *r = lua_touserdata(L, 2);
  struct str out = STR_INIT;
  shop_push_field(L, "cuda", "time");
  lua_pushvalue(L, 1);
  push_options(L, r);
  lua_call(L, 2, 1); // [function, request, result]
  lua_getfield(L, -1, "kernel");
  bool has_kernel = !lua_isnil(L, -1);
  lua_getfield(L, -2, "noisy");
  bool is_noisy = lua_toboolean(L, -1);
  lua_pop(L, 2);
  if (has_kernel && is_noisy) {
    add_noise(L, &out);
  } else if (has_kernel) {
    add_split(L, &out);
    add_reference(L, r->expression, &out);
  } else {
    str_add(&out, "no kernel was launched · on the host ");
    add_us(number(L, "host_us"), &out);
    double runs = number(L, "runs");
    str_addf(&out, runs > 1 ? " (median of %.0f runs)" : " (one run)", runs);
  }
  shop_print(r->shop, "%s", out.data);
  str_free(&out);
  return 0;
}

bool command_time(struct shop *s, const char *args_text) {
  lua_State *L = s->L;
  struct time_request r;
  bool is_unfinished;
  if (!parse_request(args_text, &r))
    return wrong_usage(s);
  r.shop = s;
  s->is_one_line = true;
  int status = input_compile(L, r.expression, "=:time", &is_unfinished);
  if (status == LUA_OK) {
    lua_pushcfunction(L, measure);
    lua_insert(L, -2);
    lua_pushlightuserdata(L, &r);
    terminal_catch_interrupts(true);
    status = bind_pcall(L, 2, 0);
    terminal_catch_interrupts(false);
  }
  if (status != LUA_OK)
    eval_show_error(s);
  return status == LUA_OK;
}
