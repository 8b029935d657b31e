// SPDX-License-Identifier: Apache-2.0
// The back end's debugger: commands are work like any other, done in order by
// the device's thread, and the last one's answer is kept for the host.
#include "gpu/vgpu/device/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/vgpu/debug/debug.h"

// ---- The device's thread ----

static void keep_answer(struct vg_device *d, enum err err,
                        const struct err_info *info) {
  pthread_mutex_lock(&d->lock);
  struct vg_answer *a = &d->answer;
  a->err = err;
  if (err)
    a->info = *info;
  memset(&a->stop, 0, sizeof a->stop);
  str_clear(&a->text);
  if (d->debug) {
    a->stop = d->debug->stop;
    str_add(&a->text, d->debug->text.data);
  }
  pthread_mutex_unlock(&d->lock);
}

// Copies the variables of one module to those of the same names in the other.
static void copy_variables(struct vg_device *d, const struct vg_module *from,
                           const struct vg_module *to) {
  for (int i = 0; from && i < from->ptx->var_count; i++) {
    gpu_ptr at;
    const struct ptx_var *v = from->ptx->vars[i];
    const struct ptx_var *same =
        from->var_at[i] ? vg_module_variable(to, v->name, &at) : NULL;
    if (!same || same->bytes != v->bytes)
      continue;
    struct vg_alloc *a = vg_slot(&d->memory, from->var_at[i] >> VG_SLOT_BITS);
    struct vg_alloc *b = vg_slot(&d->memory, at >> VG_SLOT_BITS);
    memcpy(b->data, a->data, v->bytes);
  }
}

void vg_debug_leave(struct vg_device *d, const struct vg_module *m) {
  if (d->debug && m && d->debug->twin == m)
    d->debug->twin = NULL;
  if (!d->debug || (m && d->debug->module != m))
    return;
  vg_debug_free(d->debug);
  d->debug = NULL;
  vg_output_end(&d->output);
}

static enum err do_command(struct vg_device *d, const char *text,
                           struct err_info *e) {
  if (!d->debug)
    return err_set(e, ERR_ARGUMENT, "no launch is under the debugger");
  return vg_debug_command(d->debug, text, e);
}

void vg_debug_work(struct vg_device *d, struct work *k) {
  struct err_info info = {0};
  enum err err = ERR_OK;
  // A launch that is given up leaves no trace.
  bool is_end = k->kind == WORK_DEBUG_END && d->debug;
  if (is_end && !d->debug->is_over)
    vg_memory_restore(&d->memory, d->debug->saved);
  else if (is_end && d->debug->twin)
    copy_variables(d, d->debug->module, d->debug->twin);
  if (k->kind != WORK_DEBUG_COMMAND)
    vg_debug_leave(d, NULL);
  if (k->kind == WORK_DEBUG_BEGIN) {
    copy_variables(d, k->module, k->grid->code->module);
    err = vg_debug_new(k->grid, &d->debug, &info);
    if (!err)
      d->debug->twin = k->module;
  }
  if (k->kind == WORK_DEBUG_COMMAND)
    err = do_command(d, k->text, &info);
  keep_answer(d, err, &info);
  free(k->text);
}

void vg_debug_drop_work(struct vg_device *d, struct work *k) {
  struct err_info info = {0};
  if (k->kind == WORK_DEBUG_BEGIN)
    free(k->grid);
  if (k->kind == WORK_DEBUG_END)
    vg_debug_leave(d, NULL);
  keep_answer(d, err_set(&info, ERR_CANCELLED, "stopped by the user"), &info);
  free(k->text);
}

// ---- The caller's thread ----

enum err vg_back_debug_begin(struct gpu_device *base,
                             const struct gpu_launch *l, gpu_handle twin,
                             struct err_info *e) {
  struct vg_device *d = vg_own(base);
  struct vg_grid *g = NULL;
  struct function *without = NULL;
  struct gpu_launch launch = *l;
  // It may run several times; and it is always checked.
  launch.flags &= ~(uint32_t)(GPU_LAUNCH_COUNT | GPU_LAUNCH_UNCHECKED);
  enum err err = twin ? vg_find_function(d, twin, &without, e) : ERR_OK;
  if (err || (err = vg_grid_new(d, &launch, &g, e)))
    return err;
  struct work *k = vg_work_new(WORK_DEBUG_BEGIN);
  k->grid = g;
  k->module = without ? without->code->module : NULL;
  vg_submit(d, l->stream, k);
  return ERR_OK;
}

enum err vg_back_debug_command(struct gpu_device *base, const char *text,
                               struct err_info *e) {
  (void)e;
  struct work *k = vg_work_new(WORK_DEBUG_COMMAND);
  k->text = xstrdup(text);
  vg_submit(vg_own(base), 0, k);
  return ERR_OK;
}

enum err vg_back_debug_answer(struct gpu_device *base,
                              struct gpu_debug_stop *stop, char *text,
                              size_t room, struct err_info *e) {
  struct vg_device *d = vg_own(base);
  pthread_mutex_lock(&d->lock);
  const struct vg_answer *a = &d->answer;
  enum err err = a->err;
  *stop = a->stop;
  snprintf(text, room, "%s", a->text.data);
  if (err && e)
    *e = a->info;
  pthread_mutex_unlock(&d->lock);
  return err;
}

enum err vg_back_debug_end(struct gpu_device *base, struct err_info *e) {
  (void)e;
  vg_submit(vg_own(base), 0, vg_work_new(WORK_DEBUG_END));
  return ERR_OK;
}
