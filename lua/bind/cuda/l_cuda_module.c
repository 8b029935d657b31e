// SPDX-License-Identifier: Apache-2.0
// From source text to kernels: compiling, and loading on a device (again after a
// restart or for another device).
#include "lua/bind/cuda/l_cuda_module.h"

#include <ctype.h>
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "gpu/finding/finding.h"
#include "gpu/nvrtc/nvrtc.h"
#include "gpu/remote/remote.h"
#include "lua/bind/cuda/l_cuda_calls.h"
#include "lua/bind/cuda/l_cuda_finding.h"
#include "lua/bind/cuda/l_cuda_image.h"
#include "lua/bind/cuda/l_cuda_kernel.h"
#include "lua/bind/cuda/l_cuda_resources.h"
#include "lua/bind/cuda/l_cuda_variable.h"
#include "lua/bind/cuda/l_cuda_wait.h"
#include "lua/bind/np/array.h"

// ---- Lifetimes ----

static void free_strings(char **list, int count) {
  for (int i = 0; i < count; i++)
    free(list[i]);
  free(list);
}

static void module_unref(struct lmodule *m) {
  if (!m || --m->refs > 0)
    return;
  struct err_info e;
  // The device may be gone by now; then the module went with it.
  struct ldevice *d = m->device;
  for (struct ldevice *o = m->owner->devices; o; o = o->next)
    if (o == d && m->handle && m->generation == d->generation)
      d->gpu->backend->module_unload(d->gpu, m->handle, &e);
  lmodule_forget_variables(m);
  nvrtc_program_free(m->program);
  nvrtc_program_free(m->native);
  free_strings(m->options, m->option_count);
  free_strings(m->instantiate, m->instantiate_count);
  free(m->source);
  free(m->image);
  free(m->file);
  free(m);
}

struct lkernel *lkernel_ref(struct lkernel *k) {
  k->refs++;
  return k;
}

void lkernel_unref(struct lkernel *k) {
  if (!k || --k->refs > 0)
    return;
  module_unref(k->module);
  free(k->name);
  free(k->plan);
  free(k);
}

const struct nvrtc_kernel *lkernel_decl(const struct lkernel *k) {
  return &k->module->program->kernels[k->index];
}

void lkernel_signature(const struct lkernel *k, char *out, size_t bytes) {
  const struct nvrtc_kernel *decl = lkernel_decl(k);
  size_t n = (size_t)snprintf(out, bytes, "%s(", k->name);
  for (int i = 0; i < decl->param_count && n < bytes; i++) {
    const struct nvrtc_param *p = &decl->params[i];
    const char *type = p->declared ? p->declared : "?";
    bool is_tight = type[0] && type[strlen(type) - 1] == '*';
    n += (size_t)snprintf(out + n, bytes - n, "%s%s%s%s", i ? ", " : "", type,
                          p->name && !is_tight ? " " : "",
                          p->name ? p->name : "");
  }
  if (n < bytes)
    snprintf(out + n, bytes - n, ")");
}

// ---- Compiling ----

static const char *const severities[] = {"error", "warning", "note"};

void lmodule_push_diagnostics(lua_State *L, const struct nvrtc_program *p) {
  lua_createtable(L, p->diagnostic_count, 0);
  for (int i = 0; i < p->diagnostic_count; i++) {
    const struct nvrtc_diagnostic *d = &p->diagnostics[i];
    lua_createtable(L, 0, 10); // [list, diagnostic]
    bind_set_text(L, "kind", err_kind(ERR_COMPILE));
    bind_set_text(L, "severity", severities[d->severity]);
    bind_set_text(L, "file", d->file);
    bind_set_integer(L, "line", d->line);
    if (d->column > 0)
      bind_set_integer(L, "column", d->column);
    bind_set_text(L, "code", "compile");
    bind_set_text(L, "message", d->text);
    bind_set_text(L, "source", d->source);
    bind_set_text(L, "explain", d->hint);
    lua_newtable(L);
    lua_setfield(L, -2, "stack");
    lua_rawseti(L, -2, i + 1);
  }
}

static int raise_compile_error(lua_State *L, struct nvrtc_program *p) {
  char *text = nvrtc_format(p->diagnostics, p->diagnostic_count);
  size_t bytes = strlen(text);
  if (bytes && text[bytes - 1] == '\n')
    text[bytes - 1] = 0;
  bind_push_error(L, ERR_COMPILE, text); // [error]
  free(text);
  lmodule_push_diagnostics(L, p);
  lua_setfield(L, -2, "diagnostics");
  nvrtc_program_free(p);
  return lua_error(L);
}

enum err lmodule_try_compile(const struct lmodule *m, const char *arch,
                             bool want_ptx, struct nvrtc_program **out,
                             struct err_info *e) {
  if (m->image)
    return nvrtc_load_image(m->image, m->image_bytes, arch, want_ptx, out, e);
  struct nvrtc_request request = {
      .source = m->source,
      .file = m->file,
      .arch = arch,
      .want_ptx = want_ptx,
      .no_ptxas = m->no_ptxas,
      .options = (const char *const *)m->options,
      .option_count = m->option_count,
      .instantiate = (const char *const *)m->instantiate,
      .instantiate_count = m->instantiate_count,
      .no_cache = m->no_cache,
      .is_cancelled = lcuda_is_cancelled,
  };
  *out = NULL;
  if (m->owner->options.has_no_compiler)
    return err_set(e, ERR_UNSUPPORTED,
                   "nothing is compiled here: the kernels are the exercise's");
  return nvrtc_compile(m->owner->nvrtc, &request, out, e);
}

static bool is_own_warning(const struct lmodule *m,
                           const struct nvrtc_diagnostic *d) {
  return d->severity == NVRTC_WARNING && d->file && !strcmp(d->file, m->file);
}

static void say_warning(const struct lmodule *m, int line, const char *what,
                        const char *why) {
  struct str text = STR_INIT;
  str_addf(&text, "%s:%d  %s%s%s", m->file, line, what, why ? "\n  " : "",
           why ? why : "");
  lcuda_say_once(m->owner, true, text.data);
  str_free(&text);
}

#define UNSET "Line %d declares %s without a value, and nothing gives it one: "

// Numbers that are only updated, of which the compiler did not warn itself.
static void say_unset(const struct lmodule *m, const struct nvrtc_program *p) {
  struct finding_unset all[8];
  int count = finding_find_unset(m->source, all, 8);
  for (int i = 0; i < count; i++) {
    const struct finding_unset *u = &all[i];
    bool is_said = false;
    char *what =
        xasprintf("variable \"%s\" is used before its value is set", u->name);
    char *why =
        u->start ? xasprintf(UNSET "write %s = %s there.", u->declared, u->name,
                             u->name, u->start)
                 : xasprintf(UNSET "give it one there.", u->declared, u->name);
    for (int k = 0; k < p->diagnostic_count; k++) {
      const struct nvrtc_diagnostic *d = &p->diagnostics[k];
      is_said |= is_own_warning(m, d) && !strcmp(d->text, what) &&
                 d->line >= u->declared && d->line <= u->last;
    }
    if (!is_said)
      say_warning(m, u->line, what, why);
    free(why);
    free(what);
  }
}

// What the compiler warns of in the learner's own lines.
static void say_warnings(const struct lmodule *m,
                         const struct nvrtc_program *p) {
  for (int i = 0; i < p->diagnostic_count; i++) {
    const struct nvrtc_diagnostic *d = &p->diagnostics[i];
    if (is_own_warning(m, d))
      say_warning(m, d->line, d->text, d->hint);
  }
  if (m->source)
    say_unset(m, p);
}

// For a device; a host_compiler.
struct compile {
  const struct lmodule *module;
  const struct gpu_device_info *info;
};

static enum err compile_source(void *context, struct nvrtc_program **out,
                               struct err_info *e) {
  const struct compile *c = context;
  return lmodule_try_compile(c->module, c->info->arch, !c->info->takes_cubin,
                             out, e);
}

// Raises what went wrong.
static struct nvrtc_program *compiled(lua_State *L, const struct lmodule *m,
                                      struct nvrtc_program *p, enum err err,
                                      struct err_info *e) {
  if (err == ERR_COMPILE && p)
    raise_compile_error(L, p);
  if (err != ERR_OK) {
    nvrtc_program_free(p);
    if (err == ERR_CANCELLED)
      bind_clear_interrupt();
    bind_error_info(L, e);
  }
  say_warnings(m, p);
  return p;
}

struct nvrtc_program *lmodule_compile(lua_State *L, const struct lmodule *m,
                                      const char *arch, bool want_ptx) {
  struct nvrtc_program *p;
  struct err_info e = {0};
  enum err err = lmodule_try_compile(m, arch, want_ptx, &p, &e);
  return compiled(L, m, p, err, &e);
}

// Makes m->program the code for `d`.
static void compile_for(lua_State *L, struct lmodule *m, struct ldevice *d) {
  struct nvrtc_program *p = m->program;
  // "sm_80" and "compute_80": what it is of, is_ptx tells.
  if (p && lcuda_arch_number(p->arch) == lcuda_arch_number(d->info.arch) &&
      p->is_ptx != d->info.takes_cubin)
    return;
  struct err_info e = {0};
  struct compile c = {m, &d->info};
  enum err err = m->kernels_only
                     ? host_compile(&m->source, compile_source, &c, &p, &e)
                     : compile_source(&c, &p, &e);
  p = compiled(L, m, p, err, &e);
  lcuda_count(m->owner, GPU_CALL_COMPILES, 1);
  if (!m->program) {
    m->compile_ms = p->compile_ms;
    m->is_cached = p->is_cached;
  } else if (p->kernel_count != m->program->kernel_count) {
    nvrtc_program_free(p);
    bind_error(L, ERR_INTERNAL, "%s has other kernels on %s", m->file, d->id);
  }
  nvrtc_program_free(m->program);
  m->program = p;
}

// ---- Loading ----

static void load_on(lua_State *L, struct lmodule *m, struct ldevice *d) {
  struct err_info e = {0};
  if (m->handle && m->device == d && m->generation == d->generation)
    return;
  compile_for(L, m, d);
  const struct gpu_backend *b = d->gpu->backend;
  m->handle = 0;
  enum err err = b->module_load(d->gpu, m->program->code,
                                m->program->code_bytes, &m->handle, &e);
  if (err == ERR_DEVICE_LOST && ldevice_revive(L, d))
    err = b->module_load(d->gpu, m->program->code, m->program->code_bytes,
                         &m->handle, &e);
  if (err != ERR_OK)
    ldevice_fail(L, d, &e);
  ldevice_sync(d);
  m->device = d;
  m->generation = d->generation;
  m->first_launch = 0;
}

static uint32_t bit(enum dtype t) {
  return 1u << t;
}

// Which element types a pointer takes; signedness does not matter.
static uint32_t accepted_dtypes(const struct nvrtc_param *p) {
  if (p->pointer_levels > 1)
    return bit(DTYPE_I64) | bit(DTYPE_U64);
  switch (p->type) {
  case NVRTC_BOOL: return bit(DTYPE_BOOL);
  case NVRTC_I8:
  case NVRTC_U8: return bit(DTYPE_I8) | bit(DTYPE_U8);
  case NVRTC_I16:
  case NVRTC_U16: return bit(DTYPE_I16) | bit(DTYPE_U16);
  case NVRTC_I32:
  case NVRTC_U32: return bit(DTYPE_I32) | bit(DTYPE_U32);
  case NVRTC_I64:
  case NVRTC_U64: return bit(DTYPE_I64) | bit(DTYPE_U64);
  case NVRTC_F16: return bit(DTYPE_F16);
  case NVRTC_BF16: return bit(DTYPE_BF16);
  case NVRTC_F32: return bit(DTYPE_F32);
  case NVRTC_F64: return bit(DTYPE_F64);
  default: // void * and pointers to structs take anything
    return ~0u;
  }
}

static enum arg_kind kind_of(const struct nvrtc_param *p, bool is_image) {
  if (p->is_pointer)
    return ARG_POINTER;
  bool is_word = p->bytes <= 8 && !(p->bytes & (p->bytes - 1));
  if (is_image && p->type == NVRTC_OPAQUE && is_word)
    return ARG_UNKNOWN;
  if (p->vector_lanes > 1)
    return ARG_BYTES;
  switch (p->type) {
  case NVRTC_BOOL: return ARG_BOOL;
  case NVRTC_I8:
  case NVRTC_I16:
  case NVRTC_I32:
  case NVRTC_I64: return ARG_INT;
  case NVRTC_U8:
  case NVRTC_U16:
  case NVRTC_U32:
  case NVRTC_U64: return ARG_UINT;
  case NVRTC_F16:
  case NVRTC_BF16:
  case NVRTC_F32:
  case NVRTC_F64: return ARG_FLOAT;
  default: return ARG_BYTES;
  }
}

// A cubin may tell no parameters; the loaded kernel tells their sizes.
static void find_params(struct lkernel *k) {
  struct nvrtc_kernel *decl = &k->module->program->kernels[k->index];
  if (decl->param_count >= 0)
    return;
  decl->param_count = (int)k->info.param_count;
  decl->params = xcalloc((size_t)decl->param_count + 1, sizeof *decl->params);
  for (int i = 0; i < decl->param_count; i++)
    decl->params[i] = (struct nvrtc_param){.type = NVRTC_OPAQUE,
                                           .vector_lanes = 1,
                                           .bytes = k->info.params[i].bytes};
}

static void make_plan(lua_State *L, struct lkernel *k) {
  find_params(k);
  const struct nvrtc_kernel *decl = lkernel_decl(k);
  const struct gpu_function_info *info = &k->info;
  if ((int)info->param_count != decl->param_count)
    bind_error(L, ERR_INTERNAL,
               "%s: the source declares %d parameters, the device code has %u",
               k->name, decl->param_count, info->param_count);
  if (info->param_bytes > GPU_MAX_PARAM_BYTES)
    bind_error(L, ERR_UNSUPPORTED,
               "%s takes %u bytes of parameters; %d is the "
               "most",
               k->name, info->param_bytes, GPU_MAX_PARAM_BYTES);
  free(k->plan);
  k->plan = xcalloc((size_t)decl->param_count + 1, sizeof *k->plan);
  k->param_count = decl->param_count;
  k->param_bytes = info->param_bytes;
  for (int i = 0; i < decl->param_count; i++) {
    const struct nvrtc_param *p = &decl->params[i];
    k->plan[i] = (struct arg_plan){
        .offset = info->params[i].offset,
        .bytes = info->params[i].bytes,
        .dtypes = accepted_dtypes(p),
        .kind = (uint8_t)kind_of(p, k->module->image != NULL),
        .type = (uint8_t)p->type,
        .is_const = p->is_const,
    };
  }
}

static void bind_anew(lua_State *L, struct lkernel *k, struct ldevice *d) {
  struct err_info e = {0};
  load_on(L, k->module, d);
  if (d->gpu->backend->function_get(d->gpu, k->module->handle,
                                    lkernel_decl(k)->mangled, &k->function,
                                    &k->info, &e) != ERR_OK)
    ldevice_fail(L, d, &e);
  make_plan(L, k);
  k->device = d;
  k->generation = d->generation;
  k->shared_limit = 0;
  k->binding++;
}

void lkernel_bind(lua_State *L, struct lkernel *k, struct ldevice *d) {
  if (k->device != d || k->generation != d->generation)
    bind_anew(L, k, d);
}

// ---- Modules in Lua ----

static struct lmodule *check_module(lua_State *L, int at) {
  return *(struct lmodule **)luaL_checkudata(L, at, LCUDA_MODULE);
}

// Pushes the kernel; its user value 1 holds its launchers.
static struct lkernel *push_kernel(lua_State *L, struct lmodule *m, int index) {
  struct lkernel **box = lua_newuserdatauv(L, sizeof *box, 1);
  *box = NULL;
  luaL_setmetatable(L, LCUDA_KERNEL);
  lua_createtable(L, 1, 0);
  lua_setiuservalue(L, -2, 1);
  struct lkernel *k = xcalloc(1, sizeof *k);
  k->refs = 1;
  k->module = m;
  m->refs++;
  k->index = index;
  k->name = xstrdup(m->program->kernels[index].name);
  *box = k;
  return k;
}

static bool is_same_name(const char *a, const char *b) {
  for (;; a++, b++) {
    while (*a == ' ')
      a++;
    while (*b == ' ')
      b++;
    if (*a != *b)
      return false;
    if (!*a)
      return true;
  }
}

static int find_kernel(const struct lmodule *m, const char *name) {
  for (int i = 0; i < m->program->kernel_count; i++)
    if (is_same_name(m->program->kernels[i].name, name))
      return i;
  return -1;
}

static void list_kernels(const struct lmodule *m, struct str *out) {
  for (int i = 0; i < m->program->kernel_count; i++)
    str_addf(out, "%s%s", i ? ", " : "", m->program->kernels[i].name);
}

// Does the source, which has a template, speak of "mm" or of "mm" in "mm<3>"?
static bool is_template(const char *source, const char *name) {
  char *plain = xstrndup(name, strcspn(name, "<"));
  bool is = strstr(source, "template") && *plain && strstr(source, plain);
  free(plain);
  return is;
}

static int no_such_field(lua_State *L, struct lmodule *m, const char *name) {
  struct str list = STR_INIT;
  list_kernels(m, &list);
  lua_pushfstring(L, "%s has no kernel \"%s\"; its kernels: %s", m->file, name,
                  list.len ? list.data : "none");
  if (is_template(m->source, name))
    lua_pushfstring(L,
                    ". A template needs its instantiation: cuda.module(source, "
                    "{instantiate = {\"%s%s\"}}), which is name_expressions "
                    "in cuda.RawModule",
                    name, strchr(name, '<') ? "" : "<16>");
  else
    lua_pushliteral(L, "");
  str_free(&list);
  bind_error(L, ERR_ARGUMENT, "%s%s", lua_tostring(L, -2), lua_tostring(L, -1));
}

// m:get_global(name [, dtype]): the module's variable as a device array.
static int module_get_global(lua_State *L) {
  struct lmodule *m = check_module(L, 1);
  const char *name = luaL_checkstring(L, 2);
  enum dtype t = array_check_dtype(L, 3, DTYPE_U8);
  struct ldevice *d = lcuda_device(L);
  struct err_info e = {0};
  gpu_ptr address;
  size_t bytes;
  load_on(L, m, d);
  if (d->gpu->backend->variable_get(d->gpu, m->handle, name, &address, &bytes,
                                    &e) != ERR_OK)
    bind_error(L, ERR_ARGUMENT, "%s has no device variable \"%s\": %s", m->file,
               name, e.text);
  struct storage *s = lmodule_variable(m, name, address, bytes);
  int64_t count = (int64_t)(bytes / dtype_bytes(t));
  int64_t stride = (int64_t)dtype_bytes(t);
  array_push_view(L, s, t, 1, &count, &stride);
  return 1;
}

static int push_kernel_names(lua_State *L, const struct lmodule *m) {
  lua_newtable(L);
  for (int i = 0; i < m->program->kernel_count; i++) {
    lua_pushstring(L, m->program->kernels[i].name);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

static int module_index(lua_State *L) {
  struct lmodule *m = check_module(L, 1);
  const char *name = luaL_checkstring(L, 2);
  int index = find_kernel(m, name);
  if (index >= 0) {
    lua_getiuservalue(L, 1, 1); // [kernels]
    if (lua_rawgeti(L, -1, index + 1) == LUA_TNIL) {
      lua_pop(L, 1);
      push_kernel(L, m, index);
      lua_pushvalue(L, -1);
      lua_rawseti(L, -3, index + 1);
    }
    return 1;
  }
  if (strcmp(name, "get_global") == 0)
    lua_pushcfunction(L, module_get_global);
  else if (strcmp(name, "get_function") == 0)
    lua_pushcfunction(L, lmodule_get_function);
  else if (strcmp(name, "save") == 0)
    lua_pushcfunction(L, lmodule_save);
  else if (strcmp(name, "kernels") == 0)
    push_kernel_names(L, m);
  else if (strcmp(name, "source") == 0)
    lua_pushstring(L, m->source);
  else if (strcmp(name, "diagnostics") == 0)
    lmodule_push_diagnostics(L, m->program);
  else if (strcmp(name, "arch") == 0)
    lua_pushstring(L, m->program->arch);
  else if (strcmp(name, "compile_ms") == 0)
    lua_pushnumber(L, m->compile_ms);
  else if (strcmp(name, "is_cached") == 0)
    lua_pushboolean(L, m->is_cached);
  else
    return no_such_field(L, m, name);
  return 1;
}

static int module_tostring(lua_State *L) {
  struct lmodule *m = check_module(L, 1);
  struct str list = STR_INIT;
  list_kernels(m, &list);
  lua_pushfstring(L, "module %s: %s", m->file, list.data);
  str_free(&list);
  return 1;
}

static int module_gc(lua_State *L) {
  struct lmodule **box = luaL_checkudata(L, 1, LCUDA_MODULE);
  module_unref(*box);
  *box = NULL;
  return 0;
}

// ---- Making them ----

static char **take_strings(lua_State *L, int table, const char *key,
                           int *count) {
  *count = 0;
  int type = lua_getfield(L, table, key);
  if (type == LUA_TNIL) {
    lua_pop(L, 1);
    return NULL;
  }
  if (type != LUA_TTABLE)
    bind_error(L, ERR_ARGUMENT, "%s must be a table of strings, not %s", key,
               lua_typename(L, type));
  int n = (int)luaL_len(L, -1);
  for (int i = 1; i <= n; i++) {
    if (lua_rawgeti(L, -1, i) != LUA_TSTRING)
      bind_error(L, ERR_ARGUMENT, "%s[%d] must be a string, not %s", key, i,
                 luaL_typename(L, -1));
    lua_pop(L, 1);
  }
  char **list = xcalloc((size_t)n + 1, sizeof *list);
  for (int i = 0; i < n; i++) {
    lua_rawgeti(L, -1, i + 1);
    list[i] = xstrdup(lua_tostring(L, -1));
    lua_pop(L, 1);
  }
  *count = n;
  lua_pop(L, 1);
  return list;
}

static void check_keys(lua_State *L, int table) {
  static const char *const known[] = {"options", "instantiate",  "cache",
                                      "file",    "kernels_only", "ptxas"};
  lua_pushnil(L);
  while (lua_next(L, table)) {
    lua_pop(L, 1);
    bool is_known = false;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
      is_known |= lua_type(L, -1) == LUA_TSTRING &&
                  strcmp(lua_tostring(L, -1), known[i]) == 0;
    if (!is_known)
      bind_error(L, ERR_ARGUMENT,
                 "there is no setting \"%s\"; there are options, instantiate, "
                 "cache, kernels_only, ptxas and file",
                 luaL_tolstring(L, -1, NULL));
  }
}

// The first kernel's name gives the source its file name: "add.cu".
static char *file_name(const char *source) {
  const char *c = strstr(source, "__global__");
  for (; c && (c = strchr(c, '(')); c++) {
    const char *end = c;
    while (end > source && isspace((unsigned char)end[-1]))
      end--;
    const char *start = end;
    while (start > source &&
           (isalnum((unsigned char)start[-1]) || start[-1] == '_'))
      start--;
    if (end > start && strncmp(start, "__", 2) != 0)
      return xasprintf("%.*s.cu", (int)(end - start > 60 ? 60 : end - start),
                       start);
  }
  return xstrdup("kernel.cu");
}

// Source ended early because its ]] closed the Lua string.
static void check_source(lua_State *L) {
  if (lua_type(L, 1) == LUA_TSTRING &&
      nvrtc_image_kind(lua_tostring(L, 1), lua_rawlen(L, 1)))
    return;
  if (lua_type(L, 1) != LUA_TSTRING)
    bind_error(L, ERR_ARGUMENT,
               "the source must be a string of CUDA C, not %s: put it in "
               "[==[ and ]==] (its ]] would end a [[ string)",
               luaL_typename(L, 1));
  if (strlen(lua_tostring(L, 1)) != lua_rawlen(L, 1))
    bind_error(L, ERR_ARGUMENT, "the source has a zero byte in it");
}

// [.., module]
static struct lmodule *push_empty(lua_State *L) {
  struct lmodule **box = lua_newuserdatauv(L, sizeof *box, 1); // [.., module]
  *box = NULL;
  luaL_setmetatable(L, LCUDA_MODULE);
  lua_newtable(L);
  lua_setiuservalue(L, -2, 1);
  struct lmodule *m = *box = xcalloc(1, sizeof *m);
  m->refs = 1;
  m->owner = lcuda_of(L);
  return m;
}

void lmodule_give(lua_State *L, struct nvrtc_program *p, const char *source,
                  const char *file) {
  struct lmodule *m = push_empty(L);
  m->source = xstrdup(source);
  m->file = xstrdup(file);
  m->program = p;
  load_on(L, m, lcuda_device(L));
  for (int i = 0; i < p->kernel_count; i++) {
    push_kernel(L, m, i);
    lua_setglobal(L, p->kernels[i].name);
  }
  lua_pop(L, 1);
}

static bool is_false(lua_State *L, int table, const char *key) {
  bool is =
      lua_getfield(L, table, key) == LUA_TBOOLEAN && !lua_toboolean(L, -1);
  lua_pop(L, 1);
  return is;
}

// Pushes a compiled module of the source at 1 and the settings at 2.
static struct lmodule *push_module(lua_State *L) {
  check_source(L);
  lua_settop(L, 2);
  if (lua_isnil(L, 2)) {
    lua_newtable(L);
    lua_replace(L, 2);
  }
  luaL_checktype(L, 2, LUA_TTABLE);
  check_keys(L, 2);
  struct lmodule *m = push_empty(L);
  size_t bytes;
  const char *text = lua_tolstring(L, 1, &bytes);
  m->options = take_strings(L, 2, "options", &m->option_count);
  m->instantiate = take_strings(L, 2, "instantiate", &m->instantiate_count);
  m->no_cache = is_false(L, 2, "cache");
  m->no_ptxas = is_false(L, 2, "ptxas");
  lua_getfield(L, 2, "kernels_only");
  m->kernels_only = lua_toboolean(L, -1);
  if (lua_getfield(L, 2, "file") == LUA_TSTRING)
    m->file = xstrdup(lua_tostring(L, -1));
  lua_pop(L, 2);
  bool is_image = lmodule_take_image(L, m, text, bytes);
  m->source = xstrdup(is_image ? "" : text);
  if (!m->file)
    m->file = file_name(m->source);
  struct ldevice *d = lcuda_device(L);
  compile_for(L, m, d);
  // What the virtual GPU cannot run is told now, and not at the first launch.
  if (!d->info.takes_cubin)
    load_on(L, m, d);
  return m;
}

static int l_module(lua_State *L) {
  push_module(L);
  return 1;
}

static int l_kernel(lua_State *L) {
  struct lmodule *m = push_module(L);
  if (m->program->kernel_count == 1) {
    push_kernel(L, m, 0);
    return 1;
  }
  if (m->program->kernel_count == 0)
    bind_error(L, ERR_ARGUMENT,
               "the source has no kernel: a kernel is a function that begins "
               "with __global__ void%s",
               strstr(m->source, "template")
                   ? " (a template needs {instantiate = {\"name<16>\"}})"
                   : "");
  struct str list = STR_INIT;
  list_kernels(m, &list);
  lua_pushfstring(L, "%s", list.data);
  str_free(&list);
  bind_error(L, ERR_ARGUMENT,
             "the source has %d kernels (%s): m = cuda.module(source) gives "
             "them as m.name",
             m->program->kernel_count, lua_tostring(L, -1));
}

// ---- Opening ----

int lcuda_open_module(lua_State *L) {
  static const luaL_Reg module_meta[] = {
      {"__index", module_index},
      {"__tostring", module_tostring},
      {"__gc", module_gc},
      {NULL, NULL},
  };
  static const luaL_Reg functions[] = {
      {"module", l_module},
      {"kernel", l_kernel},
      {NULL, NULL},
  };
  luaL_newmetatable(L, LCUDA_MODULE);
  luaL_setfuncs(L, module_meta, 0);
  lua_pop(L, 1);
  lkernel_open(L);
  luaL_setfuncs(L, functions, 0);
  return 0;
}
