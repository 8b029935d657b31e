// SPDX-License-Identifier: Apache-2.0
// What is wrong inside of a function of the toolkit's headers belongs, for a
// learner, to the line of their own that called it. Where the compiler inlines
// them, .loc says so (ptx_line.c); where it does not, as with -G, the frames of
// the calls do: each keeps the innermost call that stands in the learner's own
// file, and an instruction gets a twin for each such call, which has its place.
#include "gpu/vgpu/check/site.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/region.h"
#include "gpu/vgpu/function.h"

struct vg_sites {
  pthread_mutex_t lock;
  struct map *twins; // by instruction and call
  struct region *region;
};

struct twin {
  struct vg_insn insn;
  struct ptx_insn ptx;
};

struct vg_sites *vg_sites_new(void) {
  struct vg_sites *s = xcalloc(1, sizeof *s);
  pthread_mutex_init(&s->lock, NULL);
  s->twins = map_new();
  s->region = region_new();
  return s;
}

void vg_sites_free(struct vg_sites *s) {
  if (!s)
    return;
  map_free(s->twins);
  region_free(s->region);
  pthread_mutex_destroy(&s->lock);
  free(s);
}

static bool is_own(const struct vg_module *m, const struct vg_insn *i) {
  return i->ptx && i->ptx->line && i->ptx->file >= 0 &&
         i->ptx->file < m->ptx->file_count &&
         ptx_is_own_file(m->ptx->files[i->ptx->file]);
}

static bool has_place(const struct vg_insn *i) {
  return i->ptx && i->ptx->line && i->ptx->file >= 0;
}

bool vg_site_is_foreign(const struct vg_code *c) {
  for (int n = 0; n < c->insn_count; n++)
    if (has_place(&c->insns[n]))
      return !is_own(c->module, &c->insns[n]);
  return true;
}

const struct vg_insn *vg_site_of_call(const struct vg_frame *caller,
                                      const struct vg_insn *call,
                                      const struct vg_code *callee) {
  if (!callee->is_foreign)
    return NULL;
  return caller->code->is_foreign ? caller->caller : call;
}

static bool is_in(const struct ptx_func *f, const struct ptx_insn *i) {
  return i >= f->code && i < f->code + f->code_count;
}

static struct twin *make_twin(struct vg_sites *s, const struct vg_insn *i,
                              const struct vg_insn *call) {
  struct twin *t = region_alloc(s->region, sizeof *t);
  t->insn = *i;
  t->ptx = *i->ptx;
  t->insn.ptx = &t->ptx;
  t->ptx.file = call->ptx->file;
  t->ptx.line = call->ptx->line;
  t->ptx.column = call->ptx->column;
  return t;
}

const struct vg_insn *vg_site_find(const struct vg_frame *f,
                                   const struct vg_insn *i) {
  struct vg_sites *s = f->code->module->sites;
  const struct vg_insn *key[] = {i, f->caller};
  if (!is_in(f->code->func, i->ptx) || is_own(f->code->module, i))
    return i;
  pthread_mutex_lock(&s->lock);
  struct twin *t = map_get(s->twins, (const char *)key, sizeof key);
  if (!t) {
    t = make_twin(s, i, f->caller);
    map_set(s->twins, (const char *)key, sizeof key, t);
  }
  pthread_mutex_unlock(&s->lock);
  return &t->insn;
}

const struct vg_insn *vg_site_of_lane(const struct vg_warp *w, int lane,
                                      const struct vg_insn *i) {
  if (w->leaf && w->active >> lane & 1)
    return vg_site(w, i);
  for (const struct vg_node *n = w->leaves; n; n = n->next)
    if (n->lanes >> lane & 1)
      return n->frame->caller ? vg_site_find(n->frame, i) : i;
  return i;
}
