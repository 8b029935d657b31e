// SPDX-License-Identifier: Apache-2.0
// The back end's modules, kernels and module variables.
#include "gpu/vgpu/device/vgpu_module.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/vgpu/cost.h"

// By what it holds: most of it may never run, and is read and decoded all the
// same. What it costs does not depend on who loaded what before.
static void charge_load(struct vg_device *d, const struct vg_module *m,
                        size_t bytes) {
  uint64_t cost = VG_PARSE_COST * (uint64_t)bytes;
  for (int i = 0; i < m->ptx->func_count; i++)
    cost += VG_LOAD_COST * (uint64_t)m->codes[i].insn_count;
  pthread_mutex_lock(&d->lock);
  d->work.all += cost;
  d->work.loads += cost;
  pthread_mutex_unlock(&d->lock);
}

// ---- The same text again ----

// A judge loads a submission for each of its cases, so that nothing is left of
// the one before. To read and decode it takes longer than most launches.

void vg_module_rest(struct vg_device *d, struct vg_module *m) {
  struct vg_module *out = m;
  pthread_mutex_lock(&d->lock);
  if (m->text) {
    out = d->idle[IDLE_MODULES - 1];
    memmove(d->idle + 1, d->idle, (IDLE_MODULES - 1) * sizeof *d->idle);
    d->idle[0] = m;
  }
  pthread_mutex_unlock(&d->lock);
  vg_module_free(&d->memory, out);
}

// NULL: none is idle.
static struct vg_module *take_idle(struct vg_device *d, const char *text,
                                   size_t bytes) {
  struct vg_module *m = NULL;
  pthread_mutex_lock(&d->lock);
  for (int n = 0; n < IDLE_MODULES && !m; n++)
    if (d->idle[n] && vg_module_is(d->idle[n], text, bytes)) {
      m = d->idle[n];
      d->idle[n] = NULL;
    }
  pthread_mutex_unlock(&d->lock);
  return m;
}

// ---- Loading ----

enum err vg_back_module_load(struct gpu_device *base, const void *image,
                             size_t bytes, gpu_handle *out,
                             struct err_info *e) {
  struct vg_device *d = vg_own(base);
  struct vg_module *m = take_idle(d, image, bytes);
  enum err err = m ? ERR_OK : vg_module_load(&d->memory, image, bytes, &m, e);
  if (err)
    return err;
  charge_load(d, m, bytes);
  d->modules = xrealloc(d->modules, sizeof *d->modules * (d->module_count + 1));
  d->modules[d->module_count++] = m;
  *out = d->module_count;
  return ERR_OK;
}

static enum err find_module(struct vg_device *d, gpu_handle h,
                            struct vg_module **out, struct err_info *e) {
  if (h < 1 || h > d->module_count || !d->modules[h - 1])
    return err_set(e, ERR_ARGUMENT, "module %" PRIu64 " is not loaded", h);
  *out = d->modules[h - 1];
  return ERR_OK;
}

enum err vg_back_module_unload(struct gpu_device *base, gpu_handle h,
                               struct err_info *e) {
  struct vg_device *d = vg_own(base);
  struct vg_module *m = NULL;
  enum err err = find_module(d, h, &m, e);
  if (err)
    return err;
  d->modules[h - 1] = NULL;
  for (size_t i = 0; i < d->function_count; i++)
    if (d->functions[i].module == h)
      d->functions[i].code = NULL;
  struct work *k = vg_work_new(WORK_UNLOAD);
  k->module = m;
  vg_submit(d, 0, k);
  return ERR_OK;
}

enum err vg_back_function_get(struct gpu_device *base, gpu_handle module,
                              const char *name, gpu_handle *out,
                              struct gpu_function_info *info,
                              struct err_info *e) {
  struct vg_device *d = vg_own(base);
  struct vg_module *m = NULL;
  enum err err = find_module(d, module, &m, e);
  if (err)
    return err;
  struct vg_code *c = vg_module_kernel(m, name);
  if (!c)
    return err_set(e, ERR_NOT_FOUND, "the module has no kernel %s", name);
  if (info)
    vg_function_info(c, info);
  size_t n = 0;
  while (n < d->function_count && d->functions[n].code != c)
    n++;
  if (n == d->function_count) {
    d->functions = xrealloc(d->functions, sizeof *d->functions * (n + 1));
    d->functions[d->function_count++] =
        (struct function){c, module, SHARED_STATIC};
  }
  *out = n + 1;
  return ERR_OK;
}

enum err vg_back_variable_get(struct gpu_device *base, gpu_handle module,
                              const char *name, gpu_ptr *out, size_t *bytes,
                              struct err_info *e) {
  struct vg_device *d = vg_own(base);
  struct vg_module *m = NULL;
  enum err err = find_module(d, module, &m, e);
  if (err)
    return err;
  const struct ptx_var *v = vg_module_variable(m, name, out);
  if (!v)
    return err_set(e, ERR_NOT_FOUND, "the module has no variable %s", name);
  if (bytes)
    *bytes = v->bytes;
  return ERR_OK;
}

enum err vg_find_function(struct vg_device *d, gpu_handle h,
                          struct function **out, struct err_info *e) {
  if (h < 1 || h > d->function_count || !d->functions[h - 1].code)
    return err_set(e, ERR_ARGUMENT,
                   "kernel %" PRIu64 " does not exist (any more)", h);
  *out = &d->functions[h - 1];
  return ERR_OK;
}

enum err vg_back_function_set_max_shared(struct gpu_device *base, gpu_handle h,
                                         uint32_t bytes, struct err_info *e) {
  struct vg_device *d = vg_own(base);
  struct function *f = NULL;
  enum err err = vg_find_function(d, h, &f, e);
  if (err)
    return err;
  uint32_t most = d->capability->shared_bytes_of_block;
  uint32_t fixed = f->code->func->shared_bytes;
  if (bytes > most || fixed > most - bytes)
    return err_set(e, ERR_ARGUMENT,
                   "%u bytes of dynamic and %u of static shared memory are "
                   "more than the %u that a block can have",
                   bytes, fixed, most);
  f->max_dynamic = bytes > SHARED_STATIC ? bytes : SHARED_STATIC;
  return ERR_OK;
}
