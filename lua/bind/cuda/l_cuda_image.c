// SPDX-License-Identifier: Apache-2.0
// Modules that come compiled, by CuPy's names: cuda.RawModule and
// cuda.RawKernel take CUDA C, PTX, a cubin or a fatbin; m:save(path) writes the
// last three.
#include "lua/bind/cuda/l_cuda_image.h"
#include "lua/bind/cuda/cuda.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "lua/bind/cuda/l_cuda_module.h"
#include "lua/bind/cuda/l_cuda_resources.h"

enum { MAX_FILE_BYTES = 256 << 20 };

bool lmodule_take_image(lua_State *L, struct lmodule *m, const char *text,
                        size_t bytes) {
  static const char *const names[] = {
      [NVRTC_IMAGE_PTX] = "module.ptx",
      [NVRTC_IMAGE_CUBIN] = "module.cubin",
      [NVRTC_IMAGE_FATBIN] = "module.fatbin",
  };
  enum nvrtc_image kind = nvrtc_image_kind(text, bytes);
  if (kind == NVRTC_IMAGE_NONE)
    return false;
  if (m->option_count || m->instantiate_count)
    bind_error(L, ERR_ARGUMENT,
               "options and instantiate are for CUDA C, and this is compiled "
               "already (%s)",
               names[kind] + strlen("module."));
  m->image = xmalloc(bytes + 1);
  memcpy(m->image, text, bytes);
  m->image[bytes] = 0;
  m->image_bytes = bytes;
  if (!m->file)
    m->file = xstrdup(names[kind]);
  return true;
}

// ---- m:get_function(name), m:save(path) ----

int lmodule_get_function(lua_State *L) {
  luaL_checkudata(L, 1, LCUDA_MODULE);
  luaL_checkstring(L, 2);
  lua_settop(L, 2);
  lua_gettable(L, 1); // says which kernels there are
  if (!luaL_testudata(L, -1, LCUDA_KERNEL))
    bind_error(L, ERR_ARGUMENT, "that is no kernel, but a field of modules");
  return 1;
}

static void write_file(lua_State *L, const char *path, const void *data,
                       size_t bytes) {
  struct err_info e = {0};
  if (file_write(path, data, bytes, 0600, &e))
    bind_error_info(L, &e);
}

static void save_one(lua_State *L, struct lmodule *m, const char *path,
                     const char *arch, bool want_ptx) {
  struct nvrtc_program *p = lmodule_compile(L, m, arch, want_ptx);
  bool is_cubin = !want_ptx &&
                  nvrtc_image_kind(p->code, p->code_bytes) == NVRTC_IMAGE_CUBIN;
  struct err_info e = {0};
  enum err err =
      want_ptx || is_cubin
          ? file_write(path, p->code, p->code_bytes, 0600, &e)
          : err_set(&e, ERR_UNSUPPORTED,
                    "%s has no cubin in it: only ptxas makes one of PTX",
                    m->file);
  nvrtc_program_free(p);
  if (err)
    bind_error_info(L, &e);
}

static void save_fatbin(lua_State *L, struct lmodule *m, const char *path,
                        const char *device_arch) {
  char native[24], portable[24];
  int arch = lcuda_arch_number(device_arch);
  lcuda_native_arch(device_arch, native);
  snprintf(portable, sizeof portable, "compute_%d", arch);
  struct nvrtc_program *cubin = lmodule_compile(L, m, native, false), *ptx;
  struct err_info e = {0};
  enum err err = lmodule_try_compile(m, portable, true, &ptx, &e);
  struct str out = STR_INIT;
  if (!err) {
    struct nvrtc_member members[] = {
        {cubin->code, cubin->code_bytes, false, arch},
        {ptx->code, ptx->code_bytes, true, arch},
    };
    err = nvrtc_make_fatbin(members, 2, &out, &e);
  }
  nvrtc_program_free(ptx);
  nvrtc_program_free(cubin);
  if (!err)
    err = file_write(path, out.data, out.len, 0600, &e);
  str_free(&out);
  if (err)
    bind_error_info(L, &e);
}

int lmodule_save(lua_State *L) {
  struct lmodule *m = *(struct lmodule **)luaL_checkudata(L, 1, LCUDA_MODULE);
  const char *path = luaL_checkstring(L, 2);
  const char *dot = strrchr(path, '.');
  struct ldevice *d = lcuda_device(L);
  char name[24];
  if (dot && !strcmp(dot, ".ptx")) {
    snprintf(name, sizeof name, "compute_%d", lcuda_arch_number(d->info.arch));
    save_one(L, m, path, name, true);
  } else if (dot && !strcmp(dot, ".cubin")) {
    lcuda_native_arch(d->info.arch, name);
    save_one(L, m, path, name, false);
  } else if (dot && !strcmp(dot, ".fatbin")) {
    if (m->image) // as it came
      write_file(L, path, m->image, m->image_bytes);
    else
      save_fatbin(L, m, path, d->info.arch);
  } else {
    bind_error(L, ERR_ARGUMENT,
               "save: \"%s\" must end in .ptx, .cubin or .fatbin", path);
  }
  return 0;
}

// ---- cuda.RawModule, cuda.RawKernel ----

static void push_file(lua_State *L, const char *path) {
  struct err_info e = {0};
  char *data;
  size_t bytes;
  if (file_read(path, MAX_FILE_BYTES, &data, &bytes, &e))
    bind_error_info(L, &e);
  lua_pushlstring(L, data, bytes);
  free(data);
}

static void check_settings(lua_State *L) {
  static const char *const known[] = {"code", "path", "options",
                                      "name_expressions", "cache"};
  lua_pushnil(L);
  while (lua_next(L, 1)) {
    lua_pop(L, 1);
    bool is_known = false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
      is_known |= lua_type(L, -1) == LUA_TSTRING &&
                  !strcmp(lua_tostring(L, -1), known[i]);
    if (!is_known)
      bind_error(L, ERR_ARGUMENT,
                 "cuda.RawModule has no setting \"%s\"; there are code, path, "
                 "options, name_expressions and cache",
                 luaL_tolstring(L, -1, NULL));
  }
}

// cuda.module(text at `code`, the settings of RawModule's table at `from`).
static void call_module(lua_State *L, int code, int from) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, code);
  lua_newtable(L);
  lua_getfield(L, from, "options");
  lua_setfield(L, -2, "options");
  lua_getfield(L, from, "name_expressions");
  lua_setfield(L, -2, "instantiate");
  lua_getfield(L, from, "cache");
  lua_setfield(L, -2, "cache");
  if (lua_getfield(L, from, "path") == LUA_TSTRING) {
    const char *slash = strrchr(lua_tostring(L, -1), '/');
    lua_pushstring(L, slash ? slash + 1 : lua_tostring(L, -1));
    lua_setfield(L, -3, "file");
  }
  lua_pop(L, 1);
  lua_call(L, 2, 1);
}

static int l_raw_module(lua_State *L) {
  if (lua_type(L, 1) == LUA_TSTRING) { // RawModule(code)
    lua_settop(L, 1);
    lua_newtable(L);
    lua_insert(L, 1);
    lua_setfield(L, 1, "code");
  }
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  check_settings(L);
  bool has_code = lua_getfield(L, 1, "code") != LUA_TNIL;
  bool has_path = lua_getfield(L, 1, "path") != LUA_TNIL;
  if (has_code == has_path)
    bind_error(L, ERR_ARGUMENT,
               "cuda.RawModule takes either code = \"...\" or path = \"FILE\" "
               "(CUDA C, PTX, a cubin or a fatbin)");
  if (has_path)
    push_file(L, luaL_checkstring(L, 3));
  call_module(L, has_path ? 4 : 2, 1);
  return 1;
}

// cuda.RawKernel(code, name [, options])
static int l_raw_kernel(lua_State *L) {
  luaL_checkstring(L, 1);
  luaL_checkstring(L, 2);
  lua_settop(L, 3);
  lua_newtable(L);
  lua_pushvalue(L, 3);
  lua_setfield(L, 4, "options");
  if (strchr(lua_tostring(L, 2), '<')) {
    lua_createtable(L, 1, 0);
    lua_pushvalue(L, 2);
    lua_rawseti(L, -2, 1);
    lua_setfield(L, 4, "name_expressions");
  }
  call_module(L, 1, 4);
  lua_pushvalue(L, 2);
  lua_gettable(L, -2);
  return 1;
}

// ---- cuda.fatbin ----

enum { MAX_MEMBERS = 16 };

struct members {
  struct nvrtc_program *programs[MAX_MEMBERS];
  struct nvrtc_member list[MAX_MEMBERS];
  int count;
};

// "sm_80" is a cubin, "compute_90" PTX.
static bool is_arch(const char *name, bool *is_ptx) {
  *is_ptx = str_starts(name, "compute_");
  return (*is_ptx || str_starts(name, "sm_")) && lcuda_arch_number(name) > 0;
}

static enum err add_member(struct members *m, struct lmodule *module,
                           const char *arch, bool is_ptx, struct err_info *e) {
  struct nvrtc_program *p = NULL;
  enum err err = lmodule_try_compile(module, arch, is_ptx, &p, e);
  if (err)
    return err;
  m->programs[m->count] = p;
  m->list[m->count++] = (struct nvrtc_member){p->code, p->code_bytes, is_ptx,
                                              lcuda_arch_number(arch)};
  return ERR_OK;
}

// cuda.fatbin(source, {"sm_80", "sm_90", "compute_90"} [, settings]): the bytes
// of one image that holds the source compiled for each. Settings are those of
// cuda.module.
static int l_fatbin(lua_State *L) {
  luaL_checkstring(L, 1);
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 3);
  lua_Integer count = luaL_len(L, 2);
  if (count < 1 || count > MAX_MEMBERS)
    bind_error(L, ERR_ARGUMENT,
               "cuda.fatbin takes 1 to %d architectures, such as {\"sm_80\", "
               "\"compute_90\"}, not %d",
               (int)MAX_MEMBERS, (int)count);
  for (lua_Integer i = 1; i <= count; i++) {
    bool is_ptx;
    if (lua_geti(L, 2, i) != LUA_TSTRING ||
        !is_arch(lua_tostring(L, -1), &is_ptx))
      bind_error(L, ERR_ARGUMENT,
                 "cuda.fatbin: \"%s\" is no architecture: \"sm_80\" is machine "
                 "code, \"compute_80\" PTX",
                 luaL_tolstring(L, -1, NULL));
  }
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 3);
  lua_call(L, 2, 1);
  struct lmodule *module = *(struct lmodule **)lua_touserdata(L, -1);
  struct members m = {.count = 0};
  struct err_info e = {0};
  struct str out = STR_INIT;
  enum err err = ERR_OK;
  for (int i = 0; !err && i < (int)count; i++) {
    const char *arch = lua_tostring(L, 4 + i);
    err = add_member(&m, module, arch, str_starts(arch, "compute_"), &e);
  }
  if (!err)
    err = nvrtc_make_fatbin(m.list, m.count, &out, &e);
  for (int i = 0; i < m.count; i++)
    nvrtc_program_free(m.programs[i]);
  if (!err)
    lua_pushlstring(L, out.data, out.len);
  str_free(&out);
  if (err)
    bind_error_info(L, &e);
  return 1;
}

int lcuda_open_image(lua_State *L) {
  lua_getfield(L, -1, "module"); // [cuda, module]
  lua_pushvalue(L, -1);
  lua_pushcclosure(L, l_raw_module, 1);
  lua_setfield(L, -3, "RawModule");
  lua_pushvalue(L, -1);
  lua_pushcclosure(L, l_fatbin, 1);
  lua_setfield(L, -3, "fatbin");
  lua_pushcclosure(L, l_raw_kernel, 1);
  lua_setfield(L, -2, "RawKernel");
  return 0;
}
