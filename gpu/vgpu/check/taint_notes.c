// SPDX-License-Identifier: Apache-2.0
// Where undefined values come from: a note for each load, handed on with what
// was loaded, and told once where the value matters.
#include "gpu/vgpu/check/taint_notes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/vgpu/check/findings.h"
#include "gpu/vgpu/check/site.h"
#include "gpu/vgpu/launch.h"
#include "gpu/vgpu/memory/memory.h"

// Of one block; numbers are from 1.
struct vg_notes {
  struct vg_note *list;
  uint32_t count, capacity;
  uint32_t *shared; // of each word of shared memory, or NULL
};

enum { MAX_NOTES = 1 << 14 };

uint32_t vg_note_add(struct vg_block *b, struct vg_note n) {
  if (!b->notes)
    b->notes = xcalloc(1, sizeof *b->notes);
  struct vg_notes *s = b->notes;
  if (s->count == MAX_NOTES) {
    // So many are of few loads: one of the same will do.
    for (uint32_t k = 0; k < s->count; k++)
      if (s->list[k].at == n.at)
        return k + 1;
    return 1;
  }
  if (s->count == s->capacity) {
    s->capacity = s->capacity ? s->capacity * 2 : 64;
    s->list = xrealloc(s->list, sizeof *s->list * s->capacity);
  }
  s->list[s->count++] = n;
  return s->count;
}

struct vg_note *vg_note_at(const struct vg_block *b, uint32_t number) {
  return &b->notes->list[number - 1];
}

void vg_taint_free(struct vg_block *b) {
  if (!b->notes)
    return;
  free(b->notes->list);
  free(b->notes->shared);
  free(b->notes);
  b->notes = NULL;
}

void vg_taint_begin(struct vg_block *b) {
  for (uint32_t n = 0; n < b->warp_count; n++) {
    struct vg_warp *w = &b->warps[n];
    // Calls see to the frames of functions.
    for (int l = 0; l < VG_LANES && w->local_defined; l++)
      memset(w->local_defined + (size_t)l * w->local_bytes, 0,
             b->grid->code->frame_bytes);
    free(w->local_notes);
    w->local_notes = NULL;
    if (w->root)
      vg_on_frame_end(w, w->root);
    w->has_undefined = false;
    w->lost_accesses = 0;
  }
  if (b->notes) {
    b->notes->count = 0;
    free(b->notes->shared);
    b->notes->shared = NULL;
  }
}

// ---- The note of what was loaded ----

uint32_t *vg_note_kept(struct vg_warp *w, int lane, int space, uint64_t at,
                       bool make) {
  struct vg_notes *s = w->block->notes;
  if (space == PTX_SHARED && s) {
    if (!s->shared && make)
      s->shared = xcalloc(w->block->shared_bytes / 4 + 1, sizeof *s->shared);
    return s->shared ? s->shared + at / 4 : NULL;
  }
  if (space == PTX_LOCAL) {
    if (!w->local_notes && make)
      w->local_notes = xcalloc((size_t)w->local_bytes * VG_LANES / 4 + 1,
                               sizeof *w->local_notes);
    return w->local_notes
               ? w->local_notes + ((size_t)lane * w->local_bytes + at) / 4
               : NULL;
  }
  return NULL;
}

// What a call hands over in memory is a value to the learner.
static const char *name_of_param(const struct vg_warp *w,
                                 const struct vg_insn *i) {
  const struct ptx_var *v = i->ptx->operands[1].var;
  const struct ptx_func *f = w->leaf->frame->code->func;
  for (int n = 0; n < f->param_count; n++)
    if (v == f->params[n])
      return "an argument of this function";
  return "the result of a call";
}

uint32_t vg_note_of_load(struct vg_warp *w, const struct vg_insn *i, int lane,
                         uint64_t address, uint32_t bytes, bool is_hole) {
  uint64_t at = address;
  int space = vg_space_split(i->space, &at);
  struct vg_taint_memory x = vg_taint_memory(w, lane, space, at, bytes);
  uint32_t first = 0;
  while (x.map && first + 1 < bytes && !vg_taint_bits_at(&x, first))
    first++;
  const uint32_t *kept = vg_note_kept(w, lane, space, at + first, false);
  if (kept && *kept) {
    vg_note_at(w->block, *kept)->is_used |= !is_hole;
    return *kept;
  }
  if (i->space == PTX_SHARED)
    address += VG_WINDOW(VG_SLOT_SHARED);
  else if (i->space == PTX_LOCAL)
    address += VG_WINDOW(VG_SLOT_LOCAL);
  bool is_param = i->is_main && i->ptx->space == PTX_PARAM;
  return vg_note_add(
      w->block, (struct vg_note){.at = vg_site(w, i),
                                 .is_variable = is_param,
                                 .name = is_param ? name_of_param(w, i) : NULL,
                                 .thread = w->first_thread + (uint32_t)lane,
                                 .bytes = bytes,
                                 .address = address,
                                 .is_hole = is_hole});
}

// ---- Where it matters ----

static void describe(const struct vg_warp *w, const struct vg_note *n,
                     struct vg_fault *f) {
  const struct vg_grid *g = w->block->grid;
  uint64_t slot = n->address >> VG_SLOT_BITS;
  if (n->is_variable) {
    f->space = n->is_absent ? GPU_SPACE_WARP : GPU_SPACE_REGISTER;
    f->variable = n->name;
    return;
  }
  f->address = n->address;
  f->bytes = n->bytes;
  f->access = GPU_READ;
  f->base = VG_WINDOW(slot);
  if (slot == VG_SLOT_SHARED) {
    uint32_t base, bytes;
    f->space = GPU_SPACE_SHARED;
    f->variable = vg_shared_name(g, (uint32_t)n->address, &base, &bytes);
    if (!f->variable && n->at)
      f->variable = n->at->dynamic;
    f->base += base;
    f->base_bytes = bytes;
  } else if (slot == VG_SLOT_LOCAL) {
    f->space = GPU_SPACE_LOCAL;
    f->base_bytes = w->local_bytes;
  } else {
    const struct vg_alloc *a = vg_slot(g->memory, slot);
    f->space = GPU_SPACE_GLOBAL;
    f->base_bytes = a ? a->bytes : 0;
    f->variable = a ? a->name : NULL;
  }
}

void vg_note_place(struct vg_warp *w, struct vg_note *n,
                   const struct vg_insn *i) {
  if (n->is_variable && !n->at)
    n->at = vg_site(w, i);
}

static void tell_variable(struct vg_warp *w, struct vg_note *n,
                          struct vg_fault *f, vg_mask m) {
  m &= ~n->told;
  n->told |= m;
  for (; m; m &= m - 1) {
    f->other_thread = w->first_thread + (uint32_t)__builtin_ctz(m);
    vg_report(w, n->at, __builtin_ctz(m), f);
  }
}

// Reports the value of a note, and that the lanes `others` have one like it.
static void tell(struct vg_warp *w, const struct vg_insn *i, int lane,
                 uint32_t note, const char *role, vg_mask others) {
  struct vg_block *b = w->block;
  if (!note || !b->notes || note > b->notes->count)
    return;
  struct vg_note *n = vg_note_at(b, note);
  if (n->is_told)
    return;
  n->is_told = !n->is_variable;
  vg_note_place(w, n, i);
  struct vg_fault f = {.kind = ERR_UNINITIALISED,
                       .text = role,
                       .other = vg_site(w, i),
                       .other_block = (uint32_t)b->number,
                       .other_thread = w->first_thread + (uint32_t)lane,
                       .other_access = GPU_READ};
  char text[120];
  describe(w, n, &f);
  if (!n->is_variable && vg_was_discarded(b->grid->memory, n->address)) {
    snprintf(text, sizeof text, "was discarded, and %s", role);
    f.text = text;
  }
  if (n->is_variable) {
    tell_variable(w, n, &f, others | 1u << lane);
    return;
  }
  vg_report(&b->warps[n->thread / VG_LANES], n->at, (int)(n->thread % VG_LANES),
            &f);
  for (; others; others &= others - 1)
    vg_report(w, n->at, __builtin_ctz(others), &f);
}

void vg_on_use(struct vg_warp *w, const struct vg_insn *i, int lane, int space,
               struct vg_span s, const char *role) {
  struct vg_insn load = {.space = (uint8_t)space};
  w->has_undefined = false;
  if (!vg_undefined_bytes(w, lane, space, s.at, s.bytes))
    return;
  uint32_t note = vg_note_of_load(w, &load, lane, s.at, s.bytes, false);
  struct vg_note *n = vg_note_at(w->block, note);
  n->at = n->at == &load ? vg_site(w, i) : n->at;
  tell(w, i, lane, note, role, 0);
}

vg_mask vg_note_tell_lanes(const struct vg_taint_view *v,
                           const struct vg_insn *i, vg_mask m, vg_place p,
                           const char *role) {
  vg_mask bad = 0;
  if (!vg_taint_any(v, p))
    return 0;
  vg_mask others = vg_taint_predicate(v, p) & m;
  for (; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    uint32_t note;
    if (!vg_taint_get(v, p, l, &note))
      continue;
    bad |= 1u << l;
    tell(v->w, i, l, note, role, others & ~bad);
  }
  return bad;
}

void vg_taint_computed(struct vg_warp *w, uint32_t note) {
  if (note)
    vg_note_at(w->block, note)->is_used = true;
}

void vg_taint_read(struct vg_warp *w, const struct vg_insn *i, uint32_t note) {
  if (note)
    vg_note_place(w, vg_note_at(w->block, note), i);
}

// Bytes that were copied along with others may be padding of a structure.
uint32_t vg_note_origin(struct vg_warp *w, int lane, uint32_t note) {
  struct vg_memory *m = w->block->grid->memory;
  const struct vg_note *n = vg_note_at(w->block, note);
  uint64_t slot = n->address >> VG_SLOT_BITS;
  const struct vg_alloc *a = slot >= VG_SLOT_FIRST ? vg_slot(m, slot) : NULL;
  uint32_t before =
      a && a->data ? vg_origin_get(a, n->address & (VG_WINDOW(1) - 1)) : 0;
  bool is_padding = n->is_hole && !n->is_used;
  if (before && (is_padding || !vg_origin_is_padding(m, before)))
    return before; // it was copied there by another load
  struct vg_fault f = {.kind = ERR_UNINITIALISED,
                       .severity = is_padding ? GPU_NOTE : GPU_ERROR};
  struct gpu_finding g;
  describe(w, n, &f);
  uint32_t thread =
      n->is_variable ? w->first_thread + (uint32_t)lane : n->thread;
  vg_finding_fill(&g, w->block->grid, w->block->number, thread, n->at, &f);
  return vg_origin_add(m, &g);
}
