// SPDX-License-Identifier: Apache-2.0
// Loads, stores, sums in shared memory, shuffles.
//
// Theory of operation. Each access is checked before it is done, once for all lanes:
// that it lies in the array that its address came from, and is aligned. What fails
// bails, and has written nothing. Lanes that lie in a row are one masked load or
// store, from the first lane that is on to the last; others are gathered by their
// offsets, which are less than 2 GiB in what compiled code is given.
#include "gpu/vgpu/tier/tier_emit.h"

#include <stddef.h>
#include <stdio.h>

#include "gpu/vgpu/tier/tier_context.h"
#include "gpu/vgpu/tier/tier_emit_checked.h"
#include "gpu/vgpu/tier/tier_emit_lanes.h"
#include "gpu/vgpu/tier/tier_emit_shared.h"

// What is accessed.
struct place {
  const struct ptx_operand *address;
  bool is_shared, is_store;
  int origin;                   // of a global address
  const struct ptx_var *within; // of a shared one that is checked, or NULL
  int bytes, vec;               // of an element, elements
  int total;                    // bytes of a lane
  struct tier_value v;
  struct tier_ir at; // the address: of all, of the first lane, or of each
  int bits;          // of `at`
  struct tier_ir from_base; // the same without `base`, where it has 64 bits
  bool is_aligned;          // if the parameter is that it comes from
};

static bool is_signed(int t) {
  return t >= PTX_S8 && t <= PTX_S64;
}

static struct tier_ir two(struct tier_emitter *e, const char *name, int bits,
                          struct tier_ir x, struct tier_ir y) {
  bool is_vector = x.is_vector || y.is_vector;
  return tier_op(e, is_vector, "%s %s %s, %s", name,
                 tier_int(e, bits, is_vector).s, x.s, y.s);
}

// ---- Addresses ----

// Where the variable begins that a shared address must be in.
static uint64_t start_of(const struct place *p) {
  return p->within ? p->within->offset : 0;
}

static void base_of(const struct place *p, char out[24]) {
  if (p->is_shared)
    snprintf(out, 24, "%u", (unsigned)start_of(p));
  else
    snprintf(out, 24, "%%e%d.base", p->origin);
}
static void data_of(const struct place *p, char out[24]) {
  if (p->is_shared && start_of(p))
    snprintf(out, 24, "%%shared.%u", (unsigned)start_of(p));
  else if (p->is_shared)
    snprintf(out, 24, "%%shared");
  else
    snprintf(out, 24, "%%e%d.data", p->origin);
}
static void bytes_of(const struct place *p, char out[24]) {
  if (p->within)
    snprintf(out, 24, "%u", (unsigned)p->within->bytes);
  else if (p->is_shared)
    snprintf(out, 24, "%%sharedbytes");
  else
    snprintf(out, 24, "%%e%d.%s", p->origin, p->is_store ? "write" : "read");
}

// ---- Places in arrays ----

static struct tier_ir plus(struct tier_emitter *e, struct tier_ir v,
                           uint64_t offset, int bits) {
  struct tier_ir c = tier_constant(offset, bits);
  if (!offset)
    return v;
  return two(e, "add", bits, v, v.is_vector ? tier_splat(e, c, bits) : c);
}

// How often 2 divides the address; a global one's parameter is asked for its own
// multiples (limit_of), a shared one's is not.
static int align_at(const struct place *p, uint64_t offset) {
  int align = tier_align_of(offset);
  if (p->is_shared && p->v.origin != TIER_ORIGIN_NONE)
    return 0;
  return p->v.align < align ? p->v.align : align;
}

// Offsets are added last, so that accesses that differ in theirs share the rest.
static void find_address(struct tier_emitter *e, struct place *p) {
  const struct ptx_operand *a = p->address;
  p->v = tier_value_of(e->p, a);
  bool is_vector = p->v.kind == TIER_VARYING;
  uint64_t offset = (uint64_t)a->offset;
  if (a->var) // of a shared variable, by name
    offset += a->var->is_extern ? e->p->dynamic_at : a->var->offset;
  if (a->reg < 0) {
    p->bits = 32;
    offset += a->var ? 0 : a->bits;
    p->at = tier_constant(offset, 32);
    p->is_aligned = !(offset & (uint64_t)(p->total - 1));
    return;
  }
  p->is_aligned = 1 << align_at(p, offset) >= p->total;
  p->bits = e->p->registers[a->reg].bits;
  struct tier_ir at = tier_register_as(e, a->reg, p->bits, is_vector);
  p->at = plus(e, at, offset, p->bits);
  if (p->is_shared || p->bits < 64)
    return;
  struct tier_ir base = {.is_vector = false};
  base_of(p, base.s);
  at = two(e, "sub", 64, at, is_vector ? tier_splat(e, base, 64) : base);
  p->from_base = plus(e, at, offset, 64);
}

// An access of `span` bytes may start below this: one more than the last place, 0
// where there is none, as where the parameter is not aligned. Differences saturate.
static struct tier_ir limit_of(struct tier_emitter *e, const struct place *p,
                               struct tier_ir span) {
  char bytes[24];
  bytes_of(p, bytes);
  tier_declare(e, "i64 @llvm.usub.sat.i64(i64, i64)");
  struct tier_ir end = tier_op(e, false, "add i64 %s, 1", bytes);
  if (p->is_aligned && !p->is_shared && p->total > 1) {
    struct tier_ir at = tier_op(
        e, false, "getelementptr i8, ptr %%params, i64 %d", 8 * p->origin);
    at = tier_op(e, false, "load i64, ptr %s, align 1, !invariant.load !0",
                 at.s);
    at = tier_op(e, false, "and i64 %s, %d", at.s, p->total - 1);
    at = tier_op(e, false, "icmp eq i64 %s, 0", at.s);
    end = tier_op(e, false, "select i1 %s, i64 %s, i64 0", at.s, end.s);
  }
  return tier_op(e, false, "call i64 @llvm.usub.sat.i64(i64 %s, i64 %s)", end.s,
                 span.s);
}

// The address of a lane so many bytes behind the first, in its own width.
static struct tier_ir lane_at(struct tier_emitter *e, const struct place *p,
                              const struct tier_ir *steps) {
  if (!steps)
    return p->at;
  struct tier_ir by = p->bits == 64
                          ? *steps
                          : tier_op(e, false, "trunc i64 %s to i32", steps->s);
  return two(e, "add", p->bits, p->at, by);
}

// Its offset into the array; 64 bits.
static struct tier_ir offset_of(struct tier_emitter *e, const struct place *p,
                                const struct tier_ir *steps) {
  if (p->from_base.s[0])
    return steps ? two(e, "add", 64, p->from_base, *steps) : p->from_base;
  char base[24];
  base_of(p, base);
  struct tier_ir at = lane_at(e, p, steps);
  if (p->bits == 32)
    at = tier_op(e, false, "zext i32 %s to i64", at.s);
  return tier_op(e, false, "sub i64 %s, %s", at.s, base);
}

// That of a lane so many bytes behind the first (NULL: of the first), whose access, of
// `span` bytes, lies inside and is aligned; answers the first lane's.
static struct tier_ir check_one(struct tier_emitter *e, const struct place *p,
                                const struct tier_ir *steps,
                                struct tier_ir span) {
  struct tier_ir off = offset_of(e, p, steps);
  struct tier_ir in =
      tier_op(e, false, "icmp ult i64 %s, %s", off.s, limit_of(e, p, span).s);
  if (!p->is_aligned && p->total > 1) {
    struct tier_ir low = tier_op(e, false, "and i%d %s, %d", p->bits,
                                 lane_at(e, p, steps).s, p->total - 1);
    low = tier_op(e, false, "icmp eq i%d %s, 0", p->bits, low.s);
    in = tier_op(e, false, "and i1 %s, %s", in.s, low.s);
  }
  tier_must(e, in);
  if (p->from_base.s[0] || !steps)
    return offset_of(e, p, NULL);
  return tier_op(e, false, "sub i64 %s, %s", off.s, steps->s);
}

static struct tier_ir pointer(struct tier_emitter *e, const struct place *p,
                              struct tier_ir offset) {
  char data[24];
  data_of(p, data);
  return tier_op(e, false, "getelementptr i8, ptr %s, i64 %s", data, offset.s);
}

// ---- Lanes that are on ----

// Of the mask's lanes that are off before the first that is on ("cttz"), or behind
// the last ("ctlz"): how many.
static struct tier_ir count_off(struct tier_emitter *e, const char *name) {
  int W = e->p->lanes;
  struct tier_ir bits = tier_mask_bits(e, e->mask);
  tier_declare(e, "i%d @llvm.%s.i%d(i%d, i1)", W, name, W, W);
  struct tier_ir n = tier_op(e, false, "call i%d @llvm.%s.i%d(i%d %s, i1 true)",
                             W, name, W, W, bits.s);
  return tier_op(e, false, "zext i%d %s to i64", W, n.s);
}

static struct tier_ir first_on(struct tier_emitter *e) {
  return count_off(e, "cttz");
}

static struct tier_ir last_on(struct tier_emitter *e) {
  struct tier_ir n = count_off(e, "ctlz");
  return tier_op(e, false, "sub i64 %d, %s", e->p->lanes - 1, n.s);
}

static struct tier_ir scaled(struct tier_emitter *e, struct tier_ir n,
                             int64_t by) {
  return tier_op(e, false, "mul i64 %s, %lld", n.s, (long long)by);
}

// ---- Ways to lie ----

enum way { ONE, ROW, STEPS, EACH };

static enum way way_of(const struct place *p) {
  if (p->v.kind == TIER_UNIFORM)
    return ONE;
  if (p->v.kind == TIER_VARYING || p->v.stride % p->total)
    return EACH;
  return p->v.stride == p->total && p->vec == 1 ? ROW : STEPS;
}

// In a checked launch: what it writes gets owners.
static bool has_owners(const struct tier_emitter *e, const struct place *p) {
  return e->p->is_checked && !p->is_shared &&
         tier_has(&e->p->written, p->origin);
}

// Of shared memory, at an offset into its variable; false: it is global.
static bool see_shared(struct tier_emitter *e, const struct place *p,
                       enum tier_cells_way way, struct tier_ir offset) {
  struct tier_cells c = {way, offset, start_of(p), p->total};
  if (e->p->is_checked && p->is_shared)
    (p->is_store ? tier_write_shared : tier_read_shared)(e, &c);
  return p->is_shared;
}

static void note_one(struct tier_emitter *e, const struct place *p,
                     struct tier_ir offset) {
  if (see_shared(e, p, TIER_ONE, offset) || !has_owners(e, p))
    return;
  struct tier_ir low = tier_op(e, false, "trunc i64 %s to i32", offset.s);
  tier_claim(e, p->origin, tier_splat(e, low, 32), p->total);
}

static void note_row(struct tier_emitter *e, const struct place *p,
                     struct tier_ir offset) {
  if (see_shared(e, p, TIER_LINE, offset) || !has_owners(e, p))
    return;
  if (p->total == 1 << e->p->unit_shift) {
    tier_claim_row(e, p->origin, offset);
    return;
  }
  struct tier_ir low = tier_op(e, false, "trunc i64 %s to i32", offset.s);
  tier_claim(e, p->origin, tier_spread(e, low, 32, p->total), p->total);
}

// The pointer that the first lane of the row has, on or not.
static struct tier_ir row_pointer(struct tier_emitter *e, struct place *p) {
  struct tier_ir first = first_on(e), last = last_on(e);
  struct tier_ir before = scaled(e, first, p->total);
  struct tier_ir span = tier_op(e, false, "sub i64 %s, %s", last.s, first.s);
  span = scaled(e, tier_op(e, false, "add i64 %s, 1", span.s), p->total);
  struct tier_ir off = check_one(e, p, &before, span);
  note_row(e, p, off);
  return pointer(e, p, off);
}

// Offsets of 32 bits, of lanes that go in steps.
static struct tier_ir step_offsets(struct tier_emitter *e, struct place *p) {
  struct tier_ir total = tier_constant((uint64_t)p->total, 64);
  struct tier_ir before = scaled(e, first_on(e), p->v.stride);
  struct tier_ir after = scaled(e, last_on(e), p->v.stride);
  struct tier_ir off = check_one(e, p, &before, total);
  check_one(e, p, &after, total);
  struct tier_ir low = tier_op(e, false, "trunc i64 %s to i32", off.s);
  return tier_spread(e, low, 32, p->v.stride);
}

// ---- Lanes that lie anywhere ----

// Of an address that an index gives: what the index is multiplied with and added to, as
// an offset into the array.
static struct tier_ir base_offset(struct tier_emitter *e,
                                  const struct place *p) {
  const struct tier_index *x = &e->p->registers[p->address->reg].index;
  struct tier_ir at = tier_register_as(e, x->base, 64, false);
  at = tier_op(e, false, "sub i64 %s, %%e%d.base", at.s, p->origin);
  return plus(e, at, (uint64_t)p->address->offset, 64);
}

static struct tier_ir one_of(struct tier_emitter *e, const char *test,
                             struct tier_ir v, int64_t than) {
  return tier_op(e, false, "icmp %s i64 %s, %lld", test, v.s, (long long)than);
}

// The least index of an access that lies inside, and how many are: none where the
// parameter is not aligned, or lies so far from the array that an index of 32 bits
// might come out at the wrong end.
static void find_indices(struct tier_emitter *e, const struct place *p,
                         struct tier_ir base, struct tier_ir *least,
                         struct tier_ir *count) {
  enum { BEFORE = 1 << 20 };
  const struct tier_index *x = &e->p->registers[p->address->reg].index;
  struct tier_ir limit = limit_of(e, p, tier_constant((uint64_t)p->total, 64));
  struct tier_ir low = tier_op(e, false, "ashr i64 %s, %d", base.s, x->shift);
  low = tier_op(e, false, "sub i64 0, %s", low.s);
  if (x->is_unsigned)
    low = tier_op(e, false, "select i1 %s, i64 0, i64 %s",
                  one_of(e, "slt", low, 0).s, low.s);
  struct tier_ir high = tier_op(e, false, "sub i64 %s, 1", limit.s);
  high = tier_op(e, false, "sub i64 %s, %s", high.s, base.s);
  high = tier_op(e, false, "ashr i64 %s, %d", high.s, x->shift);
  struct tier_ir all = tier_op(e, false, "sub i64 %s, %s", high.s, low.s);
  all = tier_op(e, false, "add i64 %s, 1", all.s);
  struct tier_ir are[] = {one_of(e, "sgt", all, 0),
                          one_of(e, "sge", base, -BEFORE),
                          one_of(e, "sle", base, INT32_MAX)};
  for (int k = 1; k < 3; k++)
    are[0] = tier_op(e, false, "and i1 %s, %s", are[0].s, are[k].s);
  all = tier_op(e, false, "select i1 %s, i64 %s, i64 0", are[0].s, all.s);
  *least = tier_op(e, false, "trunc i64 %s to i32", low.s);
  *count = tier_op(e, false, "trunc i64 %s to i32", all.s);
}

static struct tier_ir indexed_offset(struct tier_emitter *e,
                                     const struct place *p) {
  const struct tier_index *i = &e->p->registers[p->address->reg].index;
  struct tier_ir base = base_offset(e, p), least, count;
  find_indices(e, p, base, &least, &count);
  struct tier_ir x = tier_index_of(e, p->address->reg);
  struct tier_ir n = two(e, "sub", 32, x, tier_splat(e, least, 32));
  struct tier_ir out =
      tier_op(e, true, "icmp uge %%i %s, %s", n.s, tier_splat(e, count, 32).s);
  out = tier_op(e, true, "and %%m %s, %s", out.s, e->mask.s);
  tier_must(e, tier_none(e, out));
  struct tier_ir by = tier_splat(e, tier_constant(i->shift, 32), 32);
  x = two(e, "shl", 32, x, by);
  base = tier_op(e, false, "trunc i64 %s to i32", base.s);
  return two(e, "add", 32, x, tier_splat(e, base, 32));
}

static bool is_indexed(const struct tier_emitter *e, const struct place *p) {
  return !p->is_shared && p->is_aligned && p->at.is_vector &&
         e->p->registers[p->address->reg].index.is_needed;
}

// Offsets of 32 bits, as those of steps.
static struct tier_ir each_offset(struct tier_emitter *e, struct place *p) {
  if (is_indexed(e, p))
    return indexed_offset(e, p);
  if (!p->at.is_vector)
    p->at = tier_spread(e, p->at, p->bits, p->v.stride);
  struct tier_ir limit = limit_of(e, p, tier_constant((uint64_t)p->total, 64));
  struct tier_ir off = p->at;
  if (p->from_base.s[0]) {
    off = p->from_base.is_vector
              ? p->from_base
              : tier_spread(e, p->from_base, 64, p->v.stride);
  } else if (start_of(p)) {
    struct tier_ir b = tier_constant(start_of(p), p->bits);
    off = two(e, "sub", p->bits, off, tier_splat(e, b, p->bits));
  }
  if (p->bits == 32)
    limit = tier_op(e, false, "trunc i64 %s to i32", limit.s);
  struct tier_text t = tier_int(e, p->bits, true);
  struct tier_ir out = tier_op(e, true, "icmp uge %s %s, %s", t.s, off.s,
                               tier_splat(e, limit, p->bits).s);
  if (p->total > 1 && !p->is_aligned) {
    struct tier_ir low = tier_constant((uint64_t)p->total - 1, p->bits);
    low = two(e, "and", p->bits, p->at, tier_splat(e, low, p->bits));
    low = tier_op(e, true, "icmp ne %s %s, zeroinitializer", t.s, low.s);
    out = tier_op(e, true, "or %%m %s, %s", out.s, low.s);
  }
  out = tier_op(e, true, "and %%m %s, %s", out.s, e->mask.s);
  tier_must(e, tier_none(e, out));
  if (p->bits == 32)
    return off;
  return tier_op(e, true, "trunc %s %s to %%i", t.s, off.s);
}

static struct tier_ir pointers(struct tier_emitter *e, const struct place *p,
                               struct tier_ir offsets, int element) {
  char data[24];
  data_of(p, data);
  struct tier_ir from = {.is_vector = false};
  snprintf(from.s, sizeof from.s, "%s", data);
  if (element)
    from = tier_op(e, false, "getelementptr i8, ptr %s, i64 %d", data,
                   element * p->bytes);
  return tier_op(e, true, "getelementptr i8, ptr %s, %%i %s", from.s,
                 offsets.s);
}

// ---- Loads ----

static void deliver(struct tier_emitter *e, const struct place *p, int n,
                    struct tier_ir v) {
  const struct ptx_operand *d = &e->i->operands[0];
  int reg = d->kind == PTX_VECTOR     ? d->regs[n]
            : d->kind == PTX_REGISTER ? d->reg
                                      : -1;
  tier_write(e, reg, v, 8 * p->bytes, is_signed(e->i->type));
}

static void load_one(struct tier_emitter *e, struct place *p) {
  struct tier_ir off =
      check_one(e, p, NULL, tier_constant((uint64_t)p->total, 64));
  note_one(e, p, off);
  struct tier_ir v[4];
  for (int n = 0; n < p->vec; n++) {
    struct tier_ir at =
        tier_op(e, false, "add i64 %s, %d", off.s, n * p->bytes);
    v[n] = tier_op(e, false, "load i%d, ptr %s, align %d", 8 * p->bytes,
                   pointer(e, p, at).s, p->bytes);
  }
  for (int n = 0; n < p->vec; n++)
    deliver(e, p, n, v[n]);
}

static void load_row(struct tier_emitter *e, struct place *p) {
  struct tier_ir at = row_pointer(e, p);
  deliver(e, p, 0, tier_load_row(e, at, 8 * p->bytes, e->mask));
}

static void load_each(struct tier_emitter *e, struct place *p,
                      struct tier_ir offsets) {
  struct tier_ir v[4];
  for (int n = 0; n < p->vec; n++)
    v[n] = tier_gather(e, pointers(e, p, offsets, n), 8 * p->bytes, e->mask);
  for (int n = 0; n < p->vec; n++)
    deliver(e, p, n, v[n]);
}

static void load_param(struct tier_emitter *e, struct place *p) {
  const struct ptx_operand *a = p->address;
  uint64_t at = a->var->offset + (uint64_t)a->offset;
  for (int n = 0; n < p->vec; n++) {
    struct tier_ir from =
        tier_op(e, false, "getelementptr i8, ptr %%params, i64 %llu",
                (unsigned long long)at + (unsigned long long)(n * p->bytes));
    deliver(e, p, n,
            tier_op(e, false, "load i%d, ptr %s, align 1, !invariant.load !0",
                    8 * p->bytes, from.s));
  }
}

// ---- Stores ----

static struct tier_ir value(struct tier_emitter *e, const struct place *p,
                            int n, bool is_vector) {
  const struct ptx_operand *o = &e->i->operands[1];
  int bits = 8 * p->bytes;
  if (o->kind != PTX_VECTOR)
    return tier_source_as(e, o, bits, is_vector);
  if (o->regs[n] >= 0)
    return tier_register_as(e, o->regs[n], bits, is_vector);
  struct tier_ir c = tier_constant(o->regs[n] == -2 ? o->reg_bits[n] : 0, bits);
  return is_vector ? tier_splat(e, c, bits) : c;
}

// Of lanes that write to one place the last is seen.
static void store_one(struct tier_emitter *e, struct place *p) {
  struct tier_ir off =
      check_one(e, p, NULL, tier_constant((uint64_t)p->total, 64));
  note_one(e, p, off);
  struct tier_ir last = last_on(e);
  for (int n = 0; n < p->vec; n++) {
    struct tier_ir v = value(e, p, n, true);
    v = tier_op(e, false, "extractelement %s %s, i64 %s",
                tier_int(e, 8 * p->bytes, true).s, v.s, last.s);
    struct tier_ir at =
        tier_op(e, false, "add i64 %s, %d", off.s, n * p->bytes);
    tier_line(e, "store i%d %s, ptr %s, align %d", 8 * p->bytes, v.s,
              pointer(e, p, at).s, p->bytes);
  }
}

static void store_row(struct tier_emitter *e, struct place *p) {
  struct tier_ir v = value(e, p, 0, true), at = row_pointer(e, p);
  tier_store_row(e, v, at, 8 * p->bytes, e->mask);
}

static void store_each(struct tier_emitter *e, struct place *p,
                       struct tier_ir offsets) {
  for (int n = 0; n < p->vec; n++) {
    struct tier_ir v = value(e, p, n, true);
    tier_scatter(e, v, pointers(e, p, offsets, n), 8 * p->bytes, e->mask);
  }
}

static struct place place_of(struct tier_emitter *e) {
  const struct ptx_insn *i = e->i;
  struct place p = {.is_store = i->op == PTX_OP_ST || i->op == PTX_OP_RED ||
                                i->op == PTX_OP_ATOM,
                    .is_shared = i->space == PTX_SHARED,
                    .bytes = ptx_type_bytes((enum ptx_type)i->type),
                    .vec = i->vec ? i->vec : 1};
  p.address = &i->operands[i->op == PTX_OP_ST || i->op == PTX_OP_RED ? 0 : 1];
  p.total = p.bytes * p.vec;
  if (p.is_shared && e->p->is_checked)
    p.within = e->p->decoded[i - e->p->func->code].within;
  if (i->space == PTX_GLOBAL)
    p.origin = e->p->registers[p.address->reg].v.origin;
  return p;
}

void tier_emit_memory(struct tier_emitter *e) {
  struct place p = place_of(e);
  if (e->i->space == PTX_PARAM) {
    load_param(e, &p);
    return;
  }
  find_address(e, &p);
  enum way way = way_of(&p);
  if (way == ONE) {
    (p.is_store ? store_one : load_one)(e, &p);
  } else if (way == ROW) {
    (p.is_store ? store_row : load_row)(e, &p);
  } else {
    struct tier_ir offsets =
        way == STEPS ? step_offsets(e, &p) : each_offset(e, &p);
    if (!see_shared(e, &p, TIER_EACH, offsets) && has_owners(e, &p))
      tier_claim(e, p.origin, offsets, p.total);
    (p.is_store ? store_each : load_each)(e, &p, offsets);
  }
}

// ---- Sums in shared memory ----

static const char *atomic_name(const struct ptx_insn *i) {
  switch (i->sub) {
  case PTX_ATOM_ADD: return "add";
  case PTX_ATOM_AND: return "and";
  case PTX_ATOM_OR: return "or";
  case PTX_ATOM_XOR: return "xor";
  case PTX_ATOM_MIN: return is_signed(i->type) ? "slt" : "ult";
  default: return is_signed(i->type) ? "sgt" : "ugt";
  }
}

// Blocks of other threads add to global memory at the same time.
static void add_global(struct tier_emitter *e, struct tier_ir at,
                       struct tier_ir v, int bits) {
  static const char *const names[] = {
      [PTX_ATOM_ADD] = "add", [PTX_ATOM_AND] = "and",  [PTX_ATOM_OR] = "or",
      [PTX_ATOM_XOR] = "xor", [PTX_ATOM_MIN] = "umin", [PTX_ATOM_MAX] = "umax"};
  const char *name = names[e->i->sub];
  if (name[0] == 'u' && is_signed(e->i->type))
    name++;
  tier_op(e, false, "atomicrmw %s ptr %s, i%d %s monotonic", name, at.s, bits,
          v.s);
}

static void combine(struct tier_emitter *e, struct tier_ir at, struct tier_ir v,
                    int bits) {
  const char *name = atomic_name(e->i);
  if (e->i->space == PTX_GLOBAL) {
    add_global(e, at, v, bits);
    return;
  }
  struct tier_ir old = tier_op(e, false, "load i%d, ptr %s", bits, at.s);
  struct tier_ir now;
  if (name[1] == 'l' || name[1] == 'g') {
    struct tier_ir is =
        tier_op(e, false, "icmp %s i%d %s, %s", name, bits, old.s, v.s);
    now = tier_op(e, false, "select i1 %s, i%d %s, i%d %s", is.s, bits, old.s,
                  bits, v.s);
  } else {
    now = tier_op(e, false, "%s i%d %s, %s", name, bits, old.s, v.s);
  }
  tier_line(e, "store i%d %s, ptr %s", bits, now.s, at.s);
}

// Lane by lane, in their order.
void tier_emit_atomic(struct tier_emitter *e) {
  struct place p = place_of(e);
  int bits = 8 * p.bytes;
  find_address(e, &p);
  struct tier_ir offsets = each_offset(e, &p);
  if (e->p->is_checked && p.is_shared) {
    struct tier_cells c = {TIER_EACH, offsets, start_of(&p), p.total};
    tier_sum_shared(e, &c);
  }
  const struct ptx_operand *o = &e->i->operands[e->i->op == PTX_OP_RED ? 1 : 2];
  struct tier_ir v = tier_source_as(e, o, bits, true);
  tier_line(e, "store %%i %s, ptr %%arrays, align 4", offsets.s);
  tier_line(e, "store %s %s, ptr %%results, align 4", tier_int(e, bits, true).s,
            v.s);
  struct tier_ir all = tier_mask_bits(e, e->mask);
  struct tier_lane_loop l = tier_begin_lanes(e, all);
  struct tier_ir at =
      tier_op(e, false, "getelementptr i32, ptr %%arrays, i64 %s", l.lane.s);
  at = tier_op(e, false, "load i32, ptr %s", at.s);
  char data[24];
  data_of(&p, data);
  at = tier_op(e, false, "getelementptr i8, ptr %s, i32 %s", data, at.s);
  struct tier_ir one = tier_op(
      e, false, "getelementptr i%d, ptr %%results, i64 %s", bits, l.lane.s);
  one = tier_op(e, false, "load i%d, ptr %s", bits, one.s);
  combine(e, at, one, bits);
  tier_end_lanes(e, &l);
}

// ---- Shuffles ----

// The lane that a lane reads from, and whether it is in range (ops_warp.c).
static int source_lane(const struct ptx_insn *i, int l, bool *is_in) {
  int b = (int)(i->operands[2].bits & 31), c = (int)i->operands[3].bits;
  int clamp = c & 31, seg = c >> 8 & 31;
  int max = (l & seg) | (clamp & ~seg), min = l & seg;
  int j = i->sub == PTX_SHFL_UP     ? l - b
          : i->sub == PTX_SHFL_DOWN ? l + b
          : i->sub == PTX_SHFL_BFLY ? l ^ b
                                    : min | (b & ~seg);
  *is_in = i->sub == PTX_SHFL_UP ? j >= max : j <= max;
  return (*is_in ? j : l) & 31;
}

void tier_emit_shuffle(struct tier_emitter *e) {
  const struct ptx_insn *i = e->i;
  int W = e->p->lanes;
  struct tier_ir all = tier_mask_bits(e, e->mask);
  tier_must(e, tier_op(e, false, "icmp eq i%d %s, -1", W, all.s));
  struct tier_ir x = tier_source_as(e, &i->operands[1], 32, true);
  struct str lanes = STR_INIT, in = STR_INIT;
  for (int l = 0; l < W; l++) {
    bool is_in;
    str_addf(&lanes, "%si32 %d", l ? ", " : "", source_lane(i, l, &is_in));
    str_addf(&in, "%si1 %d", l ? ", " : "", is_in);
  }
  struct tier_ir v = tier_op(
      e, true, "shufflevector %%i %s, %%i poison, %%i <%s>", x.s, lanes.data);
  if (i->operands[0].kind == PTX_REGISTER)
    tier_write(e, i->operands[0].reg, v, 32, false);
  if (i->operands[0].pair >= 0) {
    struct tier_ir none =
        tier_op(e, true, "or %%m <%s>, zeroinitializer", in.data);
    tier_write(e, i->operands[0].pair, none, 1, false);
  }
  str_free(&lanes);
  str_free(&in);
}
