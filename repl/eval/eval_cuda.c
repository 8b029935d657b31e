// SPDX-License-Identifier: Apache-2.0
// Running the CUDA C that was typed: compiled behind the helpers before it, its
// kernels bound to their names, its text kept for :check and :edit.
#include "base/text/text.h"
#include "repl/eval/eval.h"
#include "repl/eval/pieces.h"
#include "repl/tui/tui.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lua/bind/state/bind.h"
#include "repl/eval/draft.h"

// ---- Compiling ----

// Pushes cuda.module(source, {file = file}) or an error; true when it is a
// module.
static bool push_module(struct shop *s, const struct cuda_text *c,
                        const char *file) {
  lua_State *L = s->L;
  struct str source = STR_INIT;
  pieces_source(&s->pieces, c, file, &source);
  shop_push_field(L, "cuda", "module");
  lua_pushlstring(L, source.data, source.len);
  str_free(&source);
  lua_createtable(L, 0, 2);
  lua_pushstring(L, file);
  lua_setfield(L, -2, "file");
  lua_pushboolean(L, true);
  lua_setfield(L, -2, "kernels_only");
  terminal_catch_interrupts(true);
  int status = bind_pcall(L, 2, 1);
  terminal_catch_interrupts(false);
  return status == LUA_OK;
}

// [kernel]: "add: compiled in 7.4 ms"; :kernel has the figures
static void describe(lua_State *L, const char *name, struct str *out) {
  lua_getfield(L, -1, "compile_ms");
  lua_getfield(L, -2, "is_cached"); // [kernel, ms, cached]
  bool cached = lua_toboolean(L, -1);
  if (cached)
    str_addf(out, message("%s: found in the cache"), name);
  else
    str_addf(out, message("%s: compiled in %.1f ms"), name,
             lua_tonumber(L, -2));
  lua_pop(L, 2);
  str_add(out, "\n");
}

// ---- What was written ----

// The texts of kernels for :edit, in the registry.
#define KERNEL_TEXTS "warpshop.kernel_texts"

static void keep_kernel_text(struct shop *s, const char *name,
                             const char *text) {
  lua_State *L = s->L;
  if (lua_getfield(L, LUA_REGISTRYINDEX, KERNEL_TEXTS) != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_setfield(L, LUA_REGISTRYINDEX, KERNEL_TEXTS);
  }
  lua_pushstring(L, text);
  lua_setfield(L, -2, name);
  lua_pop(L, 1);
}

char *eval_kernel_text(struct shop *s, const char *name) {
  lua_State *L = s->L;
  char *text = NULL;
  if (lua_getfield(L, LUA_REGISTRYINDEX, KERNEL_TEXTS) == LUA_TTABLE) {
    lua_getfield(L, -1, name);
    if (lua_isstring(L, -1))
      text = xstrdup(lua_tostring(L, -1));
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return text;
}

static bool has_kernel(const char *text, const char *wanted) {
  struct cuda_text c;
  bool found = false;
  cuda_text_read(&c, text);
  for (int i = 0; i < c.kernel_count; i++)
    found |= !strcmp(c.kernels[i], wanted);
  cuda_text_free(&c);
  return found;
}

char *eval_work_source(struct shop *s, char *const *kernels, int count) {
  struct str all = STR_INIT, source = STR_INIT;
  char *text = *s->work ? eval_kernel_text(s, s->work) : NULL, file[140];
  if (!text)
    return NULL;
  str_add(&all, text);
  free(text);
  for (int i = 0; i < count; i++) {
    text = has_kernel(all.data, kernels[i]) || !eval_is_work(s, kernels[i])
               ? NULL
               : eval_kernel_text(s, kernels[i]);
    if (text)
      str_addf(&all, "\n%s", text);
    free(text);
  }
  snprintf(file, sizeof file, "%s.cu", s->work);
  struct cuda_text c;
  cuda_text_read(&c, all.data);
  pieces_source(&s->pieces, &c, file, &source);
  cuda_text_free(&c);
  str_free(&all);
  return str_take(&source);
}

static void keep_draft(struct shop *s, enum draft_kind kind, const char *name,
                       const char *text) {
  struct err_info e;
  if (!s->has_no_drafts && draft_keep(kind, name, text, &e)) {
    s->has_no_drafts = true;
    shop_say("drafts are not kept: %s", e.text);
  }
}

// Pushes the table kernel's name -> true of what the learner wrote.
static void push_works(lua_State *L) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, (void *)push_works) == LUA_TTABLE)
    return;
  lua_pop(L, 1);
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, (void *)push_works);
}

void eval_forget_work(struct shop *s) {
  s->work[0] = 0;
  lua_pushnil(s->L);
  lua_rawsetp(s->L, LUA_REGISTRYINDEX, (void *)push_works);
}

bool eval_is_work(struct shop *s, const char *name) {
  push_works(s->L);
  bool is = lua_getfield(s->L, -1, name) != LUA_TNIL;
  lua_pop(s->L, 2);
  return is;
}

static void keep_work(struct shop *s, const struct cuda_text *c) {
  snprintf(s->work, sizeof s->work, "%s",
           c->kernel_count ? c->kernels[0] : "typed");
  keep_kernel_text(s, s->work, c->text);
  s->work_compiles = false;
  push_works(s->L);
  lua_pushboolean(s->L, true);
  lua_setfield(s->L, -2, s->work);
  lua_pop(s->L, 1);
  keep_draft(s, DRAFT_KERNEL, s->work, c->text);
  if (!*s->exercise)
    return;
  struct str all = STR_INIT; // with the helpers that the text stands on
  pieces_source(&s->pieces, c, NULL, &all);
  keep_draft(s, DRAFT_EXERCISE, s->exercise, all.data);
  str_free(&all);
}

void eval_keep_work(struct shop *s, const char *text) {
  struct cuda_text c;
  cuda_text_read(&c, text);
  keep_work(s, &c);
  cuda_text_free(&c);
}

// ---- Binding ----

struct binding {
  struct shop *s;
  const char *name;
  struct str *out;
};

// Binds kernel `name` of the module at index 1 as a global, protected: asking
// for a kernel loads it on the device.
static int bind_kernel(lua_State *L) {
  struct binding *b = lua_touserdata(L, 2);
  lua_getfield(L, 1, b->name); // [module, binding, kernel]
  if (!b->s->mode.is_quiet)
    describe(L, b->name, b->out);
  lua_setglobal(L, b->name);
  snprintf(b->s->kernel, sizeof b->s->kernel, "%s", b->name);
  return 0;
}

// mm"<16>": the instantiation of a kernel template; its text is upvalue 1, its
// file upvalue 2, its name upvalue 3.
static int instantiate(lua_State *L) {
  luaL_argcheck(L, lua_type(L, 1) == LUA_TSTRING && *lua_tostring(L, 1) == '<',
                1, "the template's arguments are a text such as \"<16>\"");
  lua_pushvalue(L, lua_upvalueindex(3));
  lua_pushvalue(L, 1);
  lua_concat(L, 2); // [arguments, name]
  shop_push_field(L, "cuda", "module");
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_createtable(L, 0, 2);
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_setfield(L, -2, "file");
  lua_createtable(L, 1, 0);
  lua_pushvalue(L, -5);
  lua_rawseti(L, -2, 1);
  lua_setfield(L, -2, "instantiate");
  lua_call(L, 2, 1); // [arguments, name, module]
  lua_pushvalue(L, -2);
  lua_gettable(L, -2);
  return 1;
}

static void bind_template(struct shop *s, const struct cuda_text *c,
                          const char *file) {
  const char *name = c->kernels[0];
  struct str out = STR_INIT;
  pieces_source(&s->pieces, c, file, &out);
  lua_pushstring(s->L, out.data);
  lua_pushstring(s->L, file);
  lua_pushstring(s->L, name);
  lua_pushcclosure(s->L, instantiate, 3);
  lua_setglobal(s->L, name);
  str_free(&out);
  shop_note(s, "%s: a template; k = %s\"<...>\" makes a kernel of it", name,
            name);
}

static bool bind_kernels(struct shop *s, const struct cuda_text *c) {
  bool fine = true;
  for (int i = 0; fine && i < c->kernel_count; i++) {
    struct str out = STR_INIT;
    struct binding b = {s, c->kernels[i], &out};
    lua_pushcfunction(s->L, bind_kernel);
    lua_pushvalue(s->L, -2);
    lua_pushlightuserdata(s->L, &b);
    fine = bind_pcall(s->L, 2, 0) == LUA_OK;
    if (fine)
      shop_note(s, "%s", out.data);
    else
      eval_show_error(s);
    keep_kernel_text(s, c->kernels[i], c->text);
    str_free(&out);
  }
  return fine;
}

static void keep_pieces(struct shop *s, const struct cuda_text *c) {
  pieces_keep(&s->pieces, c);
  const char *name = c->pieces.count ? c->pieces.list[0].name : "";
  if (*name && !s->mode.is_quiet)
    shop_note(s, "%s: kept for the kernels that follow", name);
}

// [module] -> [module]: was all of the text left out?
static bool is_host_only(struct shop *s) {
  lua_getfield(s->L, -1, "source");
  const char *text = lua_tostring(s->L, -1);
  const char *last = strstr(text, "\"typed.cu\"\n"); // behind what was kept
  text = last ? last + strlen("\"typed.cu\"\n") : text;
  bool is_blank = !text[strspn(text, " \t\r\n")];
  lua_pop(s->L, 1);
  return is_blank;
}

static bool run_text(struct shop *s, const struct cuda_text *c,
                     const char *file) {
  char own[140];
  snprintf(own, sizeof own, "%s.cu", c->kernel_count ? c->kernels[0] : "typed");
  file = file ? file : own;
  s->is_one_line = true;
  bool fine = push_module(s, c, file);
  if (!fine)
    eval_show_error(s);
  else if (c->is_template)
    bind_template(s, c, file);
  else if (c->kernel_count)
    fine = bind_kernels(s, c);
  else if (is_host_only(s))
    shop_note(s, "(the host's code, left out: at this prompt you are the host, "
                 "and k[{blocks, threads}](x) launches)");
  else
    keep_pieces(s, c);
  if (fine)
    lua_pop(s->L, 1);
  fflush(stdout);
  return fine;
}

// What was written becomes the learner's work at once (:edit finds it again,
// whatever comes of it), or once it runs; or it is none.
enum kept { KEPT_AT_ONCE, KEPT_IF_RIGHT, KEPT_NOT };

// A text is read once, however it came here.
static bool run_and_keep(struct shop *s, const char *text, const char *file,
                         enum kept kept) {
  struct cuda_text c;
  char before[sizeof s->work];
  bool compiled = s->work_compiles;
  snprintf(before, sizeof before, "%s", s->work);
  cuda_text_read(&c, text);
  if (kept == KEPT_AT_ONCE)
    keep_work(s, &c);
  bool fine = run_text(s, &c, file);
  if (kept == KEPT_IF_RIGHT && fine && c.kernel_count) {
    keep_work(s, &c);
    s->work_compiles = true;
  } else if (kept == KEPT_AT_ONCE) {
    s->work_compiles = fine;
  }
  // A helper that was typed is no work of its own: the kernel before still is.
  if (kept == KEPT_AT_ONCE && !file && fine && !c.kernel_count) {
    snprintf(s->work, sizeof s->work, "%s", before);
    s->work_compiles = compiled;
  }
  cuda_text_free(&c);
  return fine;
}

bool eval_typed_cuda(struct shop *s, void *text) {
  bool is_typed = s->mode.is_prompt && !s->mode.is_playing;
  return run_and_keep(s, text, NULL, is_typed ? KEPT_AT_ONCE : KEPT_NOT);
}

bool eval_edited_cuda(struct shop *s, const char *text, const char *file) {
  return run_and_keep(s, text, file, KEPT_AT_ONCE);
}

bool eval_loaded_cuda(struct shop *s, const char *text, const char *file) {
  return run_and_keep(s, text, file, KEPT_IF_RIGHT);
}
