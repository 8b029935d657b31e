// SPDX-License-Identifier: Apache-2.0
// :time [-n N] [-r N] [--cold] EXPRESSION: what its launches take, split.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "gpu/gpu.h"
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

static void add_copy(const char *name, double us, struct str *out) {
  str_addf(out, "%s ", name);
  if (us > 0)
    time_add_us(us, out);
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
  time_add_us(number(L, "min_us"), out);
  str_add(out, " to ");
  time_add_us(number(L, "max_us"), out);
  str_addf(out, " over %.0f runs", number(L, "runs"));
}

// Compared with a real GPU only: the virtual one's times speak of this computer.
static bool is_gpu(lua_State *L) {
  lua_getfield(L, -1, "device");
  const char *id = lua_tostring(L, -1); // none: who measured is not ours
  bool found = id && str_starts(id, "cuda:");
  lua_pop(L, 1);
  return found;
}

static void add_bandwidth(lua_State *L, struct str *out) {
  double gbs = number(L, "gbs"), peak = number(L, "peak_gbs");
  if (gbs > 0 && peak > 0)
    str_addf(out, gbs < 10 ? " · %.1f GB/s of %.0f" : " · %.0f GB/s of %.0f",
             gbs, peak);
}

// ---- Beside it: the roof, this computer's processors ----

struct beside {
  bool is_gpu, has_reference;
  struct time_reference reference;
  struct gpu_roof_device device;
  struct gpu_roof_work work;
};

static void find_device(lua_State *L, struct gpu_roof_device *out) {
  int64_t attributes[GPU_ATTR_COUNT] = {0};
  shop_push_field(L, "cuda", "device");
  lua_call(L, 0, 1);
  lua_getfield(L, -1, "attributes");
  for (int a = 0; a < GPU_ATTR_COUNT && lua_istable(L, -1); a++) {
    lua_getfield(L, -1, gpu_attribute_name(a));
    attributes[a] = (int64_t)lua_tointeger(L, -1);
    lua_pop(L, 1);
  }
  lua_pop(L, 2);
  gpu_roof_device(attributes, out);
}

// What is not known of a kernel's work is that its arrays come once.
static void find_beside(lua_State *L, const struct time_request *r,
                        struct beside *b) {
  *b = (struct beside){.is_gpu = is_gpu(L)};
  b->has_reference = time_reference(L, r->expression, &b->reference);
  if (!b->is_gpu)
    return;
  find_device(L, &b->device);
  b->work.bytes = number(L, "bytes");
  b->work.is_assumed = !b->has_reference;
  if (b->has_reference) {
    b->work.bytes = b->reference.work.bytes;
    b->work.operations = b->reference.work.operations;
  }
  b->work.is_cold = r->is_cold && r->launches <= 1;
}

// A speed that cannot be is none.
static bool is_speed(const struct beside *b, double us) {
  struct gpu_roof roof;
  gpu_roof_judge(&b->device, &b->work, us, &roof);
  return b->is_gpu && roof.kind != GPU_ROOF_CANNOT;
}

static void add_processors(const char *name, double us, double kernel_us,
                           bool is_speed, struct str *out) {
  str_addf(out, "\n%s ", name);
  time_add_us(us, out);
  if (is_speed && kernel_us > 0)
    str_addf(out, us / kernel_us < 10 ? " (%.1f x)" : " (%.0f x)",
             us / kernel_us);
}

static void add_beside(const struct beside *b, double kernel_us,
                       struct str *out) {
  bool speed = is_speed(b, kernel_us);
  const struct time_reference *x = &b->reference;
  if (b->is_gpu)
    time_add_roof(&b->device, &b->work, kernel_us, out);
  if (b->has_reference) {
    char name[64];
    snprintf(name, sizeof name, "best of this CPU, %d thread%s", x->threads,
             x->threads == 1 ? "" : "s");
    add_processors("plain C on one core", x->plain_us, kernel_us, speed, out);
    add_processors(name, x->best_us, kernel_us, speed, out);
  }
  if (!b->is_gpu)
    str_add(out, "\nThis device is a simulation: its kernel time is this "
                 "computer's, says nothing about a GPU's, and has no roof.");
}

static void add_split(lua_State *L, const struct time_request *r,
                      struct str *out) {
  struct beside b;
  find_beside(L, r, &b);
  double us = number(L, "kernel_us"), mad = number(L, "mad_us");
  add_compile(L, out);
  add_copy("copy in", number(L, "copy_in_us"), out);
  str_add(out, " · kernel ");
  time_add_us(us, out);
  if (number(L, "runs") > 1)
    str_addf(out, " ± %.1f", us < 1e3 ? mad : us < 1e6 ? mad / 1e3 : mad / 1e6);
  add_copy(" · copy out", number(L, "copy_out_us"), out);
  add_copy(" · wait", number(L, "wait_us"), out);
  if (is_speed(&b, us))
    add_bandwidth(L, out);
  add_beside(&b, us, out);
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
    add_split(L, r, &out);
  } else {
    str_add(&out, "no kernel was launched · on the host ");
    time_add_us(number(L, "host_us"), &out);
    double runs = number(L, "runs");
    str_addf(&out, runs > 1 ? " (median of %.0f runs)" : " (one run)", runs);
  }
  shop_report(r->shop, out.data);
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
  int status = bind_compile(L, r.expression, "=:time", &is_unfinished);
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
