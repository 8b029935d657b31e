// SPDX-License-Identifier: Apache-2.0
// Values that nothing wrote, followed until they matter.
//
// Theory of operation. Memory knows which of its bytes are defined: global
// memory a bit for each, shared and local memory a byte. As long as loads find
// defined bytes only, registers are not looked at. The first load that does not
// makes its warp careful: each frame gets a shadow of its registers, a bit for
// each bit of them, and every instruction passes through vg_check_run, which
// works out what becomes of undefined bytes. When the last of them is
// overwritten the warp is fast again.
//
// A finding is made where a value matters: it decides a branch, is an address,
// goes into an atomic or is printed. What is stored is undefined where it is
// stored. With each value goes a note of the load that it came from.
//
// Registers that may be read before anything wrote them (unwritten.c) are
// undefined from the start; one note stands for such a register in all lanes of
// a warp.
#include "gpu/vgpu/check/taint.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/vgpu/addresses.h"
#include "gpu/vgpu/check/findings.h"
#include "gpu/vgpu/check/race_shared.h"
#include "gpu/vgpu/check/site.h"
#include "gpu/vgpu/cost.h"
#include "gpu/vgpu/lanes.h"
#include "gpu/vgpu/launch.h"
#include "gpu/vgpu/machine/matrix.h"

// ---- Notes: where a value comes from ----

struct note {
  const struct vg_insn *at; // the load; of a variable what first computed with
                            // it, or NULL
  uint64_t address;         // generic
  uint32_t thread, bytes;
  bool is_told;
  bool is_poison;   // the load was not allowed, which has been said
  bool is_hole;     // other bytes of the load were defined
  bool is_used;     // it was not just copied along with those
  bool is_variable; // a register of a warp, not memory
  bool is_absent;   // and what a shuffle brought of lanes that took no part
  const char *name; // of that in the source, or NULL
  vg_mask told;     // lanes that were told of
};

// Of one block; numbers are from 1.
struct vg_notes {
  struct note *list;
  uint32_t count, capacity;
  uint32_t *shared; // of each word of shared memory, or NULL
};

enum {
  MAX_NOTES = 1 << 14,
  MAX_LOST = 256 // accesses of a warp through undefined addresses
};

static uint32_t note_add(struct vg_block *b, struct note n) {
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

// ---- Memory ----

static uint32_t *notes_of_memory(struct vg_warp *w, int lane, int space,
                                 uint64_t at, bool make) {
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

// The note of undefined bytes that were stored, else a new one for the load.
// `is_hole`: not all of the bytes are undefined.
static uint32_t note_of_load(struct vg_warp *w, const struct vg_insn *i,
                             int lane, uint64_t address, uint32_t bytes,
                             bool is_hole) {
  uint64_t at = address;
  int space = vg_space_split(i->space, &at);
  struct vg_taint_memory x = vg_taint_memory(w, lane, space, at, bytes);
  uint32_t first = 0;
  while (x.map && first + 1 < bytes && !vg_taint_bits_at(&x, first))
    first++;
  const uint32_t *kept = notes_of_memory(w, lane, space, at + first, false);
  if (kept && *kept) {
    w->block->notes->list[*kept - 1].is_used |= !is_hole;
    return *kept;
  }
  if (i->space == PTX_SHARED)
    address += VG_WINDOW(VG_SLOT_SHARED);
  else if (i->space == PTX_LOCAL)
    address += VG_WINDOW(VG_SLOT_LOCAL);
  bool is_param = i->is_main && i->ptx->space == PTX_PARAM;
  return note_add(w->block,
                  (struct note){.at = vg_site(w, i),
                                .is_variable = is_param,
                                .name = is_param ? name_of_param(w, i) : NULL,
                                .thread = w->first_thread + (uint32_t)lane,
                                .bytes = bytes,
                                .address = address,
                                .is_hole = is_hole});
}

// Ends the loop that runs the warp, but not its turn (vg_warp_turn).
static void go_on_carefully(struct vg_warp *w) {
  if (w->fuel <= 0 || w->block->in_gang)
    return;
  w->fuel_left = w->fuel;
  w->turn -= w->fuel;
  w->fuel = 0;
}

// Element k of what a lane has loaded.
static void put_loaded(const struct vg_taint_view *v, const struct vg_insn *i,
                       int lane, int k, const struct vg_taint_memory *x,
                       uint32_t note) {
  uint32_t bytes = i->bytes, any = 0;
  uint64_t bits = 0;
  for (uint32_t b = 0; b < bytes; b++) {
    uint64_t byte = vg_taint_bits_at(x, (uint32_t)k * bytes + b);
    any |= (uint32_t)(byte != 0) << b;
    bits |= b < 8 ? byte << b * 8 : 0;
  }
  if (bytes > 8) {
    vg_taint_put(v, i->vector->at[k], lane, any, note);
    return;
  }
  // The sign fills the register.
  if (i->type >= PTX_S8 && i->type <= PTX_S64 && bytes < 4 &&
      bits >> (bytes * 8 - 1) & 1)
    bits |= ~UINT64_C(0) << bytes * 8;
  vg_taint_put_bits(v, i->vector->at[k], lane, bits, note);
}

void vg_on_load(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                const uint64_t a[VG_LANES]) {
  struct vg_taint_view v = {w, w->leaf->frame};
  uint32_t bytes = i->bytes, all = bytes * i->vec;
  bool was_careful = w->is_careful;
  w->has_undefined = false;
  vg_charge(w, VG_LANE_COST * (uint64_t)__builtin_popcount(m));
  for (vg_mask rest = m; rest; rest &= rest - 1) {
    int l = __builtin_ctz(rest);
    uint32_t undefined = vg_undefined_bytes(w, l, i->space, a[l], all);
    if (!undefined)
      continue;
    bool is_hole = undefined != (all < 32 ? (1u << all) - 1 : ~0u);
    uint32_t note = note_of_load(w, i, l, a[l], all, is_hole);
    struct vg_taint_memory x = vg_taint_memory(w, l, i->space, a[l], all);
    for (int k = 0; k < i->vec; k++)
      put_loaded(&v, i, l, k, &x, note);
  }
  if (w->is_careful && !was_careful)
    go_on_carefully(w);
}

// Adds what is undefined of a lane's bytes in memory.
static void mark(struct vg_warp *w, const struct vg_insn *i, int lane,
                 uint64_t address, uint32_t bytes,
                 struct vg_lane_marks *marks) {
  uint32_t whole = 0;
  struct vg_taint_memory x = vg_taint_memory(w, lane, i->space, address, bytes);
  if (!marks->any)
    memset(marks, 0, sizeof *marks);
  marks->any = true;
  for (uint32_t b = 0; b < bytes; b++) {
    marks->bits[lane][b] = vg_taint_bits_at(&x, b);
    whole += marks->bits[lane][b] == 0xFF;
  }
  marks->note[lane] = note_of_load(w, i, lane, address, bytes, whole != bytes);
}

void vg_on_marked(struct vg_warp *w, vg_place p, vg_mask m,
                  const uint64_t bits[VG_LANES],
                  const uint32_t note[VG_LANES]) {
  struct vg_taint_view v = {w, w->leaf->frame};
  bool was_careful = w->is_careful;
  if (p == VG_NOWHERE)
    return;
  for (; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    vg_taint_put_bits(&v, p, l, bits[l], note[l]);
  }
  vg_taint_settle(&v, p);
  if (w->is_careful && !was_careful)
    go_on_carefully(w);
}

static void fill_row(struct vg_frame *f, vg_place p) {
  uint64_t *row = (void *)(f->registers + (p & ~3u));
  int width = f->code->widths[p / 4];
  if (width == 1)
    *(vg_mask *)(void *)row = 0;
  for (int n = 0; width > 1 && n < VG_LANES * width / 8; n++)
    row[n] = VG_POISON;
}

void vg_on_frame(struct vg_warp *w, struct vg_frame *f, vg_mask m) {
  const struct vg_code *c = f->code;
  struct vg_taint_view v = {w, f};
  bool was_careful = w->is_careful;
  if (c->may_read_any)
    memset(f->registers, 0, c->register_bytes);
  *(vg_mask *)(void *)(f->registers + VG_CARRY) = 0;
  for (int n = 0; n < c->unwritten_count; n++) {
    const struct vg_unwritten *u = &c->unwritten[n];
    fill_row(f, u->at);
    if (!w->block->grid->is_checked)
      continue;
    uint32_t lane = (uint32_t)__builtin_ctz(m);
    uint32_t note =
        note_add(w->block, (struct note){.is_variable = true,
                                         .name = u->name,
                                         .thread = w->first_thread + lane});
    for (vg_mask rest = m; rest; rest &= rest - 1)
      vg_taint_put(&v, u->at, __builtin_ctz(rest), ~0u, note);
  }
  if (w->is_careful && !was_careful)
    go_on_carefully(w);
}

void vg_on_load_refused(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  struct vg_taint_view v = {w, w->leaf->frame};
  bool was_careful = w->is_careful;
  uint32_t note = note_add(
      w->block, (struct note){.at = i, .is_told = true, .is_poison = true});
  for (; m; m &= m - 1)
    for (int k = 0; k < i->vec; k++)
      vg_taint_put(&v, i->vector->at[k], __builtin_ctz(m), ~0u, note);
  if (w->is_careful && !was_careful)
    go_on_carefully(w);
}

// ---- Where it matters ----

static void describe(const struct vg_warp *w, const struct note *n,
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

// The first instruction that does more than to hand it on is where a variable
// is missed.
static void place_variable(struct vg_warp *w, struct note *n,
                           const struct vg_insn *i) {
  if (n->is_variable && !n->at)
    n->at = vg_site(w, i);
}

static void tell_variable(struct vg_warp *w, struct note *n, struct vg_fault *f,
                          vg_mask m) {
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
  struct note *n = &b->notes->list[note - 1];
  if (n->is_told)
    return;
  n->is_told = !n->is_variable;
  place_variable(w, n, i);
  struct vg_fault f = {.kind = ERR_UNINITIALISED,
                       .text = role,
                       .other = vg_site(w, i),
                       .other_block = (uint32_t)b->number,
                       .other_thread = w->first_thread + (uint32_t)lane,
                       .other_access = GPU_READ};
  describe(w, n, &f);
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
  uint32_t note = note_of_load(w, &load, lane, s.at, s.bytes, false);
  struct note *n = &w->block->notes->list[note - 1];
  n->at = n->at == &load ? vg_site(w, i) : n->at;
  tell(w, i, lane, note, role, 0);
}

void vg_on_lane_read(struct vg_warp *w, const struct vg_insn *i, int lane,
                     struct vg_span s, struct vg_lane_marks *marks) {
  uint32_t undefined = vg_undefined_bytes(w, lane, i->space, s.at, s.bytes);
  if (undefined && marks)
    mark(w, i, lane, s.at, s.bytes, marks);
  else if (undefined == (1u << s.bytes) - 1)
    vg_on_use(w, i, lane, i->space, s, "is used here");
}

// Tells of the lanes whose register is undefined; gives them.
static vg_mask tell_lanes(const struct vg_taint_view *v,
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

// ---- Stores ----

struct stored {
  uint32_t bytes[VG_LANES], note[VG_LANES];
  vg_mask lanes; // that have any
};

// A variable that fills a part of a value may be padding there.
static void see_stored(struct vg_warp *w, const struct vg_insn *i,
                       uint32_t number, bool is_part) {
  struct note *n = number ? &w->block->notes->list[number - 1] : NULL;
  if (!n || !n->is_variable)
    return;
  place_variable(w, n, i);
  n->is_hole |= is_part;
}

static void look_at_value(const struct vg_taint_view *v,
                          const struct vg_insn *i, vg_mask m,
                          struct stored *s) {
  s->lanes = 0;
  for (; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    s->bytes[l] = s->note[l] = 0;
    for (int k = 0; k < i->vec; k++) {
      uint32_t note, all = i->bytes < 32 ? (1u << i->bytes) - 1 : ~0u;
      uint32_t part = vg_taint_get(v, i->vector->at[k], l, &note) & all;
      s->bytes[l] |= part << k * i->bytes;
      s->note[l] = part ? note : s->note[l];
      see_stored(v->w, i, part ? note : 0, part != all);
    }
    s->lanes |= (vg_mask)(s->bytes[l] != 0) << l;
  }
}

void vg_taint_computed(struct vg_warp *w, uint32_t note) {
  if (note)
    w->block->notes->list[note - 1].is_used = true;
}

void vg_taint_read(struct vg_warp *w, const struct vg_insn *i, uint32_t note) {
  if (note)
    place_variable(w, &w->block->notes->list[note - 1], i);
}

// Bytes that were copied along with others may be padding of a structure.
static uint32_t origin_of(struct vg_warp *w, int lane, uint32_t note) {
  struct vg_memory *m = w->block->grid->memory;
  const struct note *n = &w->block->notes->list[note - 1];
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

// Undefined bits of byte b of what a lane stores.
static uint8_t stored_bits(const struct vg_taint_view *v,
                           const struct vg_insn *i, int lane, uint32_t b) {
  vg_place p = i->vector->at[b / i->bytes];
  if (i->bytes > 8)
    return 0xFF;
  return (uint8_t)(vg_taint_bits(v, p, lane) >> b % i->bytes * 8);
}

// What a lane wrote: the undefined bits of each of its bytes.
struct written {
  uint32_t bytes, note;
  uint8_t bits[32];
};

static void undefine(struct vg_warp *w, const struct vg_insn *i, int lane,
                     uint64_t at, const struct written *v) {
  struct vg_memory *memory = w->block->grid->memory;
  int space = vg_space_split(i->space, &at);
  struct vg_taint_memory x = vg_taint_memory(w, lane, space, at, v->bytes);
  for (uint32_t b = 0; b < v->bytes; b++) {
    if (!v->bits[b])
      continue;
    uint32_t *kept = notes_of_memory(w, lane, space, at + b, true);
    vg_taint_set_bits_at(memory, &x, b, v->bits[b]);
    if (x.map && kept)
      *kept = v->note;
  }
  if (x.alloc)
    vg_origin_set(memory, x.alloc, x.offset, v->bytes,
                  origin_of(w, lane, v->note));
}

void vg_on_stored(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                  struct vg_part part, const uint64_t a[VG_LANES]) {
  struct vg_taint_view v = {w, w->leaf->frame};
  for (; vg_taint_any(&v, part.of) && m; m &= m - 1) {
    int l = __builtin_ctz(m);
    uint64_t bits = vg_taint_bits(&v, part.of, l) >> part.from * 8;
    struct written x = {part.bytes, vg_taint_note(&v, part.of, l), {0}};
    bits &= part.bytes < 8 ? (UINT64_C(1) << part.bytes * 8) - 1 : ~UINT64_C(0);
    memcpy(x.bits, &bits, sizeof bits);
    if (!bits)
      continue;
    see_stored(w, i, x.note, false);
    undefine(w, i, l, a[l], &x);
  }
}

static bool is_global(int space, uint64_t address) {
  return vg_space_split(space, &address) == PTX_GLOBAL;
}

static void run_store(const struct vg_taint_view *v, const struct vg_insn *i,
                      vg_mask m) {
  struct stored s;
  uint64_t a[VG_LANES];
  look_at_value(v, i, m, &s);
  if (s.lanes)
    vg_addresses(v->w, i, a);
  i->run(v->w, i, m);
  for (vg_mask rest = s.lanes; rest; rest &= rest - 1) {
    int l = __builtin_ctz(rest);
    if (v->w->block->notes->list[s.note[l] - 1].is_poison &&
        is_global(i->space, a[l]))
      continue; // the host hears of the load itself
    struct written x = {(uint32_t)i->bytes * i->vec, s.note[l], {0}};
    for (uint32_t b = 0; b < x.bytes; b++)
      x.bits[b] = s.bytes[l] >> b & 1 ? stored_bits(v, i, l, b) : 0;
    undefine(v->w, i, l, a[l], &x);
  }
}

// ---- One instruction ----

static bool is_memory(const struct vg_insn *i) {
  switch (i->is_main ? i->ptx->op : PTX_OP_COUNT) {
  case PTX_OP_LD:
  case PTX_OP_LDU:
  case PTX_OP_ST:
  case PTX_OP_ATOM:
  case PTX_OP_RED: return !i->is_param_load;
  default: return false;
  }
}

// wmma.load and ldmatrix, whose handlers mark what they load.
static bool is_matrix_load(const struct vg_insn *i) {
  return i->is_main && i->ptx->matrix &&
         (i->ptx->op == PTX_OP_LDMATRIX ||
          (i->ptx->op == PTX_OP_WMMA &&
           i->ptx->matrix->step == PTX_MATRIX_LOAD));
}

static bool is_control(const struct vg_insn *i) {
  switch (i->is_main ? i->ptx->op : PTX_OP_COUNT) {
  case PTX_OP_BRA:
  case PTX_OP_BRX:
  case PTX_OP_CALL:
  case PTX_OP_RET:
  case PTX_OP_EXIT:
  case PTX_OP_TRAP:
  case PTX_OP_BRKPT:
  case PTX_OP_BAR:
  case PTX_OP_BARRIER:
  case PTX_OP_SHFL: // these hand on what lanes have (vg_on_exchange)
  case PTX_OP_VOTE:
  case PTX_OP_MATCH:
  case PTX_OP_REDUX: return true;
  default: return false;
  }
}

static void clear_row(const struct vg_taint_view *v, vg_place p, vg_mask m) {
  if (!vg_taint_any(v, p))
    return;
  for (; m; m &= m - 1)
    vg_taint_put(v, p, __builtin_ctz(m), 0, 0);
  vg_taint_settle(v, p);
}

static bool writes_vector(const struct vg_insn *i) {
  return i->vector && i->dst == VG_NOWHERE && i->is_main &&
         ptx_has_destination(i->ptx);
}

static void clear_targets(const struct vg_taint_view *v,
                          const struct vg_insn *i, vg_mask m) {
  clear_row(v, i->dst, m);
  clear_row(v, i->dst2, m);
  for (int k = 0; writes_vector(i) && k < i->vec; k++)
    clear_row(v, i->vector->at[k], m);
  if (!i->is_main || !ptx_has_destination(i->ptx))
    return;
  bool is_atom = i->ptx->op == PTX_OP_ATOM && i->wide;
  for (int k = 0; is_atom && k < i->wide->old.count; k++)
    clear_row(v, i->wide->old.at[k], m);
  for (int k = 0; i->ptx->matrix && k < i->matrix->d.count; k++)
    clear_row(v, i->matrix->d.at[k], m);
}

static bool has_undefined_source(const struct vg_taint_view *v,
                                 const struct vg_insn *i) {
  bool any = false;
  for (int n = 0; n < 4; n++)
    any |= vg_taint_any(v, i->src[n]);
  for (int k = 0; i->vector && !writes_vector(i) && k < i->vec; k++)
    any |= vg_taint_any(v, i->vector->at[k]);
  return any;
}

// mov {a, b}, d.
static void run_unpack(const struct vg_taint_view *v, const struct vg_insn *i,
                       vg_mask m) {
  uint32_t from[VG_LANES], note[VG_LANES];
  uint64_t bits[VG_LANES];
  bool is_wide = vg_taint_width(v, i->src[0]) > 8;
  for (int l = 0; l < VG_LANES; l++) {
    from[l] = vg_taint_get(v, i->src[0], l, &note[l]);
    bits[l] = vg_taint_bits(v, i->src[0], l);
  }
  i->run(v->w, i, m);
  uint64_t part =
      i->bytes < 8 ? (UINT64_C(1) << i->bytes * 8) - 1 : ~UINT64_C(0);
  for (int k = 0; k < i->vec; k++) {
    for (int l = 0; l < VG_LANES; l++)
      if (m >> l & 1 && is_wide)
        vg_taint_put(v, i->vector->at[k], l,
                     from[l] >> k * i->bytes & ((1u << i->bytes) - 1), note[l]);
      else if (m >> l & 1)
        vg_taint_put_bits(v, i->vector->at[k], l,
                          bits[l] >> k * i->bytes * 8 & part, note[l]);
    if (i->vector->at[k] != VG_NOWHERE)
      vg_taint_settle(v, i->vector->at[k]);
  }
}

static void run_plain(const struct vg_taint_view *v, const struct vg_insn *i,
                      vg_mask m) {
  uint32_t bytes[VG_LANES], note[VG_LANES];
  uint64_t bits[VG_LANES];
  if (i->is_main && i->ptx->matrix && vg_taint_run_product(v, i, m))
    return;
  if (!has_undefined_source(v, i)) {
    i->run(v->w, i, m);
    clear_targets(v, i, m);
    return;
  }
  if (writes_vector(i) && i->ptx->op == PTX_OP_MOV) {
    run_unpack(v, i, m);
    return;
  }
  vg_charge(v->w, VG_TAINT_COST);
  bool is_exact = vg_taint_results(v, i, m, bytes, bits, note);
  i->run(v->w, i, m);
  for (int l = 0; l < VG_LANES; l++) {
    if (!(m >> l & 1))
      continue;
    if (is_exact)
      vg_taint_put_bits(v, i->dst, l, bits[l], note[l]);
    else
      vg_taint_put(v, i->dst, l, bytes[l], note[l]);
    vg_taint_put(v, i->dst2, l, bytes[l], note[l]);
  }
  if (i->dst != VG_NOWHERE)
    vg_taint_settle(v, i->dst);
  if (i->dst2 != VG_NOWHERE)
    vg_taint_settle(v, i->dst2);
  if (i->dst == VG_NOWHERE)
    clear_targets(v, i, m);
}

// Threads whose way on hangs on a value that was never there.
static vg_mask lost_lanes(const struct vg_taint_view *v, vg_mask m,
                          vg_place guard) {
  vg_mask lost = 0;
  for (; vg_taint_any(v, guard) && m; m &= m - 1) {
    int l = __builtin_ctz(m);
    uint32_t note;
    if (vg_taint_get(v, guard, l, &note) &&
        v->w->block->notes->list[note - 1].is_poison)
      lost |= 1u << l;
  }
  return lost;
}

// Ends threads that cannot go on sensibly, which is no reason to complain about
// barriers. False when none of the leaf is left.
static bool end_lanes(struct vg_warp *w, const struct vg_insn *i,
                      vg_mask lanes) {
  struct vg_stray left = w->block->left, early = w->block->left_early;
  bool all = lanes == w->active;
  w->block->exit(w, i, lanes);
  w->block->left = left;
  w->block->left_early = early;
  return !all;
}

static void run_branch(const struct vg_taint_view *v, const struct vg_insn *i,
                       vg_mask m) {
  struct vg_warp *w = v->w;
  vg_mask lost = lost_lanes(v, w->active, i->guard);
  if (lost && !end_lanes(w, i, lost))
    return;
  if (m & ~lost)
    i->run(w, i, m & ~lost);
}

// What an address that is undefined brings is undefined, too.
static void put_lost(const struct vg_taint_view *v, const struct vg_insn *i,
                     vg_mask lost) {
  for (; lost; lost &= lost - 1) {
    int l = __builtin_ctz(lost);
    uint32_t note;
    vg_taint_get(v, i->src[0], l, &note);
    vg_taint_put(v, i->dst, l, note ? ~0u : 0, note);
    for (int k = 0; i->vector && k < i->vec; k++)
      vg_taint_put(v, i->vector->at[k], l, note ? ~0u : 0, note);
  }
}

void vg_on_guard(struct vg_warp *w, const struct vg_insn *i) {
  struct vg_taint_view v = {w, w->leaf->frame};
  bool is_branch = i->is_main && i->ptx->op == PTX_OP_BRA;
  tell_lanes(&v, i, w->active, i->guard,
             is_branch ? "decides a branch" : "decides what is done");
}

void vg_check_run(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  struct vg_taint_view v = {w, w->leaf->frame};
  bool is_branch = i->is_main && i->ptx->op == PTX_OP_BRA;
  vg_on_guard(w, i);
  if (is_branch) {
    run_branch(&v, i, m);
    return;
  }
  if (is_control(i)) {
    if (i->ptx->op == PTX_OP_BRX || i->ptx->op == PTX_OP_CALL)
      tell_lanes(&v, i, m, i->src[0], "decides where to go on");
    if (i->ptx->op == PTX_OP_BAR || i->ptx->op == PTX_OP_BARRIER)
      clear_row(&v, i->dst, m);
    if (m)
      i->run(w, i, m);
    return;
  }
  if (!m)
    return;
  if (is_matrix_load(i)) {
    tell_lanes(&v, i, m, i->src[0], "is used as an address");
    i->run(w, i, m);
    return;
  }
  if (!is_memory(i)) {
    run_plain(&v, i, m);
    return;
  }
  vg_mask lost = tell_lanes(&v, i, m, i->src[0], "is used as an address");
  w->lost_accesses += (uint32_t)__builtin_popcount(lost);
  if (w->lost_accesses > MAX_LOST && lost && !w->block->in_gang) {
    if (!end_lanes(w, i, lost))
      return;
    m &= ~lost;
    lost = 0;
  }
  if (i->ptx->op == PTX_OP_ATOM || i->ptx->op == PTX_OP_RED)
    for (int n = 1; n < 4; n++)
      tell_lanes(&v, i, m, i->src[n], "goes into an atomic");
  if (i->ptx->op == PTX_OP_ST) {
    if (m & ~lost)
      run_store(&v, i, m & ~lost);
    return;
  }
  put_lost(&v, i, lost);
  clear_targets(&v, i, m & ~lost);
  if (m & ~lost)
    i->run(w, i, m & ~lost);
}

void vg_on_exchange(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                    const uint8_t from[VG_LANES]) {
  struct vg_taint_view v = {w, w->leaf->frame};
  uint32_t bytes[VG_LANES], note[VG_LANES] = {0}, any = 0;
  if (!has_undefined_source(&v, i)) {
    clear_targets(&v, i, m);
    return;
  }
  for (int l = 0; l < VG_LANES; l++) {
    uint32_t other;
    bytes[l] = m >> l & 1 ? vg_taint_get(&v, i->src[0], l, &note[l]) : 0;
    any = bytes[l] ? note[l] : any;
    for (int n = 1; n < 4 && m >> l & 1; n++)
      if (vg_taint_get(&v, i->src[n], l, &other))
        any = other;
  }
  for (int l = 0; l < VG_LANES; l++) {
    if (!(m >> l & 1))
      continue;
    int k = from ? from[l] : l;
    vg_taint_put(&v, i->dst, l,
                 from  ? bytes[k]
                 : any ? ~0u
                       : 0,
                 from ? note[k] : any);
    vg_taint_put(&v, i->dst2, l, 0, 0);
  }
  if (i->dst != VG_NOWHERE)
    vg_taint_settle(&v, i->dst);
}

void vg_on_absent(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  struct vg_taint_view v = {w, w->leaf->frame};
  bool was_careful = w->is_careful;
  uint32_t note =
      note_add(w->block, (struct note){.at = vg_site(w, i),
                                       .is_variable = true,
                                       .is_absent = true,
                                       .thread = w->first_thread +
                                                 (uint32_t)__builtin_ctz(m)});
  for (; m; m &= m - 1)
    vg_taint_put(&v, i->dst, __builtin_ctz(m), ~0u, note);
  if (w->is_careful && !was_careful)
    go_on_carefully(w);
}

static bool is_first_at(const uint64_t a[VG_LANES], vg_mask m, int lane) {
  for (vg_mask rest = m & ((1u << lane) - 1); rest; rest &= rest - 1)
    if (a[__builtin_ctz(rest)] == a[lane])
      return false;
  return true;
}

void vg_on_swap(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                const uint64_t a[VG_LANES], uint32_t bytes) {
  struct vg_taint_view v = {w, w->leaf->frame};
  vg_place dst = i->wide && i->wide->old.count ? i->wide->old.at[0] : i->dst;
  bool was_careful = w->is_careful;
  for (vg_mask rest = m; rest && dst != VG_NOWHERE; rest &= rest - 1) {
    int l = __builtin_ctz(rest);
    uint32_t undefined = vg_undefined_bytes(w, l, i->space, a[l], bytes);
    if (undefined && is_first_at(a, m, l))
      vg_taint_put(&v, dst, l, undefined,
                   note_of_load(w, i, l, a[l], bytes, false));
  }
  if (w->is_careful && !was_careful)
    go_on_carefully(w);
}
