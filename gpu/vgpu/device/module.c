// SPDX-License-Identifier: Apache-2.0
// Modules: every global and constant variable is an allocation of its own, so
// that an overrun of one is told by its name.
#include "gpu/vgpu/device/module.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/region.h"
#include "gpu/vgpu/check/check.h"
#include "gpu/vgpu/code/code.h"
#include "gpu/vgpu/grid/grid.h"
#include "gpu/vgpu/tier/tier.h"

static bool has_memory(const struct ptx_var *v) {
  return v->space == PTX_GLOBAL || v->space == PTX_CONST;
}

static gpu_ptr address_of(const struct vg_module *m, const struct ptx_var *v,
                          const struct ptx_func *f) {
  for (int i = 0; v && i < m->ptx->var_count; i++)
    if (m->ptx->vars[i] == v)
      return m->var_at[i];
  for (int i = 0; f && i < m->ptx->func_count; i++)
    if (m->ptx->funcs[i] == f)
      return VG_WINDOW(VG_SLOT_CODE) + (uint64_t)(i + 1) * 16;
  return 0;
}

static enum err place_variable(struct vg_memory *memory, struct vg_module *m,
                               int n, struct err_info *e) {
  const struct ptx_var *v = m->ptx->vars[n];
  if (v->is_extern)
    return err_set(e, ERR_UNSUPPORTED,
                   "the variable %s is declared extern: nothing defines it",
                   v->name);
  enum err err = vg_alloc_new(memory, v->bytes, VG_ALLOC_VARIABLE, false,
                              &m->var_at[n], e);
  if (err)
    return err;
  struct vg_alloc *a = vg_slot(memory, m->var_at[n] >> VG_SLOT_BITS);
  a->name = v->name;
  a->is_read_only = v->space == PTX_CONST;
  if (v->init)
    memcpy(a->data, v->init, v->bytes);
  if (v->space == PTX_CONST)
    m->const_bytes += (uint32_t)v->bytes;
  return ERR_OK;
}

static void relocate(struct vg_memory *memory, struct vg_module *m, int n) {
  const struct ptx_var *v = m->ptx->vars[n];
  struct vg_alloc *a = vg_slot(memory, m->var_at[n] >> VG_SLOT_BITS);
  for (uint32_t i = 0; i < v->reloc_count; i++) {
    const struct ptx_reloc *r = &v->relocs[i];
    uint64_t value = address_of(m, r->var, r->func) + (uint64_t)r->addend;
    if (v->bytes >= sizeof value && r->at <= v->bytes - sizeof value)
      memcpy(a->data + r->at, &value, sizeof value);
  }
}

static enum err place_variables(struct vg_memory *memory, struct vg_module *m,
                                struct err_info *e) {
  int count = m->ptx->var_count;
  m->var_at = region_alloc(m->region, sizeof *m->var_at * (size_t)(count + 1));
  for (int i = 0; i < count; i++) {
    if (!has_memory(m->ptx->vars[i]))
      continue;
    enum err err = place_variable(memory, m, i, e);
    if (err)
      return err;
  }
  for (int i = 0; i < count; i++)
    if (m->var_at[i])
      relocate(memory, m, i);
  return ERR_OK;
}

// What a module may hold for its text to be kept.
enum { MOST_KEPT_TEXT = 1 << 18 };

static void keep_text(struct vg_module *m, const char *text, size_t bytes) {
  for (int i = 0; i < m->ptx->var_count; i++)
    if (m->var_at[i])
      return; // what kernels left in it would be there the next time
  if (bytes > MOST_KEPT_TEXT)
    return;
  m->text = memcpy(region_alloc(m->region, bytes + 1), text, bytes);
  m->text_bytes = bytes;
}

bool vg_module_is(const struct vg_module *m, const char *text, size_t bytes) {
  return m->text && m->text_bytes == bytes && !memcmp(m->text, text, bytes);
}

enum err vg_module_load(struct vg_memory *memory, const char *text,
                        size_t bytes, struct vg_module **out,
                        struct err_info *e) {
  struct ptx_module *ptx;
  enum err err = ptx_parse(text, bytes, &ptx, e);
  if (err)
    return err;
  struct vg_module *m = xcalloc(1, sizeof *m);
  m->ptx = ptx;
  m->region = region_new();
  m->sites = vg_sites_new();
  err = place_variables(memory, m, e);
  if (!err)
    err = vg_module_decode(m, e);
  for (int i = 0; !err && i < ptx->func_count; i++)
    if (ptx->funcs[i]->code_count)
      m->codes[i].flat = vg_flat_plan(&m->codes[i]);
  if (err) {
    vg_module_free(memory, m);
    return err;
  }
  keep_text(m, text, bytes);
  *out = m;
  return ERR_OK;
}

void vg_module_free(struct vg_memory *memory, struct vg_module *m) {
  if (!m)
    return;
  for (int i = 0; m->var_at && i < m->ptx->var_count; i++)
    if (m->var_at[i]) {
      struct vg_alloc *a = vg_slot(memory, m->var_at[i] >> VG_SLOT_BITS);
      vg_alloc_free(memory, a, 0);
      a->name = NULL; // it lies in the module
    }
  for (int i = 0; m->codes && i < m->ptx->func_count; i++) {
    free(m->codes[i].constants);
    vg_flat_free(m->codes[i].flat);
    vg_tier_forget(&m->codes[i]);
  }
  vg_sites_free(m->sites);
  region_free(m->region);
  ptx_free(m->ptx);
  free(m);
}

struct vg_code *vg_module_kernel(struct vg_module *m, const char *name) {
  for (int i = 0; i < m->ptx->func_count; i++)
    if (m->ptx->funcs[i]->is_entry && !strcmp(m->ptx->funcs[i]->name, name))
      return &m->codes[i];
  return NULL;
}

const struct ptx_var *vg_module_variable(const struct vg_module *m,
                                         const char *name, gpu_ptr *at) {
  for (int i = 0; i < m->ptx->var_count; i++)
    if (m->var_at[i] && !strcmp(m->ptx->vars[i]->name, name)) {
      *at = m->var_at[i];
      return m->ptx->vars[i];
    }
  return NULL;
}

void vg_function_info(const struct vg_code *c, struct gpu_function_info *out) {
  const struct ptx_func *f = c->func;
  memset(out, 0, sizeof *out);
  out->registers = -1;
  out->local_bytes = f->local_bytes;
  out->shared_bytes = f->shared_bytes;
  out->const_bytes = c->module->const_bytes;
  uint64_t threads = 1;
  for (int i = 0; i < 3; i++)
    threads *= f->max_ntid[i] ? f->max_ntid[i] : 1;
  out->max_threads_per_block =
      f->max_ntid[0] && threads < 1024 ? (uint32_t)threads : 1024;
  out->param_count = (uint32_t)f->param_count;
  out->param_bytes = f->param_bytes;
  for (int i = 0; i < f->param_count && i < GPU_MAX_PARAMS; i++) {
    out->params[i].offset = (uint32_t)f->params[i]->offset;
    out->params[i].bytes = (uint32_t)f->params[i]->bytes;
  }
}
