// SPDX-License-Identifier: Apache-2.0
// A module's variables (__device__, __constant__): what get_global gives, and
// their contents where a launch is run again on the virtual GPU.
#include "lua/bind/cuda/l_cuda_variable.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/ptx/ptx.h"
#include "gpu/remote/remote.h"
#include "lua/bind/cuda/l_cuda_memory.h"
#include "lua/bind/cuda/l_cuda_module.h"

// ---- What Lua has had in its hands ----

static struct lvariable *find(const struct lmodule *m, const char *name) {
  for (int i = 0; i < m->variable_count; i++)
    if (strcmp(m->variables[i].name, name) == 0)
      return &m->variables[i];
  return NULL;
}

static bool is_current(const struct lmodule *m, const struct lvariable *v) {
  return v->storage && v->storage->device == m->device &&
         v->storage->base.generation == m->generation;
}

struct storage *lmodule_variable(struct lmodule *m, const char *name,
                                 gpu_ptr address, size_t bytes) {
  struct lvariable *v = find(m, name);
  if (!v) {
    m->variables =
        xrealloc(m->variables, ((size_t)m->variable_count + 1) * sizeof *v);
    v = &m->variables[m->variable_count++];
    *v = (struct lvariable){.name = xstrdup(name)};
  }
  if (is_current(m, v) && v->storage->base.address == address)
    return &v->storage->base;
  if (v->storage)
    storage_unref(&v->storage->base);
  v->storage = ldevice_borrow(m->device, address, bytes);
  if (m->first_launch) // which may have changed what the source says
    v->storage->known_until = m->first_launch;
  return &v->storage->base;
}

void lmodule_forget_variables(struct lmodule *m) {
  for (int i = 0; i < m->variable_count; i++) {
    storage_unref(&m->variables[i].storage->base);
    free(m->variables[i].name);
  }
  free(m->variables);
  m->variables = NULL;
  m->variable_count = 0;
}

// ---- For a launch that is run again ----

// From the real device's memory.
static enum err copy_over(const struct lmodule_again *t, const char *name,
                          gpu_ptr to, size_t bytes, struct err_info *e) {
  struct gpu_device *real = t->m->device->gpu, *virtual = t->v->gpu;
  gpu_ptr from;
  size_t there;
  if (real->backend->variable_get(real, t->m->handle, name, &from, &there, e) ||
      there != bytes)
    return ERR_OK; // the compiler has left it out there
  void *between = xmalloc(bytes);
  enum err err = real->backend->copy_out(real, between, from, bytes, 0, e);
  if (!err)
    err = remote_wait(real, GPU_ALL_STREAMS, e);
  if (!err)
    err = virtual->backend->copy_in(virtual, to, between, bytes, 0, e);
  if (!err)
    err = remote_wait(virtual, GPU_ALL_STREAMS, e);
  free(between);
  return err;
}

// What the host has put there.
static enum err copy_known(const struct lmodule_again *t,
                           const struct device_storage *ds, gpu_ptr to,
                           bool *is_known, struct err_info *e) {
  const struct storage *s = &ds->base, *from = s->copied_from;
  struct gpu_device *gpu = t->v->gpu;
  struct gpu_fill fill = {
      .to = to, .value = ds->fill_word, .width = ds->fill_width};
  if (fill.width) {
    fill.count = s->bytes / fill.width;
    return gpu->backend->mem_set(gpu, &fill, e);
  }
  if (storage_is_as_copied(from, s->copied_version))
    return gpu->backend->copy_in(
        gpu, to, (const char *)from->host + ds->copied_offset, s->bytes, 0, e);
  *is_known &= !from;
  return ERR_OK;
}

static enum err copy_variable(const struct lmodule_again *t,
                              const struct ptx_var *var, bool *is_known,
                              struct err_info *e) {
  struct gpu_device *gpu = t->v->gpu;
  gpu_ptr to;
  size_t bytes;
  enum err err =
      gpu->backend->variable_get(gpu, t->module, var->name, &to, &bytes, e);
  if (err == ERR_NOT_FOUND) // a real GPU's code may have no use for it
    return ERR_OK;
  if (err || bytes == 0)
    return err;
  if (t->is_alive)
    return copy_over(t, var->name, to, bytes, e);
  bool is_constant = var->space == PTX_CONST;
  const struct lvariable *v = find(t->m, var->name);
  if (!v || !is_current(t->m, v)) {
    *is_known &= is_constant || t->m->first_launch == 0 ||
                 t->m->first_launch >= t->first;
    return ERR_OK;
  }
  uint64_t until = v->storage->known_until;
  *is_known &= is_constant ? until > 0 : until >= t->first;
  return copy_known(t, v->storage, to, is_known, e);
}

bool lmodule_copy_variables(lua_State *L, const struct lmodule_again *t,
                            const struct nvrtc_program *ptx) {
  const struct lmodule *m = t->m;
  struct ptx_module *parsed;
  struct err_info e = {0};
  bool is_known = true;
  if (!m->device || m->generation != m->device->generation)
    return true; // it was never there
  enum err err = ptx_parse(ptx->code, ptx->code_bytes, &parsed, &e);
  if (err)
    bind_error_info(L, &e);
  for (int i = 0; i < parsed->var_count && !err; i++) {
    const struct ptx_var *var = parsed->vars[i];
    bool is_data = var->space == PTX_GLOBAL || var->space == PTX_CONST;
    // Texts of printf and the like begin with a dollar sign.
    if (is_data && !var->is_extern && var->name[0] != '$')
      err = copy_variable(t, var, &is_known, &e);
  }
  ptx_free(parsed);
  if (err)
    bind_error_info(L, &e);
  return is_known;
}
