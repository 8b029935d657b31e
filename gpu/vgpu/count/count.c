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
#include "gpu/vgpu/count/count.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/vgpu/addresses.h"
#include "gpu/vgpu/launch.h"
#include "gpu/vgpu/memory/memory.h"

struct vg_counts {
  const struct vg_module *module;
  size_t *first; // of each function's tallies, and one behind the last
  struct vg_tally *tallies;
  pthread_mutex_t lock;
};

// The places of a tile that the lanes load or store, register by register. The
// device does it in pieces of 16 bytes, which need not be the same: the tile
// counts as one request for all of them.
enum { PIECE = 16, MAX_PIECES = 256 };
struct vg_count_tile {
  uint64_t pieces[MAX_PIECES]; // addresses over PIECE
  int count, space;
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
  k->tile = c ? xcalloc(1, sizeof *k->tile) : NULL;
  k->counted = NULL;
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
  free(k->tile);
  k->tallies = NULL;
  k->tile = NULL;
}

uint32_t vg_count_number(const struct vg_warp *w, const struct vg_insn *i) {
  const struct vg_counts *c = w->block->grid->counts;
  const struct vg_code *code = w->leaf->frame->code;
  return (uint32_t)(c->first[code - c->module->codes] +
                    (size_t)(i - code->insns));
}

struct vg_tally *vg_count_place(const struct vg_warp *w,
                                const struct vg_insn *i) {
  struct vg_worker *k = w->worker;
  const struct vg_code *code = w->leaf->frame->code;
  if (k->counted != code) {
    k->counted = code;
    k->counted_at = &k->tallies[vg_count_number(w, code->insns)];
  }
  return &k->counted_at[i - code->insns];
}

// ---- Global memory ----

enum { SECTOR = 32 };

static int add_new(uint64_t *seen, int count, uint64_t value) {
  for (int n = count; n-- > 0;) // neighbours come one after the other
    if (seen[n] == value)
      return count;
  seen[count] = value;
  return count + 1;
}

// What lanes reach together.
struct touched {
  uint64_t elements, sectors;
};

// Lanes one behind the other, each of which goes on where the one before ends.
static bool is_row(vg_mask m, const uint64_t *a, uint32_t bytes) {
  int first = m ? __builtin_ctz(m) : 0;
  vg_mask low = m >> first;
  uint64_t apart = 0;
  if (!m || low & (low + 1) || a[first] > UINT64_MAX / 2)
    return false;
  int end = VG_LANES - __builtin_clz(m);
  for (int l = first; l < end; l++)
    apart |= a[l] ^ (a[first] + (uint64_t)(l - first) * bytes);
  return !apart;
}

static uint64_t lane_count(vg_mask m) {
  return m == VG_ALL ? VG_LANES : (uint64_t)__builtin_popcount(m);
}

static struct touched touch_row(vg_mask m, uint64_t start, uint32_t bytes) {
  uint64_t lanes = lane_count(m);
  return (struct touched){lanes, (start + lanes * bytes - 1) / SECTOR -
                                     start / SECTOR + 1};
}

// Mostly no lane's address lies below that of the lane before: then equal ones
// stand together, and nobody has to look back further than one. Not so of what
// is wider than a sector, or ends where addresses do.
static bool touch_ascending(vg_mask m, const uint64_t *a, uint32_t bytes,
                            struct touched *t) {
  uint64_t before = 0, next = 0; // sectors from `next` on are new
  *t = (struct touched){0, 0};
  if (!m || !bytes || bytes > SECTOR)
    return false;
  for (bool is_first = true; m; m &= m - 1, is_first = false) {
    uint64_t at = a[__builtin_ctz(m)];
    if (at < before || at > UINT64_MAX - SECTOR)
      return false;
    uint64_t first = at / SECTOR, last = (at + bytes - 1) / SECTOR;
    t->elements += is_first || at != before;
    t->sectors += (first >= next) + (last >= next && last != first);
    before = at;
    next = last + 1;
  }
  return true;
}

// Accesses are aligned: two of them are the same or apart.
static struct touched touch(vg_mask m, const uint64_t *a, uint32_t bytes) {
  uint64_t elements[VG_LANES], sectors[2 * VG_LANES];
  int element_count = 0, sector_count = 0;
  struct touched t;
  if (bytes && bytes <= SECTOR && is_row(m, a, bytes))
    return touch_row(m, a[__builtin_ctz(m)], bytes);
  if (touch_ascending(m, a, bytes, &t))
    return t;
  for (; m; m &= m - 1) {
    uint64_t at = a[__builtin_ctz(m)];
    element_count = add_new(elements, element_count, at);
    sector_count = add_new(sectors, sector_count, at / SECTOR);
    sector_count = add_new(sectors, sector_count, (at + bytes - 1) / SECTOR);
  }
  return (struct touched){(uint64_t)element_count, (uint64_t)sector_count};
}

static uint64_t sectors_for(uint64_t bytes) {
  return (bytes + SECTOR - 1) / SECTOR;
}

static void count_global(struct vg_tally *t, vg_mask m, const uint64_t *a,
                         uint32_t bytes) {
  struct touched all = touch(m, a, bytes);
  uint64_t wanted = bytes * all.elements;
  t->requests++;
  t->sectors += all.sectors;
  t->bytes += wanted;
  t->needed += sectors_for(wanted);
}

// ---- Shared memory ----

enum { BANKS = 32, WORD = 4 };

// Passes that the lanes of `m` need together: of the words that they want, the
// most that lie in one bank.
static uint64_t passes(vg_mask m, const uint64_t *a, uint32_t bytes) {
  uint64_t words[BANKS][VG_LANES];
  uint8_t count[BANKS] = {0}, most = 0;
  if (bytes == WORD && !(a[__builtin_ctz(m)] % WORD) && is_row(m, a, bytes))
    return 1; // a word of its own bank each
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
  uint64_t lanes = lane_count(m);
  t->atomic_threads += lanes;
  t->atomic_waits += lanes - touch(m, a, 1).elements;
}

// ---- Which memory ----

static bool is_atomic(const struct vg_insn *i) {
  return i->ptx->op == PTX_OP_ATOM || i->ptx->op == PTX_OP_RED;
}

static bool reaches_memory(const struct vg_insn *i) {
  int op = i->ptx->op;
  return op == PTX_OP_LD || op == PTX_OP_LDU || op == PTX_OP_ST || is_atomic(i);
}

static int resolve(int space, uint64_t address) {
  if (space != PTX_GENERIC)
    return space;
  switch (address >> VG_SLOT_BITS) {
  case VG_SLOT_SHARED: return PTX_SHARED;
  case VG_SLOT_LOCAL: return PTX_LOCAL;
  case VG_SLOT_PARAM: return PTX_PARAM;
  default: return PTX_GLOBAL;
  }
}

// What an instruction asks of memory, for lanes at `a`.
struct asked {
  struct vg_warp *warp;
  const struct vg_insn *insn;
  struct vg_tally *tally;
  const uint64_t *a;
  uint32_t bytes;
  bool is_load;
};

// Keeps it where the launch is recorded; `was` is what was counted before it.
static void record(const struct asked *q, enum gpu_space space, vg_mask m,
                   const struct vg_tally *was) {
  const struct vg_tally *t = q->tally;
  struct gpu_request r = {
      .lanes = m,
      .access = (uint8_t)(is_atomic(q->insn) ? GPU_ATOMIC
                          : q->is_load       ? GPU_READ
                                             : GPU_WRITE),
      .space = (uint8_t)space,
      .bytes = (uint8_t)q->bytes,
      .sectors = (uint32_t)(t->sectors - was->sectors + t->copy_sectors -
                            was->copy_sectors),
      .needed = (uint32_t)(t->needed - was->needed),
      .passes = (uint32_t)(t->wavefronts - was->wavefronts),
      .conflicts = (uint32_t)(t->conflicts - was->conflicts),
  };
  for (vg_mask left = m; left; left &= left - 1) {
    int l = __builtin_ctz(left);
    r.at[l] = q->a[l];
    if (space == GPU_SPACE_SHARED && q->a[l] < VG_WINDOW(1))
      r.at[l] += VG_WINDOW(VG_SLOT_SHARED);
  }
  vg_record_add(q->warp, q->insn, &r);
}

static bool is_recorded(const struct asked *q) {
  return q->warp->block->grid->record;
}

static void ask_global(const struct asked *q, vg_mask m) {
  struct vg_tally was = {0};
  if (is_recorded(q))
    was = *q->tally;
  count_global(q->tally, m, q->a, q->bytes);
  if (is_recorded(q))
    record(q, GPU_SPACE_GLOBAL, m, &was);
}

static void ask_shared(const struct asked *q, vg_mask m) {
  struct vg_tally was = {0};
  if (is_recorded(q))
    was = *q->tally;
  count_shared(q->tally, m, q->a, q->bytes, q->is_load);
  if (is_recorded(q))
    record(q, GPU_SPACE_SHARED, m, &was);
}

// Windows are aligned to more than a bank or a sector, so generic addresses
// do as well as a space's own.
static void count_access(struct asked q, vg_mask m) {
  enum { WIDEST = 32 }; // v4.b64, v8.b32
  vg_mask shared = 0, local = 0, global = 0;
  const uint64_t *a = q.a;
  int space = q.insn->space;
  q.bytes = q.bytes < WIDEST ? q.bytes : WIDEST;
  if (space == PTX_GLOBAL || space == PTX_SHARED) {
    if (m && space == PTX_GLOBAL)
      ask_global(&q, m);
    else if (m)
      ask_shared(&q, m);
    return;
  }
  for (vg_mask left = m; left; left &= left - 1) {
    int l = __builtin_ctz(left);
    vg_mask bit = 1u << l;
    switch (resolve(space, a[l])) {
    case PTX_SHARED: shared |= bit; break;
    case PTX_LOCAL: local |= bit; break;
    case PTX_GLOBAL: global |= bit; break;
    default: break; // constants and parameters come another way
    }
  }
  if (shared)
    ask_shared(&q, shared);
  if (local)
    count_local(q.tally, local, a, q.bytes);
  if (global)
    ask_global(&q, global);
}

// Do the lanes of a branch by index go different ways?
static bool indices_differ(struct vg_warp *w, const struct vg_insn *i,
                           vg_mask m) {
  const uint32_t *index = VG_AT(w, i->src[0]);
  uint32_t first = index[__builtin_ctz(m)];
  for (; m; m &= m - 1)
    if (index[__builtin_ctz(m)] != first)
      return true;
  return false;
}

void vg_count_before(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                     struct vg_tally *t) {
  if (i->is_main && i->ptx->op == PTX_OP_BRX)
    t->divergent += indices_differ(w, i, m);
  if (!i->is_main || !reaches_memory(i) || i->space == PTX_PARAM ||
      i->space == PTX_CONST)
    return;
  uint64_t a[VG_LANES];
  uint32_t bytes = i->bytes;
  vg_addresses(w, i, a);
  if (is_atomic(i))
    count_atomic(t, m, a);
  else
    bytes *= i->vec;
  bool is_load = i->ptx->op == PTX_OP_LD;
  uint64_t before = t->shared_requests;
  count_access((struct asked){w, i, t, a, bytes, is_load}, m);
  w->shared_loads += is_load ? t->shared_requests - before : 0;
}

// ---- Tiles of wmma ----

static void add_to_tile(struct vg_count_tile *tile, const struct vg_insn *i,
                        vg_mask m, const uint64_t *a) {
  tile->space = i->space;
  for (; m && tile->count < MAX_PIECES; m &= m - 1)
    tile->count =
        add_new(tile->pieces, tile->count, a[__builtin_ctz(m)] / PIECE);
}

static int by_number(const void *x, const void *y) {
  const uint64_t *a = x, *b = y;
  return (*a > *b) - (*a < *b);
}

static void count_tile(struct vg_count_tile *tile, struct vg_tally *t) {
  enum { TOGETHER = 8 }; // pieces in a pass over shared memory
  uint64_t last = UINT64_MAX, a[VG_LANES];
  uint64_t count = (uint64_t)tile->count, touched = 0;
  qsort(tile->pieces, count, sizeof *tile->pieces, by_number);
  for (uint64_t n = 0; n < count; n++) {
    touched += tile->pieces[n] / 2 != last;
    last = tile->pieces[n] / 2;
  }
  if (resolve(tile->space, tile->pieces[0] * PIECE) != PTX_SHARED) {
    t->requests++;
    t->sectors += touched;
    t->bytes += count * PIECE;
    t->needed += sectors_for(count * PIECE);
    tile->count = 0;
    return;
  }
  t->shared_requests++;
  for (uint64_t n = 0; n < count; n += TOGETHER) {
    uint64_t here = count - n < TOGETHER ? count - n : TOGETHER;
    for (uint64_t l = 0; l < here; l++)
      a[l] = tile->pieces[n + l] * PIECE;
    uint64_t took = passes((1u << here) - 1, a, PIECE);
    t->wavefronts += took;
    t->conflicts += took - 1;
  }
  tile->count = 0;
}

// ---- Other instructions ----

void vg_count_lanes(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                    const uint64_t a[VG_LANES], uint32_t bytes, bool is_load) {
  if (!w->tally || !m || !i->is_main)
    return;
  w->shared_loads += is_load;
  if (i->ptx->op == PTX_OP_WMMA)
    add_to_tile(w->worker->tile, i, m, a);
  else
    count_access((struct asked){w, i, w->tally, a, bytes, is_load}, m);
}

void vg_count_copy(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                   const uint64_t a[VG_LANES], uint32_t bytes) {
  if (!w->tally)
    return;
  struct touched all = touch(m, a, bytes);
  struct asked q = {w, i, w->tally, a, bytes, true};
  struct vg_tally was = *w->tally;
  w->tally->copies++;
  w->tally->copy_sectors += all.sectors;
  w->tally->needed += sectors_for(bytes * all.elements);
  if (is_recorded(&q))
    record(&q, GPU_SPACE_GLOBAL, m, &was);
}

void vg_count_waited(struct vg_warp *w, uint64_t ordered) {
  if (w->tally)
    w->tally->idle_copies += w->shared_loads == ordered;
}

void vg_count_unfenced(struct vg_warp *w) {
  if (w->tally)
    w->tally->unfenced++;
}

uint64_t vg_unfenced(const struct vg_warp *w) {
  return w->tally ? w->tally->unfenced : 0;
}

// ---- Instructions ----

void vg_count_issue(struct vg_warp *w, const struct vg_insn *i, vg_mask active,
                    vg_mask m, struct vg_tally *t) {
  if (!i->is_main)
    return; // it only prepares an operand
  if (w->worker->tile->count)
    count_tile(w->worker->tile, t);
  t->issued++;
  t->threads += lane_count(active);
  t->threads_on += lane_count(m);
  if (i->ptx->op == PTX_OP_BRA)
    t->divergent += m && m != active;
}
