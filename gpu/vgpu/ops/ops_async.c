// SPDX-License-Identifier: Apache-2.0
// cp.async, cp.async.bulk and mbarrier.
//
// Theory of operation. A copy reads its source at once and writes its target
// as late as PTX allows: when its thread waits for it, when an mbarrier is to
// tell that it came, or when the thread ends. A kernel that looks before it
// waits then finds the old bytes every time, and the checks find that nobody
// wrote them. A race is looked for at both ends, since real copies land anywhere
// between. Bulk copies that report to an mbarrier are done at once, since
// nothing but the barrier's phase can be looked at.
//
// An mbarrier is 8 bytes of shared memory whose content PTX leaves open; ours:
// phase, expected and pending arrivals, bytes on their way, and a mark by which
// other memory is told from one.
//
// PTX ISA: "cp.async", "cp.async.bulk", "mbarrier".
#include "gpu/vgpu/ops/ops.h"

#include <stdlib.h>

#include "base/mem.h"
#include "gpu/vgpu/check/check.h"
#include "gpu/vgpu/cost.h"
#include "gpu/vgpu/count/count.h"
#include "gpu/vgpu/lanes.h"
#include "gpu/vgpu/matrix/matrix.h"
#include "gpu/vgpu/ops/access.h"
#include "gpu/vgpu/run/run.h"
#include "gpu/vgpu/slice/slice.h"

enum { ASYNC_COST = 64, MAX_COPIES = 1 << 14 };

// ---- Copies on their way ----

struct copy {
  const struct vg_insn *to; // its target, as a store
  uint64_t address;
  uint32_t group;   // of its lane
  uint64_t ordered; // where its warp's shared_loads stood
  uint8_t lane, bytes;
  uint8_t data[16];
  struct vg_slice_value value; // what it is made of (slice.h)
};

struct copies {
  struct vg_pending pending;
  struct copy *items;
  int count, capacity;
  uint32_t groups[VG_LANES]; // committed so far
};

static void finish_copies(struct vg_warp *w, vg_mask m);
static void send_again(struct vg_warp *w);

static void free_copies(struct vg_warp *w) {
  struct copies *s = (struct copies *)w->copies;
  free(s->items);
  free(s);
  w->copies = NULL;
}

static struct copies *copies_of(struct vg_warp *w) {
  if (!w->copies) {
    struct copies *s = xcalloc(1, sizeof *s);
    s->pending = (struct vg_pending){finish_copies, free_copies, send_again};
    w->copies = &s->pending;
  }
  return (struct copies *)w->copies;
}

static void send(struct vg_warp *w, const struct copy *c) {
  uint64_t all = w->block->shared_bytes;
  if (w->block->shadow && c->address <= all && c->bytes <= all - c->address)
    vg_on_shared_send(w, c->to, c->lane, (uint32_t)c->address, c->bytes);
}

// Behind a barrier they are on their way still.
static void send_again(struct vg_warp *w) {
  const struct copies *s = (const struct copies *)w->copies;
  for (int n = 0; n < s->count; n++)
    send(w, &s->items[n]);
}

static void write_one(struct vg_warp *w, const struct copy *c) {
  uint64_t a[VG_LANES] = {0};
  uint8_t data[VG_LANES][16];
  a[c->lane] = c->address;
  vg_slice_will_write(w, c->lane, c->value);
  memcpy(data[c->lane], c->data, sizeof c->data);
  vg_write_lanes(w, c->to, 1u << c->lane,
                 (struct vg_spans){a, c->bytes, GPU_WRITE}, data);
}

// Does the copies of the lanes `m` whose group is older than each lane's last
// `but` groups; with `all`, those of no group yet, too.
static void complete(struct vg_warp *w, vg_mask m, uint32_t but, bool all,
                     bool is_wait) {
  struct copies *s = (struct copies *)w->copies;
  if (!s)
    return;
  int kept = 0;
  for (int n = 0; n < s->count; n++) {
    const struct copy *c = &s->items[n];
    bool due = all || (c->group < s->groups[c->lane] &&
                       s->groups[c->lane] - c->group > but);
    if (!(m >> c->lane & 1 && due)) {
      s->items[kept++] = *c;
      continue;
    }
    if (is_wait)
      vg_count_waited(w, c->ordered);
    write_one(w, c);
  }
  s->count = kept;
}

static void finish_copies(struct vg_warp *w, vg_mask m) {
  complete(w, m, 0, true, false);
}

static struct copy *copy_new(struct vg_warp *w) {
  struct copies *s = copies_of(w);
  if (s->count == MAX_COPIES) // what nobody waits for need not wait
    finish_copies(w, VG_ALL);
  if (s->count == s->capacity) {
    s->capacity = s->capacity ? 2 * s->capacity : 64;
    s->items = xrealloc(s->items, sizeof *s->items * (size_t)s->capacity);
  }
  return &s->items[s->count++];
}

// How many bytes each lane reads; the others of its copy are zeros.
static void source_bytes(struct vg_warp *w, const struct vg_async *x,
                         uint32_t bytes, uint32_t out[VG_LANES]) {
  const uint32_t *given =
      x->source != VG_NOWHERE ? (const uint32_t *)VG_AT(w, x->source) : NULL;
  vg_mask none = x->ignore != VG_NOWHERE
                     ? get_predicate(w, x->ignore) ^ x->ignore_flip
                     : 0;
  for (int l = 0; l < VG_LANES; l++) {
    out[l] = given && given[l] < bytes ? given[l] : bytes;
    if (none >> l & 1)
      out[l] = 0;
  }
}

// Reads what each lane copies into `data`; answers the lanes that may write.
static vg_mask read_sources(struct vg_warp *w, const struct vg_insn *i,
                            vg_mask m, uint32_t bytes,
                            uint8_t data[VG_LANES][16]) {
  const struct vg_async *x = i->async;
  uint64_t from[VG_LANES];
  uint32_t reads[VG_LANES];
  vg_mask whole = 0;
  vg_addresses(w, x->from, from);
  source_bytes(w, x, bytes, reads);
  for (int l = 0; l < VG_LANES; l++)
    whole |= (vg_mask)(reads[l] == bytes) << l;
  vg_count_copy(w, i, m, from, bytes);
  vg_mask ok = whole & m;
  if (ok)
    ok = vg_read_lanes(w, x->from, ok, (struct vg_spans){from, bytes, GPU_READ},
                       data, NULL);
  for (uint32_t b = 0; b < bytes; b++) {
    uint8_t byte[VG_LANES][16];
    vg_mask some = 0;
    for (int l = 0; l < VG_LANES; l++)
      some |= (vg_mask)(b < reads[l]) << l;
    some &= m & ~whole;
    if (some)
      vg_read_lanes(w, x->from, some, (struct vg_spans){from, 1, GPU_READ},
                    byte, NULL);
    for (int l = 0; l < VG_LANES; l++) {
      if (some >> l & 1)
        data[l][b] = byte[l][0];
      from[l]++;
    }
  }
  return ok | (m & ~whole);
}

// cp.async.{ca,cg} [to], [from], bytes{, source bytes | ignore}.
static void op_copy(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  const struct vg_async *x = i->async;
  uint64_t to[VG_LANES];
  uint32_t bytes = *(const uint32_t *)VG_AT(w, x->bytes);
  uint8_t data[VG_LANES][16] = {{0}};
  vg_charge(w, ASYNC_COST);
  vg_addresses(w, x->to, to);
  vg_mask ok = read_sources(w, i, m, bytes, data);
  for (int l = 0; l < VG_LANES; l++) {
    if (!(ok >> l & 1))
      continue;
    struct copy *c = copy_new(w);
    *c = (struct copy){.to = vg_site_of_lane(w, l, x->to),
                       .address = to[l],
                       .group = copies_of(w)->groups[l],
                       .ordered = w->shared_loads,
                       .lane = (uint8_t)l,
                       .bytes = (uint8_t)bytes,
                       .value = vg_slice_was_read(w, l)};
    memcpy(c->data, data[l], bytes);
    send(w, c);
  }
}

static void op_commit(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  (void)i;
  struct copies *s = copies_of(w);
  for (int l = 0; l < VG_LANES; l++)
    s->groups[l] += m >> l & 1;
}

static void op_wait(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  const struct vg_async *x = i->async;
  bool all = x->mods & PTX_MOD_WAIT_ALL;
  complete(w, m, all ? 0 : *(const uint32_t *)VG_AT(w, x->value), all, true);
}

static void op_nothing(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  (void)w, (void)i, (void)m;
}

// ---- mbarrier ----

struct barrier {
  uint32_t phase, expected, pending;
  int32_t transfers; // bytes on their way
};

enum { COUNT_BITS = 20, COUNT_MASK = (1 << COUNT_BITS) - 1, MARK = 2 };

static uint64_t pack(const struct barrier *b) {
  return (uint64_t)(b->phase & 1) | (uint64_t)b->expected << 1 |
         (uint64_t)b->pending << (1 + COUNT_BITS) |
         (uint64_t)((uint32_t)b->transfers & 0x1FFFFF) << (1 + 2 * COUNT_BITS) |
         (uint64_t)MARK << 62;
}

static bool unpack(uint64_t word, struct barrier *b) {
  uint32_t transfers = (uint32_t)(word >> (1 + 2 * COUNT_BITS) & 0x1FFFFF);
  b->phase = (uint32_t)word & 1;
  b->expected = (uint32_t)(word >> 1) & COUNT_MASK;
  b->pending = (uint32_t)(word >> (1 + COUNT_BITS)) & COUNT_MASK;
  b->transfers = (int32_t)(transfers << 11) >> 11;
  return word >> 62 == MARK;
}

static void report(struct vg_warp *w, const struct vg_insn *i, int lane,
                   const char *text) {
  struct vg_fault f = {.kind = ERR_BARRIER, .text = text};
  vg_report(w, i, lane, &f);
}

// The barrier at one lane's address; false, and reported, when there is none.
static bool find_barrier(struct vg_warp *w, const struct vg_insn *at, int lane,
                         uint8_t **place, struct barrier *b) {
  uint64_t a[VG_LANES], word;
  uint8_t *p[VG_LANES];
  vg_addresses(w, at, a);
  struct vg_spans s = {a, 8, GPU_ATOMIC};
  if (!vg_access(w, at, 1u << lane, s, p))
    return false;
  uint64_t offset = (uint64_t)(p[lane] - w->block->shared);
  if (w->block->shadow && offset < w->block->shared_bytes)
    vg_on_shared(w, at, lane, (uint32_t)offset, 8, GPU_ATOMIC);
  memcpy(&word, p[lane], sizeof word);
  *place = p[lane];
  if (unpack(word, b))
    return true;
  report(w, at, lane,
         "there is no initialised mbarrier at this address: one thread calls "
         "init, and a barrier of the block follows");
  return false;
}

static void keep_barrier(struct vg_warp *w, uint8_t *place, struct barrier *b) {
  if (!b->pending && !b->transfers) {
    b->phase ^= 1;
    b->pending = b->expected;
    // What came before the arrivals is over for those who wait for them.
    vg_on_barrier(w->block);
    vg_slice_phase(w->block);
  }
  uint64_t word = pack(b);
  memcpy(place, &word, sizeof word);
}

static uint32_t value_of(struct vg_warp *w, const struct vg_async *x, int l,
                         uint32_t otherwise) {
  return x->value == VG_NOWHERE ? otherwise
                                : ((const uint32_t *)VG_AT(w, x->value))[l];
}

static void op_init(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  const struct vg_async *x = i->async;
  uint64_t a[VG_LANES];
  uint8_t data[VG_LANES][16] = {{0}};
  vg_addresses(w, x->barrier, a);
  for (int l = 0; l < VG_LANES && x->mods & PTX_MOD_INIT; l++) {
    uint32_t n = value_of(w, x, l, 1) & COUNT_MASK;
    uint64_t word = pack(&(struct barrier){.expected = n, .pending = n});
    memcpy(data[l], &word, sizeof word);
  }
  vg_write_lanes(w, x->barrier, m, (struct vg_spans){a, 8, GPU_WRITE}, data);
}

// Takes `count` arrivals off; `drop` of them are not expected again.
static bool take_arrivals(struct vg_warp *w, const struct vg_insn *i, int lane,
                          struct barrier *b, uint32_t count, bool drop) {
  if (count > b->pending) {
    report(w, i, lane,
           "more threads arrive at this mbarrier than it was initialised for");
    return false;
  }
  b->pending -= count;
  b->expected -= drop && b->expected >= count ? count : 0;
  return true;
}

// mbarrier.arrive{_drop}{.expect_tx} {state,} [barrier]{, count or bytes}, and
// expect_tx and complete_tx, which do not arrive.
static void op_arrive(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  const struct vg_async *x = i->async;
  bool arrives = x->mods & (PTX_MOD_ARRIVE | PTX_MOD_ARRIVE_DROP);
  bool expects = x->mods & PTX_MOD_EXPECT_TX;
  vg_charge(w, VG_ATOM_COST);
  for (int l = 0; l < VG_LANES; l++) {
    struct barrier b;
    uint8_t *place;
    if (!(m >> l & 1) || !find_barrier(w, x->barrier, l, &place, &b))
      continue;
    uint64_t before = pack(&b);
    uint32_t value = value_of(w, x, l, 1);
    if (expects)
      b.transfers += (int32_t)value;
    else if (!arrives)
      b.transfers -= (int32_t)value;
    if (arrives && !take_arrivals(w, x->barrier, l, &b, expects ? 1 : value,
                                  x->mods & PTX_MOD_ARRIVE_DROP))
      continue;
    keep_barrier(w, place, &b);
    if (i->dst != VG_NOWHERE)
      ((uint64_t *)VG_AT(w, i->dst))[l] = before;
  }
}

// cp.async.mbarrier.arrive{.noinc} [barrier]: what the thread copied so far
// has come, and says so.
static void op_copy_arrive(struct vg_warp *w, const struct vg_insn *i,
                           vg_mask m) {
  const struct vg_async *x = i->async;
  complete(w, m, 0, true, false);
  vg_charge(w, VG_ATOM_COST);
  for (int l = 0; l < VG_LANES; l++) {
    struct barrier b;
    uint8_t *place;
    if (!(m >> l & 1) || !find_barrier(w, x->barrier, l, &place, &b))
      continue;
    // Without .noinc the arrival was added to those expected before.
    if (!(x->mods & PTX_MOD_NOINC) ||
        take_arrivals(w, x->barrier, l, &b, 1, false))
      keep_barrier(w, place, &b);
  }
}

enum { TEST_COST = 16 }; // of a lane, whose barrier is looked up

// test_wait and try_wait {.parity} p, [barrier], state or parity.
static void op_test(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  const struct vg_async *x = i->async;
  vg_mask done = 0;
  vg_charge(w, VG_ATOM_COST + TEST_COST * (uint32_t)__builtin_popcount(m));
  for (int l = 0; l < VG_LANES; l++) {
    struct barrier b;
    uint8_t *place;
    if (!(m >> l & 1) || !find_barrier(w, x->barrier, l, &place, &b))
      continue;
    uint32_t phase = x->mods & PTX_MOD_PARITY
                         ? ((const uint32_t *)VG_AT(w, x->value))[l]
                         : (uint32_t)((const uint64_t *)VG_AT(w, x->value))[l];
    done |= (vg_mask)((phase & 1) != b.phase) << l;
  }
  set_predicate(w, i->dst, m, done);
  if (done)
    vg_on_barrier(w->block);
  else
    vg_warp_wait(w); // whom it waits for should run
}

static void op_pending(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  const uint64_t *state = VG_AT(w, i->async->value);
  LANES_RUN(uint32_t, r = (uint32_t)(state[l] >> (1 + COUNT_BITS)) & COUNT_MASK)
}

// ---- Bulk copies ----

// One lane's copy, piece by piece; false when a piece could not be.
static bool copy_bulk(struct vg_warp *w, const struct vg_async *x, int lane,
                      uint64_t to, uint64_t from, uint32_t bytes) {
  uint64_t a[VG_LANES] = {0};
  uint8_t data[VG_LANES][16];
  for (uint32_t at = 0; at < bytes; at += 16) {
    a[lane] = from + at;
    if (!vg_read_lanes(w, x->from, 1u << lane,
                       (struct vg_spans){a, 16, GPU_READ}, data, NULL))
      return false;
    a[lane] = to + at;
    vg_slice_will_write(w, lane, vg_slice_was_read(w, lane));
    if (!vg_write_lanes(w, x->to, 1u << lane,
                        (struct vg_spans){a, 16, GPU_WRITE}, data))
      return false;
    vg_charge(w, VG_LANE_COST);
  }
  return true;
}

static void op_bulk(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  const struct vg_async *x = i->async;
  uint64_t to[VG_LANES], from[VG_LANES];
  const uint32_t *size = VG_AT(w, x->bytes);
  vg_addresses(w, x->to, to);
  vg_addresses(w, x->from, from);
  for (int l = 0; l < VG_LANES; l++) {
    if (!(m >> l & 1))
      continue;
    if (size[l] % 16) {
      struct vg_fault f = {.kind = ERR_MISALIGNED,
                           .text = "the size of a bulk copy must be a multiple "
                                   "of 16 bytes"};
      vg_report(w, i, l, &f);
      continue;
    }
    struct barrier b;
    uint8_t *place;
    if (!copy_bulk(w, x, l, to[l], from[l], size[l]) || !x->barrier ||
        !find_barrier(w, x->barrier, l, &place, &b))
      continue;
    b.transfers -= (int32_t)size[l];
    keep_barrier(w, place, &b);
  }
}

static vg_handler find_copy(uint32_t mods) {
  if (!(mods & PTX_MOD_ASYNC))
    return NULL;
  if (mods & (PTX_MOD_PREFETCH | PTX_MOD_L2))
    return op_nothing;
  if (mods & PTX_MOD_BULK) // done when issued
    return mods & (PTX_MOD_COMMIT_GROUP | PTX_MOD_WAIT_GROUP) ? op_nothing
                                                              : op_bulk;
  if (mods & PTX_MOD_MBARRIER)
    return mods & PTX_MOD_ARRIVE ? op_copy_arrive : NULL;
  if (mods & PTX_MOD_COMMIT_GROUP)
    return op_commit;
  return mods & (PTX_MOD_WAIT_GROUP | PTX_MOD_WAIT_ALL) ? op_wait : op_copy;
}

static vg_handler find_barrier_op(uint32_t mods) {
  if (mods & (PTX_MOD_INIT | PTX_MOD_INVAL))
    return op_init;
  if (mods & (PTX_MOD_TEST_WAIT | PTX_MOD_TRY_WAIT))
    return op_test;
  if (mods & PTX_MOD_PENDING)
    return op_pending;
  return mods & (PTX_MOD_ARRIVE | PTX_MOD_ARRIVE_DROP | PTX_MOD_EXPECT_TX |
                 PTX_MOD_COMPLETE_TX)
             ? op_arrive
             : NULL;
}

vg_handler vg_find_async(const struct ptx_insn *p) {
  switch (p->op) {
  case PTX_OP_CP: return find_copy(p->mods);
  case PTX_OP_MBARRIER: return find_barrier_op(p->mods);
  case PTX_OP_GRIDDEPCONTROL: return op_nothing;
  default: return NULL;
  }
}
