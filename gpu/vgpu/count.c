// SPDX-License-Identifier: Apache-2.0
// Counting: instructions, and what memory has to do for them.
//
// Global memory moves in sectors of 32 bytes: a request touches as many as its
// lanes' addresses do together. Shared memory has 32 banks of 4 bytes: lanes
// that want different words of one bank are served one after the other, lanes
// that want the same word together. Accesses of 8 and 16 bytes take two and
// four passes at best, for half and quarter warps; loads in which all lanes
// agree in pairs (l and l^1, or l and l^2) take half as many.
// CUDA C++ Programming Guide, "Device Memory Accesses" and "Shared Memory";
// pairs: NVIDIA developer forum, "Unexpected shared memory bank conflict".
#include "gpu/vgpu/count.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct vg_counts {
  const struct vg_module *module;
  size_t *first; // of each function's tallies, and one behind the last
  struct vg_tally *tallies;
  pthread_mutex_t lock;
};

struct vg_counts *vg_counts_new(const struct vg_module *m) {
  struct vg_counts *c = xcalloc(1, sizeof *c);
  size_t count = (size_t)m->ptx->func_count;
  c->module = m;
  c->first = xcalloc(count + 1, sizeof *c->first);
  for (size_t f = 0; f < count; f++)
    c->first[f + 1] = c->first[f] + (size_t)m->codes[f].insn_count;
  c->tallies = xcalloc(c->first[count] + 1, sizeof *c->tallies);
  pthread_mutex_init(&c->lock, NULL);
  return c;
}

void vg_counts_free(struct vg_counts *c) {
  if (!c)
    return;
  pthread_mutex_destroy(&c->lock);
  free(c->tallies);
  free(c->first);
  free(c);
}

static size_t tally_count(const struct vg_counts *c) {
  return c->first[c->module->ptx->func_count];
}

void vg_counts_clear(struct vg_counts *c) {
  if (c)
    memset(c->tallies, 0, tally_count(c) * sizeof *c->tallies);
}

const struct vg_module *vg_counts_module(const struct vg_counts *c) {
  return c->module;
}

const struct vg_tally *vg_counts_of(const struct vg_counts *c, int function) {
  return &c->tallies[c->first[function]];
}

void vg_count_join(struct vg_worker *k) {
  const struct vg_counts *c = k->grid->counts;
  k->tallies = c ? xcalloc(tally_count(c) + 1, sizeof *k->tallies) : NULL;
}

void vg_count_leave(struct vg_worker *k) {
  struct vg_counts *c = k->grid->counts;
  if (!c)
    return;
  enum { FIELDS = sizeof(struct vg_tally) / sizeof(uint64_t) };
  pthread_mutex_lock(&c->lock);
  uint64_t *to = (uint64_t *)c->tallies;
  const uint64_t *from = (const uint64_t *)k->tallies;
  for (size_t n = 0; n < tally_count(c) * FIELDS; n++)
    to[n] += from[n];
  pthread_mutex_unlock(&c->lock);
  free(k->tallies);
  k->tallies = NULL;
}

struct vg_tally *vg_count_place(const struct vg_warp *w,
                                const struct vg_insn *i) {
  const struct vg_counts *c = w->block->grid->counts;
  const struct vg_code *code = w->leaf->frame->code;
  return &w->worker->tallies[c->first[code - c->module->codes] +
                             (size_t)(i - code->insns)];
}

// ---- Instructions ----

void vg_count_issue(const struct vg_insn *i, vg_mask active, vg_mask m,
                    struct vg_tally *t) {
  if (!i->is_main)
    return; // it only prepares an operand
  t->issued++;
  t->threads += (uint64_t)__builtin_popcount(active);
  t->threads_on += (uint64_t)__builtin_popcount(m);
  if (i->ptx->op == PTX_OP_BRA)
    t->divergent += m && m != active;
}

// ---- Global memory ----

static int add_new(uint64_t *seen, int count, uint64_t value) {
  for (int n = count; n-- > 0;) // neighbours come one after the other
    if (seen[n] == value)
      return count;
  seen[count] = value;
  return count + 1;
}

static void count_global(struct vg_tally *t, vg_mask m, const uint64_t *a,
                         uint32_t bytes) {
  enum { SECTOR_BITS = 5 };
  uint64_t seen[2 * VG_LANES];
  int count = 0;
  for (vg_mask left = m; left; left &= left - 1) {
    int l = __builtin_ctz(left);
    count = add_new(seen, count, a[l] >> SECTOR_BITS);
    count = add_new(seen, count, (a[l] + bytes - 1) >> SECTOR_BITS);
  }
  t->requests++;
  t->sectors += (uint64_t)count;
  t->bytes += (uint64_t)bytes * (uint64_t)__builtin_popcount(m);
}

// ---- Shared memory ----

enum { BANKS = 32, WORD = 4 };

// Passes that the lanes of `m` need together: of the words that they want, the
// most that lie in one bank.
static uint64_t passes(vg_mask m, const uint64_t *a, uint32_t bytes) {
  uint64_t words[BANKS][VG_LANES];
  uint8_t count[BANKS] = {0}, most = 0;
  for (; m; m &= m - 1) {
    uint64_t at = a[__builtin_ctz(m)];
    for (uint64_t w = at / WORD; w <= (at + bytes - 1) / WORD; w++) {
      unsigned bank = w % BANKS;
      count[bank] = (uint8_t)add_new(words[bank], count[bank], w);
      most = count[bank] > most ? count[bank] : most;
    }
  }
  return most;
}

// Do all lanes agree with those whose number differs in `bit`?
static bool is_paired(vg_mask m, const uint64_t *a, int bit) {
  for (int l = 0; l < VG_LANES; l++) {
    int other = l ^ bit;
    if (m >> l & 1 && m >> other & 1 && a[l] != a[other])
      return false;
  }
  return true;
}

static void count_shared(struct vg_tally *t, vg_mask m, const uint64_t *a,
                         uint32_t bytes, bool is_load) {
  int groups = bytes <= 4 ? 1 : bytes <= 8 ? 2 : 4;
  if (groups > 1 && is_load && (is_paired(m, a, 1) || is_paired(m, a, 2)))
    groups /= 2;
  int lanes = VG_LANES / groups;
  t->shared_requests++;
  for (int g = 0; g < groups; g++) {
    vg_mask part = (lanes == VG_LANES ? VG_ALL : (1u << lanes) - 1)
                   << (g * lanes % VG_LANES);
    uint64_t took = m & part ? passes(m & part, a, bytes) : 0;
    t->wavefronts += took;
    t->conflicts += took ? took - 1 : 0;
  }
}

// ---- Local memory ----

// The lanes' words of one address lie side by side: 128 bytes for all 32.
static void count_local(struct vg_tally *t, vg_mask m, const uint64_t *a,
                        uint32_t bytes) {
  enum { LANES_IN_SECTOR = 8 };
  uint64_t seen[VG_MAX_VECTOR * VG_LANES];
  int count = 0;
  for (; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    uint64_t last = (a[l] + bytes - 1) / WORD, w = a[l] / WORD;
    for (; w <= last && count < VG_MAX_VECTOR * VG_LANES; w++)
      count = add_new(seen, count,
                      w * (VG_LANES / LANES_IN_SECTOR) +
                          (uint64_t)(l / LANES_IN_SECTOR));
  }
  t->local_requests++;
  t->local_sectors += (uint64_t)count;
}

// ---- Atomics ----

// Lanes that want an address which a lane before them wants, too.
static void count_atomic(struct vg_tally *t, vg_mask m, const uint64_t *a) {
  uint64_t seen[VG_LANES];
  int count = 0, lanes = __builtin_popcount(m);
  for (; m; m &= m - 1)
    count = add_new(seen, count, a[__builtin_ctz(m)]);
  t->atomic_threads += (uint64_t)lanes;
  t->atomic_waits += (uint64_t)(lanes - count);
}

// ---- Which memory ----

static bool is_atomic(const struct vg_insn *i) {
  return i->ptx->op == PTX_OP_ATOM || i->ptx->op == PTX_OP_RED;
}

static bool reaches_memory(const struct vg_insn *i) {
  int op = i->ptx->op;
  return op == PTX_OP_LD || op == PTX_OP_LDU || op == PTX_OP_ST || is_atomic(i);
}

void vg_count_memory(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                     struct vg_tally *t) {
  if (!i->is_main || !reaches_memory(i) || i->space == PTX_PARAM ||
      i->space == PTX_CONST)
    return;
  uint64_t a[VG_LANES];
  vg_mask in[3] = {0, 0, 0}; // shared, local, global
  vg_addresses(w, i, a);
  for (vg_mask left = m; left; left &= left - 1) {
    int l = __builtin_ctz(left), space = i->space;
    uint64_t slot = a[l] >> VG_SLOT_BITS;
    if (space == PTX_GENERIC)
      space = slot == VG_SLOT_SHARED  ? PTX_SHARED
              : slot == VG_SLOT_LOCAL ? PTX_LOCAL
              : slot == VG_SLOT_PARAM ? PTX_PARAM
                                      : PTX_GLOBAL;
    int which = space == PTX_SHARED ? 0 : space == PTX_LOCAL ? 1 : 2;
    if (space != PTX_PARAM)
      in[which] |= 1u << l;
  }
  uint32_t bytes = i->bytes;
  if (!is_atomic(i))
    bytes *= i->vec;
  // Windows are aligned to more than a bank or a sector.
  if (in[0])
    count_shared(t, in[0], a, bytes, i->ptx->op == PTX_OP_LD);
  if (in[1])
    count_local(t, in[1], a, bytes);
  if (in[2])
    count_global(t, in[2], a, bytes);
  if (is_atomic(i))
    count_atomic(t, m, a);
}
