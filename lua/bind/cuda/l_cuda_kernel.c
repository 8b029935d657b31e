// SPDX-License-Identifier: Apache-2.0
// A kernel in Lua: k[{grid, block}], which is a launcher, and what a kernel
// tells about itself.
#include "lua/bind/cuda/l_cuda_kernel.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lua/bind/cuda/l_cuda_launch.h"
#include "lua/bind/cuda/l_cuda_launcher.h"
#include "lua/bind/cuda/l_cuda_module.h"
#include "lua/bind/cuda/l_cuda_resources.h"

static void push_attributes(lua_State *L, struct lkernel *k) {
  lkernel_bind(L, k, lcuda_device(L));
  const struct gpu_function_info *info = &k->info;
  struct lresources r = lkernel_resources(k);
  lua_createtable(L, 0, 9);
  if (r.registers >= 0)
    bind_set_integer(L, "registers", r.registers);
  bind_set_integer(L, "shared", info->shared_bytes);
  bind_set_integer(L, "local", r.local_bytes);
  bind_set_integer(L, "max_threads", info->max_threads_per_block);
  // The same by the driver's names.
  bind_set_integer(L, "shared_bytes", info->shared_bytes);
  bind_set_integer(L, "local_bytes", r.local_bytes);
  bind_set_integer(L, "const_bytes", info->const_bytes);
  bind_set_integer(L, "max_threads_per_block", info->max_threads_per_block);
  bind_set_integer(L, "param_bytes", info->param_bytes);
}

// CuPy's RawKernel has each as a field of its own.
static bool push_cupy_attribute(lua_State *L, struct lkernel *k,
                                const char *name) {
  static const char *const names[][2] = {
      {"num_regs", "registers"},
      {"shared_size_bytes", "shared_bytes"},
      {"local_size_bytes", "local_bytes"},
      {"const_size_bytes", "const_bytes"},
      {"max_threads_per_block", "max_threads_per_block"},
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(names[i][0], name) != 0)
      continue;
    push_attributes(L, k);
    lua_getfield(L, -1, names[i][1]);
    return true;
  }
  return false;
}

static void push_parameters(lua_State *L, struct lkernel *k) {
  const struct nvrtc_kernel *decl = lkernel_decl(k);
  lua_createtable(L, decl->param_count, 0);
  for (int i = 0; i < decl->param_count; i++) {
    lua_createtable(L, 0, 4);
    bind_set_text(L, "name", decl->params[i].name);
    bind_set_text(L, "type", decl->params[i].declared);
    lua_pushboolean(L, decl->params[i].is_pointer);
    lua_setfield(L, -2, "is_pointer");
    lua_pushboolean(L, decl->params[i].is_const);
    lua_setfield(L, -2, "is_const");
    lua_rawseti(L, -2, i + 1);
  }
}

static void push_ptx(lua_State *L, struct lkernel *k) {
  struct ldevice *d = lcuda_device(L);
  struct lmodule *m = k->module;
  if (m->program->is_ptx) {
    lua_pushlstring(L, m->program->code, m->program->code_bytes);
    return;
  }
  char arch[24];
  snprintf(arch, sizeof arch, "compute_%d", lcuda_arch_number(d->info.arch));
  struct nvrtc_program *p = lmodule_compile(L, m, arch, true);
  lua_pushlstring(L, p->code, p->code_bytes);
  nvrtc_program_free(p);
}

// SASS of the device's own architecture; the virtual GPU's is the one that a
// real GPU of its capability would run.
static void push_sass(lua_State *L, struct lkernel *k) {
  struct ldevice *d = lcuda_device(L);
  struct err_info e = {0};
  char arch[24], *text = NULL;
  lcuda_native_arch(d->info.arch, arch);
  struct nvrtc_program *p = lmodule_compile(L, k->module, arch, false);
  enum err err = nvrtc_disassemble(p->code, p->code_bytes, &text, &e);
  nvrtc_program_free(p);
  if (err != ERR_OK)
    bind_error_info(L, &e);
  lua_pushstring(L, text);
  free(text);
}

static void push_signature(lua_State *L, struct lkernel *k) {
  char text[1024];
  lkernel_signature(k, text, sizeof text);
  lua_pushstring(L, text);
}

static int kernel_field(lua_State *L, struct lkernel *k, const char *name) {
  static const char *const fields =
      "attributes, name, parameters, signature, source, file, ptx, sass, "
      "diagnostics, compile_ms, is_cached";
  struct lmodule *m = k->module;
  if (strcmp(name, "attributes") == 0)
    push_attributes(L, k);
  else if (strcmp(name, "name") == 0)
    lua_pushstring(L, k->name);
  else if (strcmp(name, "parameters") == 0)
    push_parameters(L, k);
  else if (strcmp(name, "signature") == 0)
    push_signature(L, k);
  else if (strcmp(name, "source") == 0)
    lua_pushstring(L, m->source);
  else if (strcmp(name, "file") == 0)
    lua_pushstring(L, m->file);
  else if (strcmp(name, "ptx") == 0)
    push_ptx(L, k);
  else if (strcmp(name, "sass") == 0)
    push_sass(L, k);
  else if (strcmp(name, "diagnostics") == 0)
    lmodule_push_diagnostics(L, m->program);
  else if (strcmp(name, "compile_ms") == 0)
    lua_pushnumber(L, m->compile_ms);
  else if (strcmp(name, "is_cached") == 0)
    lua_pushboolean(L, m->is_cached);
  else if (!push_cupy_attribute(L, k, name))
    bind_error(L, ERR_ARGUMENT, "a kernel has no field \"%s\"; it has %s", name,
               fields);
  return 1;
}

// k[{grid, block}] is a launcher; k.name and the like are fields.
static int kernel_index(lua_State *L) {
  struct lkernel *k = *(struct lkernel **)lua_touserdata(L, 1);
  switch (lua_type(L, 2)) {
  case LUA_TTABLE: return lkernel_push_launcher(L, 2);
  case LUA_TSTRING: return kernel_field(L, k, lua_tostring(L, 2));
  default: return lkernel_call_without_grid(L);
  }
}

static bool is_size(lua_State *L, int i) {
  return lua_type(L, i) == LUA_TTABLE || lua_isinteger(L, i);
}

// k(blocks, threads, {arguments} [, {shared_mem =, stream =}]), as CuPy's
// RawKernel is called.
static int call_as_cupy(lua_State *L) {
  lua_settop(L, 5);
  lua_createtable(L, 2, 2); // [k, blocks, threads, arguments, options, config]
  for (int i = 1; i <= 2; i++) {
    lua_pushvalue(L, 1 + i);
    lua_rawseti(L, 6, i);
  }
  if (lua_istable(L, 5)) {
    lua_getfield(L, 5, "shared_mem");
    lua_setfield(L, 6, "shared");
    lua_getfield(L, 5, "stream");
    lua_setfield(L, 6, "stream");
  }
  lkernel_push_launcher(L, 6);
  int count = (int)luaL_len(L, 4);
  luaL_checkstack(L, count, "too many arguments");
  for (int i = 1; i <= count; i++)
    lua_geti(L, 4, i);
  lua_call(L, count, 0);
  return 0;
}

// k{grid =, block =} is a launcher; k(...) lacks its grid.
static int kernel_call(lua_State *L) {
  if (is_size(L, 2) && is_size(L, 3) && lua_type(L, 4) == LUA_TTABLE)
    return call_as_cupy(L);
  bool is_config = lua_gettop(L) == 2 && lua_type(L, 2) == LUA_TTABLE;
  return is_config ? lkernel_push_launcher(L, 2) : lkernel_call_without_grid(L);
}

static int kernel_tostring(lua_State *L) {
  lua_pushliteral(L, "kernel ");
  push_signature(L, *(struct lkernel **)luaL_checkudata(L, 1, LCUDA_KERNEL));
  lua_concat(L, 2);
  return 1;
}

static int kernel_gc(lua_State *L) {
  struct lkernel **box = luaL_checkudata(L, 1, LCUDA_KERNEL);
  lkernel_unref(*box);
  *box = NULL;
  return 0;
}

void lkernel_open(lua_State *L) {
  static const luaL_Reg meta[] = {
      {"__index", kernel_index},
      {"__call", kernel_call},
      {"__tostring", kernel_tostring},
      {"__gc", kernel_gc},
      {NULL, NULL},
  };
  luaL_newmetatable(L, LCUDA_KERNEL);
  luaL_setfuncs(L, meta, 0);
  lua_pop(L, 1);
}
