// SPDX-License-Identifier: Apache-2.0
// A case that was kept as a file, at the prompt.
#include "repl/command/kept.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "grade/case/case.h"
#include "lua/bind/np/array.h"
#include "lua/bind/state/bind.h"
#include "repl/eval/eval.h"
#include "repl/tui/tui.h"

bool kept_is(const char *text) {
  return case_file_is(text) && !strpbrk(text, "\"'([{ ");
}

static void push_value(lua_State *L, const struct exercise_param *p,
                       const struct case_arg *a) {
  int64_t count = (int64_t)a->count;
  if (!a->data && dtype_kind(p->dtype) == 'f') {
    lua_pushnumber(L, a->number);
  } else if (!a->data) {
    lua_pushinteger(L, a->integer);
  } else {
    struct array *to = array_push_host(L, p->dtype, 1, &count);
    memcpy(array_data(to), a->data, a->count * dtype_bytes(p->dtype));
    array_touch(to);
  }
}

// [case file] -> the global `case`
static int make_case(lua_State *L) {
  const struct case_file *f = lua_touserdata(L, 1);
  lua_newtable(L);
  for (int i = 0; i < f->ex->param_count; i++) {
    push_value(L, &f->ex->params[i], &f->in.args[i]);
    lua_setfield(L, 2, f->ex->params[i].name);
  }
  shop_push_field(L, "cuda", "module");
  lua_pushstring(L, f->source.text);
  lua_call(L, 1, 1);
  lua_setfield(L, 2, "code");
  lua_setglobal(L, "case");
  return 0;
}

static char *write_launch(const struct case_file *f) {
  const struct case_input *in = &f->in;
  struct str s = STR_INIT;
  str_addf(&s, "case.code.%s{grid = {%u, %u, %u}, block = {%u, %u, %u}",
           f->ex->kernel, in->grid[0], in->grid[1], in->grid[2], in->block[0],
           in->block[1], in->block[2]);
  if (in->shared_bytes)
    str_addf(&s, ", shared = %u", in->shared_bytes);
  if (in->is_cooperative)
    str_add(&s, ", cooperative = true");
  str_add(&s, "}(");
  for (int i = 0; i < f->ex->param_count; i++)
    str_addf(&s, "%scase.%s", i ? ", " : "", f->ex->params[i].name);
  str_add(&s, ")");
  return str_take(&s);
}

// What a launch with arrays and numbers alone is not.
static bool is_one_launch(const struct exercise *ex) {
  bool is_plain = ex->kind == EXERCISE_CUDA && !ex->most_launches;
  for (int i = 0; i < ex->param_count; i++)
    is_plain &= ex->params[i].direction != PARAM_CONSTANT &&
                ex->params[i].direction != PARAM_TEXTURE;
  return is_plain;
}

char *kept_load(struct shop *s, const char *path) {
  struct case_file f;
  struct err_info e;
  if (case_file_open(path, NULL, &f, &e)) {
    shop_warn(s, "%s", e.text);
    return NULL;
  }
  char *launch = NULL;
  if (!is_one_launch(f.ex)) {
    shop_warn(s,
              "%s is of exercise %s, which is not one launch of arrays and "
              "numbers; warpshop grade %s judges it",
              path, f.ex->name, path);
  } else {
    lua_pushcfunction(s->L, make_case);
    lua_pushlightuserdata(s->L, &f);
    if (bind_pcall(s->L, 1, 0) == LUA_OK)
      launch = write_launch(&f);
    else
      eval_show_error(s);
  }
  case_file_close(&f);
  return launch;
}
