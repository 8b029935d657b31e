// SPDX-License-Identifier: Apache-2.0
// Checked launches: what shows that the interpreter would have nothing to say.
//
// Theory of operation. Compiled code sees to bounds, alignment and divisors itself, and
// bails. Before it runs, all arrays that the kernel reads hold values throughout, so
// that no undefined value gets into a register. While it runs, each unit of what it
// writes gets an owner (tier_emit_checked.c); afterwards the owners are counted: as
// many as were claimed means that no two threads met at one unit, so there was no
// race, and the order of threads shows nowhere. Units with an owner are then marked as
// written. Of all else the interpreter starts the launch over, from the copies.
//
// Of a launch that changed over, some blocks have no owners but the interpreter's sums
// of what they used: no unit may have both. So whatever those blocks change meanwhile,
// nothing that a compiled block reads becomes undefined, and none of its values.
#include "gpu/vgpu/tier/tier_proof.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/vgpu/check/check.h"
#include "gpu/vgpu/launch.h"
#include "gpu/vgpu/memory/memory.h"
#include "gpu/vgpu/tier/tier_kernel.h"

static const uint64_t MOST_OWNERS = UINT64_C(1) << 28;

// ---- Before ----

// The judge's launches are counted to the instruction, which compiled code is not.
bool tier_proof_is_fit(const struct vg_grid *g) {
  const struct vg_code *c = g->code;
  uint32_t exact = GPU_LAUNCH_IN_ORDER | GPU_LAUNCH_PAYS_MEMORY;
  return !(g->launch.flags & exact) && !c->unwritten_count &&
         !c->may_read_any && g->block_count < UINT32_MAX / 2 / g->threads;
}

static bool is_small(const struct vg_alloc *a) {
  return a && a->bytes <= INT32_MAX;
}

// Of a parameter that is read: the array that it names is written through no other.
static bool is_apart(const struct vg_grid *g, const struct vg_tier_kernel *k,
                     int n) {
  const struct vg_alloc *a = tier_array_of(g, n);
  for (int w = 0; w < TIER_ORIGINS; w++) {
    if (!(k->written >> w & 1) || tier_array_of(g, w) != a)
      continue;
    if (!(k->written >> n & 1) || k->fetched >> n & 1)
      return false; // its loads claim nothing, or are textures' reads
  }
  return true;
}

bool tier_proof_holds(const struct vg_grid *g, const struct vg_tier_kernel *k) {
  if (g->code->written & ~(k->written | k->summed))
    return false;
  for (int n = 0; n < TIER_ORIGINS; n++) {
    bool is_read = k->read >> n & 1, is_summed = k->summed >> n & 1;
    bool is_written = k->written >> n & 1 || is_summed;
    if (!is_read && !is_written)
      continue;
    const struct vg_alloc *a = tier_array_of(g, n);
    if (!is_small(a) || (is_written && !vg_is_writable(a)))
      return false;
    if (is_summed && !vg_all_defined(a, 0, a->bytes))
      return false;
    if (is_read && (!is_apart(g, k, n) || !vg_all_defined(a, 0, a->bytes)))
      return false;
  }
  return true;
}

// ---- Owners ----

static struct tier_owned *find_owned(const struct vg_tier_launch *l,
                                     const struct vg_alloc *a) {
  struct tier_owned *o = l->owned;
  while (o && o->of != a)
    o = o->next;
  return o;
}

static struct tier_owned *add_owned(struct vg_grid *g, struct vg_tier_launch *l,
                                    struct vg_alloc *a) {
  uint64_t unit = UINT64_C(1) << l->kernel->unit_shift;
  uint64_t units = (a->bytes + unit - 1) / unit;
  uint32_t *owners = units <= MOST_OWNERS
                         ? vg_zeros_new(g->memory, units * sizeof *owners)
                         : NULL;
  if (!owners)
    return NULL;
  vg_pages_are_dense(owners, units * sizeof *owners);
  struct tier_owned *o = xcalloc(1, sizeof *o);
  *o = (struct tier_owned){l->owned, a, owners, units};
  return l->owned = o;
}

bool tier_proof_begin(struct vg_grid *g, struct vg_tier_launch *l) {
  for (int n = 0; n < TIER_ORIGINS; n++) {
    struct vg_alloc *a = tier_array_in(g, l->kernel->written, n);
    if (!a)
      continue;
    struct tier_owned *o = find_owned(l, a);
    if (!o && !(o = add_owned(g, l, a)))
      return false;
    l->extents[n].owners = o->owners;
  }
  return true;
}

void tier_proof_free(struct vg_grid *g, struct vg_tier_launch *l) {
  while (l->owned) {
    struct tier_owned *o = l->owned;
    uint64_t bytes = o->units * sizeof *o->owners;
    l->owned = o->next;
    if (vg_zeros_stay(bytes))
      memset(o->owners, 0, bytes);
    vg_zeros_free(g->memory, o->owners, bytes);
    free(o);
  }
}

// ---- After ----

static uint64_t count_owned(const struct tier_owned *o) {
  uint64_t count = 0;
  for (uint64_t n = 0; n < o->units; n++)
    count += o->owners[n] != 0;
  return count;
}

// Of an array that held values throughout nothing changes.
static void define(const struct tier_owned *o, int shift) {
  if (vg_all_defined(o->of, 0, o->of->bytes))
    return;
  for (uint64_t n = 0, end; n < o->units; n = end + 1) {
    end = n;
    while (end < o->units && o->owners[end])
      end++;
    uint64_t from = n << shift, to = end << shift;
    to = to < o->of->bytes ? to : o->of->bytes;
    if (to > from)
      vg_define(o->of, from, to - from);
  }
}

// Did the interpreter's blocks use anything that has an owner?
static bool has_met(const struct tier_owned *o, int shift) {
  struct vg_span s = {0};
  while (vg_next_used(o->of, &s))
    for (uint64_t n = s.at >> shift;
         n <= (s.at + s.bytes - 1) >> shift && n < o->units; n++)
      if (o->owners[n])
        return true;
  return false;
}

static bool is_within_budget(const struct vg_grid *g) {
  return tier_work_of(g) <= g->grid_budget;
}

bool tier_proof_end(struct vg_grid *g, struct vg_tier_launch *l) {
  uint64_t count = 0;
  for (const struct tier_owned *o = l->owned; o; o = o->next)
    count += count_owned(o);
  if (count != atomic_load(&l->claimed) || !is_within_budget(g))
    return false;
  for (const struct tier_owned *o = l->owned; o && l->has_changed; o = o->next)
    if (has_met(o, l->kernel->unit_shift))
      return false;
  for (const struct tier_owned *o = l->owned; o; o = o->next)
    define(o, l->kernel->unit_shift);
  return true;
}
