// SPDX-License-Identifier: Apache-2.0
// What instructions make of facts.
//
// Theory of operation. A result depends on a load when data flows from the one
// to the other: through registers, memory of all kinds, shuffles, votes and
// atomics, also as an address. Branches do not count: which way a thread goes
// is not what it computes. So a select takes the facts of the side that it
// takes, and those of its condition only where neither side has any, which is
// how a condition becomes a number. A factor that is zero makes a product that
// knows nothing of the other factor.
#include "gpu/vgpu/slice/slice_parts.h"

#include <string.h>

#include "gpu/vgpu/addresses.h"
#include "gpu/vgpu/launch.h"
#include "gpu/vgpu/matrix/matrix.h"

// Of an instruction that is followed: measured, about 0.5 us, and of one that
// neither takes nor overwrites a fact 0.04 us. A unit of work so takes as long as
// elsewhere.
enum { SLICE_COST = 256, IDLE_COST = 16 };

// The launch's budget pays for what the lists of facts grow by, too. Turns stay
// as long as they are when nobody follows.
void vg_slice_charge(struct vg_warp *w) {
  struct vg_slice *s = w->block->grid->slice;
  uint64_t work = vg_facts_work(s->facts);
  w->block->executed += SLICE_COST + work - s->charged;
  s->charged = work;
}

// ---- Which instruction ----

// Does the result need one more step of arithmetic than its sources?
static bool is_arithmetic(int op) {
  switch (op) {
  case PTX_OP_ADD:
  case PTX_OP_SUB:
  case PTX_OP_MUL:
  case PTX_OP_MAD:
  case PTX_OP_MUL24:
  case PTX_OP_MAD24:
  case PTX_OP_SAD:
  case PTX_OP_DIV:
  case PTX_OP_REM:
  case PTX_OP_MIN:
  case PTX_OP_MAX:
  case PTX_OP_DP4A:
  case PTX_OP_DP2A:
  case PTX_OP_ADDC:
  case PTX_OP_SUBC:
  case PTX_OP_MADC:
  case PTX_OP_FMA:
  case PTX_OP_RCP:
  case PTX_OP_SQRT:
  case PTX_OP_RSQRT:
  case PTX_OP_SIN:
  case PTX_OP_COS:
  case PTX_OP_LG2:
  case PTX_OP_EX2:
  case PTX_OP_TANH:
  case PTX_OP_AND:
  case PTX_OP_OR:
  case PTX_OP_XOR:
  case PTX_OP_LOP3:
  case PTX_OP_REDUX:
  case PTX_OP_MMA:
  case PTX_OP_WMMA: return true;
  default: return false;
  }
}

static bool is_product(int op) {
  return op == PTX_OP_MUL || op == PTX_OP_MAD || op == PTX_OP_MUL24 ||
         op == PTX_OP_MAD24 || op == PTX_OP_FMA || op == PTX_OP_AND;
}

// ---- Plain instructions ----

// The bits of a whole number or a float of 2 to 8 bytes that say whether it is
// zero, of either sign; 0: it is no such number.
static uint64_t number_bits(const struct vg_insn *i) {
  int bytes = ptx_type_bytes((enum ptx_type)i->type);
  bool is_float = i->type >= PTX_F16 && i->type <= PTX_F64;
  if (bytes < 2 || bytes > 8)
    return 0;
  return UINT64_MAX >> (64 - bytes * 8 + is_float);
}

static uint64_t row_value(struct vg_warp *w, vg_place p, int bytes, int lane) {
  const uint32_t *row = VG_AT(w, p);
  if (bytes == 8)
    return ((const uint64_t *)row)[lane];
  return row[lane] & UINT32_MAX >> (32 - bytes * 8);
}

static bool is_zero(struct vg_warp *w, const struct vg_insn *i, int n,
                    int lane) {
  uint64_t bits = number_bits(i);
  int bytes = bits > UINT32_MAX ? 8 : 4;
  return bits && i->src[n] != VG_NOWHERE &&
         !(row_value(w, i->src[n], bytes, lane) & bits);
}

// Is there none among 32-bit numbers? That is soon seen.
static bool has_no_zero(struct vg_warp *w, vg_place p, uint32_t bits) {
  const uint32_t *row = VG_AT(w, p);
  uint32_t any = 0;
  for (int l = 0; l < VG_LANES; l++)
    any |= (row[l] & bits) == 0;
  return !any;
}

// The same of all lanes.
static vg_mask zeros(struct vg_warp *w, const struct vg_insn *i, int n) {
  uint64_t bits = number_bits(i);
  int bytes = bits > UINT32_MAX ? 8 : 4;
  vg_mask none = 0;
  if (!bits || i->src[n] == VG_NOWHERE ||
      (bytes == 4 && has_no_zero(w, i->src[n], (uint32_t)bits)))
    return 0;
  for (int l = 0; l < VG_LANES; l++)
    none |= (vg_mask) !(row_value(w, i->src[n], bytes, l) & bits) << l;
  return none;
}

static struct vg_slice_value source(const struct vg_slice_step *x, int n,
                                    int lane) {
  return x->from[n] ? x->from[n][lane] : (struct vg_slice_value){0, 0};
}

static struct vg_slice_value join_sources(struct vg_warp *w,
                                          const struct vg_slice_step *x,
                                          int first, int lane) {
  struct vg_slice_value v = {0, 0};
  for (int n = first; n < 4; n++)
    if (x->from[n])
      v = vg_slice_join(w->block->grid->slice, v, x->from[n][lane]);
  return v;
}

static struct vg_slice_value selected(struct vg_warp *w,
                                      const struct vg_slice_step *x, int lane) {
  struct vg_slice *s = w->block->grid->slice;
  vg_mask p = *(const vg_mask *)VG_AT(w, x->i->src[2]) ^ x->i->flip;
  struct vg_slice_value a = source(x, 0, lane), b = source(x, 1, lane);
  if (s->feeds) {
    uint32_t choice = vg_feeds_select(s, p >> lane & 1, source(x, 2, lane));
    return vg_slice_join(s, p >> lane & 1 ? a : b,
                         (struct vg_slice_value){choice, 0});
  }
  if (!a.fact && !b.fact)
    return source(x, 2, lane);
  return p >> lane & 1 ? a : b;
}

static struct vg_slice_value packed(struct vg_warp *w,
                                    const struct vg_slice_step *x, int lane) {
  struct vg_slice_value v = {0, 0};
  for (int k = 0; k < x->i->vec; k++)
    v = vg_slice_join(w->block->grid->slice, v,
                      vg_slice_get(w, x->frame, x->i->vector->at[k], lane));
  return v;
}

// ---- Rows ----

// Has no lane of the run two facts to join? Then the one is what there is.
static bool join_alike(struct vg_slice_run r, struct vg_slice_value *v,
                       const struct vg_slice_value *with) {
  vg_slice_bits *to = (vg_slice_bits *)v;
  const vg_slice_bits *from = (const vg_slice_bits *)with;
  uint64_t both = 0;
  for (int l = r.first; l < r.end; l++)
    both |= vg_slice_has(to[l] ^ from[l]) & vg_slice_has(to[l]) &
            vg_slice_has(from[l]);
  for (int l = r.first; !both && l < r.end; l++) {
    uint64_t a = to[l] >> 32, b = from[l] >> 32, less = 0 - ((a - b) >> 63);
    to[l] = ((to[l] | from[l]) & VG_SLICE_FACT) | ((a & ~less) | (b & less))
                                                      << 32;
  }
  return !both;
}

// Lanes mostly have what their neighbours have: those are joined once.
static void join_row(struct vg_slice *s, vg_mask m, struct vg_slice_value *v,
                     const struct vg_slice_value *with) {
  uint32_t a = 0, b = 0, sum = 0;
  struct vg_slice_run r = vg_slice_run_of(m);
  if (r.end && join_alike(r, v, with))
    return;
  for (; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    if (v[l].fact != a || with[l].fact != b) {
      a = v[l].fact;
      b = with[l].fact;
      sum = vg_fact_union(s->facts, a, b);
    }
    v[l].fact = sum;
    v[l].chain = v[l].chain > with[l].chain ? v[l].chain : with[l].chain;
  }
}

// What is reached through an address comes from where the address comes from.
static void join_address(struct vg_slice *s, const struct vg_slice_step *x,
                         struct vg_slice_value *v) {
  struct vg_slice_value at[VG_LANES];
  if (!x->from[0])
    return;
  for (int l = 0; l < VG_LANES; l++)
    at[l] = (struct vg_slice_value){x->from[0][l].fact, 0};
  join_row(s, x->m, v, at);
}

// Factors are sources 0 and 1; what is added is source 2.
static void product_row(struct vg_warp *w, const struct vg_slice_step *x,
                        struct vg_slice_value *v) {
  struct vg_slice *s = w->block->grid->slice;
  bool any = x->from[0] || x->from[1];
  vg_mask none[2] = {any ? zeros(w, x->i, 0) : 0, any ? zeros(w, x->i, 1) : 0};
  memset(v, 0, VG_LANES * sizeof *v);
  for (int n = 2; n < 4; n++)
    if (x->from[n])
      join_row(s, x->m, v, x->from[n]);
  for (int n = 0; n < 2; n++)
    if (x->from[n])
      join_row(s, x->m & (none[n] | ~none[1 - n]), v, x->from[n]);
}

// What the instruction makes of its sources, for all its lanes.
static void result_row(struct vg_warp *w, const struct vg_slice_step *x, int op,
                       struct vg_slice_value *v) {
  bool is_packed = x->i->vector && x->i->dst != VG_NOWHERE;
  if (is_packed || op == PTX_OP_SELP) {
    if (x->m != VG_ALL)
      memset(v, 0, VG_LANES * sizeof *v);
    for (vg_mask m = x->m; m; m &= m - 1) {
      int l = __builtin_ctz(m);
      v[l] = is_packed ? packed(w, x, l) : selected(w, x, l);
    }
  } else if (is_product(op)) {
    product_row(w, x, v);
  } else {
    int n = 0;
    while (n < 4 && !x->from[n])
      n++;
    if (n < 4)
      memcpy(v, x->from[n], VG_LANES * sizeof *v);
    else
      memset(v, 0, VG_LANES * sizeof *v);
    while (++n < 4)
      if (x->from[n])
        join_row(w->block->grid->slice, x->m, v, x->from[n]);
  }
  for (int l = 0; is_arithmetic(op) && l < VG_LANES; l++)
    v[l].chain += v[l].fact != 0;
}

static bool has_facts(const struct vg_warp *w, const struct vg_slice_step *x) {
  bool any = x->from[0] || x->from[1] || x->from[2] || x->from[3];
  for (int k = 0; x->i->vector && k < x->i->vec; k++)
    any |= vg_slice_any(w, x->frame, x->i->vector->at[k]);
  return any;
}

static void add_target(struct vg_slice_step *x, vg_place p) {
  if (p == VG_NOWHERE || x->count == VG_MAX_VECTOR)
    return;
  x->to[x->count++] = p;
}

static bool had_facts(const struct vg_warp *w, const struct vg_slice_step *x) {
  bool any = false;
  for (int k = 0; k < x->count; k++)
    any |= vg_slice_any(w, x->frame, x->to[k]);
  return any;
}

// ---- Drowned values ----

// A sum, a minimum, a union of bits that is one of its two terms, bit for bit,
// has nothing of the other. Asked where loads are followed: there one
// execution in which it matters is enough. What is multiplied is no term.
enum { NO_TERMS = -1 };
static int first_term(const struct vg_insn *i) {
  int bytes = ptx_type_bytes((enum ptx_type)i->type);
  if (i->vector || i->dst2 != VG_NOWHERE || i->dst == VG_NOWHERE || bytes < 2 ||
      bytes > 8)
    return NO_TERMS;
  switch (vg_slice_op(i)) {
  case PTX_OP_ADD:
  case PTX_OP_SUB:
  case PTX_OP_MIN:
  case PTX_OP_MAX:
  case PTX_OP_AND:
  case PTX_OP_OR:
  case PTX_OP_XOR: return 0;
  case PTX_OP_FMA: return 2;
  default: return NO_TERMS;
  }
}

static void note_terms(struct vg_warp *w, struct vg_slice_step *x) {
  const struct vg_insn *i = x->i;
  int first = w->block->grid->slice->feeds ? first_term(i) : NO_TERMS;
  int bytes = ptx_type_bytes((enum ptx_type)i->type);
  if (first == NO_TERMS)
    return;
  x->may_drown = true;
  for (vg_mask m = x->m; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    x->expected[l] = row_value(w, i->src[first], bytes, l);
    x->address[l] = first ? 0 : row_value(w, i->src[1], bytes, l);
  }
}

static void drown(struct vg_warp *w, struct vg_slice_step *x) {
  int first = first_term(x->i);
  int bytes = ptx_type_bytes((enum ptx_type)x->i->type);
  for (vg_mask m = x->m; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    uint64_t r = row_value(w, x->to[0], bytes, l);
    bool is_first = r == x->expected[l];
    bool is_second = !first && r == x->address[l];
    if (is_first != is_second)
      x->v[0][l] = source(x, is_first ? first : 1, l);
  }
}

// ---- Plain instructions, whole ----

static void add_targets(struct vg_slice_step *x) {
  const struct vg_insn *i = x->i;
  bool unpacks = i->vector && i->dst == VG_NOWHERE;
  add_target(x, i->dst);
  add_target(x, i->dst2);
  for (int k = 0; unpacks && k < i->vec; k++)
    add_target(x, i->vector->at[k]);
}

// What it makes of facts; none where it takes none.
static void before_plain(struct vg_warp *w, struct vg_slice_step *x) {
  const struct vg_insn *i = x->i;
  bool unpacks = i->vector && i->dst == VG_NOWHERE;
  bool makes = !i->is_param_load && has_facts(w, x);
  vg_slice_charge(w);
  if (makes && !unpacks)
    result_row(w, x, vg_slice_op(i), x->v[0]);
  else if (makes && x->from[0])
    memcpy(x->v[0], x->from[0], sizeof x->v[0]);
  else
    memset(x->v[0], 0, sizeof x->v[0]);
  for (int k = 1; k < x->count; k++)
    memcpy(x->v[k], x->v[0], sizeof x->v[k]);
  if (makes)
    note_terms(w, x);
}

// Neither takes nor overwrites a fact.
static bool is_idle(const struct vg_slice *s, const struct vg_slice_frame *f,
                    const struct vg_slice_plan *p) {
  if (p->kind != VG_SLICE_PLAIN || (s->feeds && vg_feeds_control(s->feeds)))
    return false;
  return !f || !(f->any[p->from[0]] | f->any[p->from[1]] | f->any[p->from[2]] |
                 f->any[p->from[3]] | f->any[p->to[0]] | f->any[p->to[1]]);
}

// The same where there are many sources or targets.
static bool is_idle_vector(const struct vg_warp *w,
                           const struct vg_slice_step *x) {
  const struct vg_slice *s = w->block->grid->slice;
  bool is_under = s->feeds && vg_feeds_control(s->feeds);
  return !is_under && (x->i->is_param_load || !has_facts(w, x)) &&
         !had_facts(w, x);
}

// ---- Loads and stores ----

// What is reached through an address comes from where the address comes from.
static struct vg_slice_value address_facts(const struct vg_slice_step *x,
                                           int lane) {
  struct vg_slice_value v = source(x, 0, lane);
  v.chain = 0;
  return v;
}

static void before_load(struct vg_warp *w, struct vg_slice_step *x) {
  const struct vg_insn *i = x->i;
  bool is_wide = i->vec > 1 || i->bytes == 16;
  struct vg_spans spans = {x->address, i->bytes, GPU_READ};
  vg_addresses(w, i, x->address);
  for (int k = 0; k < i->vec; k++) {
    int at = x->count;
    add_target(x, i->vector->at[k]);
    if (at < x->count) {
      if (x->m != VG_ALL)
        memset(x->v[at], 0, sizeof x->v[at]);
      vg_slice_load_row(w, x->m, i->space, spans,
                        is_wide ? GPU_MADE_VECTOR_LOADS : 0, x->v[at]);
      join_address(w->block->grid->slice, x, x->v[at]);
    }
    for (int l = 0; l < VG_LANES; l++)
      x->address[l] += i->bytes;
  }
}

static void run_store(struct vg_warp *w, struct vg_slice_step *x) {
  const struct vg_insn *i = x->i;
  struct vg_slice_value v[VG_LANES];
  vg_addresses(w, i, x->address);
  for (int k = 0; k < i->vec; k++) {
    const struct vg_slice_value *row =
        vg_slice_row(w, x->frame, i->vector->at[k]);
    memset(v, 0, sizeof v);
    if (row)
      memcpy(v, row, sizeof v);
    join_address(w->block->grid->slice, x, v);
    vg_slice_store_row(w, x->m, i->space,
                       (struct vg_spans){x->address, i->bytes, GPU_WRITE}, v);
    for (int l = 0; l < VG_LANES; l++)
      x->address[l] += i->bytes;
  }
}

// ---- Atomics ----

static struct vg_slice_value places_of(struct vg_warp *w,
                                       const struct vg_slice_step *x,
                                       const struct vg_place_list *list,
                                       int lane) {
  struct vg_slice_value v = {0, 0};
  for (int n = 0; n < list->count; n++)
    v = vg_slice_join(w->block->grid->slice, v,
                      vg_slice_get(w, x->frame, list->at[n], lane));
  return v;
}

static bool is_wide_atomic(const struct vg_insn *i) {
  return i->wide && (i->vec > 1 || i->type == PTX_B128);
}

static struct vg_slice_value by_atomic(struct vg_slice *s) {
  return (struct vg_slice_value){vg_fact_of_flags(s->facts, GPU_MADE_ATOMICS),
                                 0};
}

// Nothing loaded, and a zero that leaves the cell as it was: a dummy.
static bool adds_nothing(struct vg_warp *w, const struct vg_insn *i,
                         struct vg_slice_value v, int lane) {
  return !v.fact &&
         (i->sub == PTX_ATOM_ADD || i->sub == PTX_ATOM_OR ||
          i->sub == PTX_ATOM_XOR) &&
         is_zero(w, i, 1, lane);
}

static void before_atomic(struct vg_warp *w, struct vg_slice_step *x) {
  const struct vg_insn *i = x->i;
  struct vg_slice *s = w->block->grid->slice;
  bool is_wide = is_wide_atomic(i);
  s->ran_atomic[w->block->number] = true;
  x->is_atomic = true;
  vg_addresses(w, i, x->address);
  for (int k = 0; is_wide && k < i->wide->old.count; k++)
    add_target(x, i->wide->old.at[k]);
  if (!is_wide)
    add_target(x, i->dst);
  for (vg_mask m = x->m; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    struct vg_slice_value v;
    if (is_wide)
      v = vg_slice_join(s, places_of(w, x, &i->wide->b, l),
                        places_of(w, x, &i->wide->c, l));
    else
      v = join_sources(w, x, 1, l);
    v.chain++;
    v = vg_slice_join(s, v, address_facts(x, l));
    x->operand[l] = !is_wide && adds_nothing(w, i, v, l)
                        ? (struct vg_slice_value){0, 0}
                        : vg_slice_join(s, v, by_atomic(s));
    x->expected[l] = is_wide || i->sub != PTX_ATOM_CAS
                         ? 0
                         : row_value(w, i->src[1], i->bytes, l);
  }
}

// Lanes take their turns in order, as when the instruction ran.
static void after_atomic(struct vg_warp *w, struct vg_slice_step *x) {
  const struct vg_insn *i = x->i;
  bool is_wide = is_wide_atomic(i);
  uint32_t bytes = is_wide ? (uint32_t)i->bytes * i->vec : i->bytes;
  bool knows = !is_wide && i->sub == PTX_ATOM_CAS && x->count;
  enum gpu_access access =
      i->sub == PTX_ATOM_EXCH || knows ? GPU_WRITE : GPU_ATOMIC;
  for (vg_mask m = x->m; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    struct vg_slice_value old =
        vg_slice_load(w, l, i->space, x->address[l], bytes, 0);
    if (!knows || row_value(w, x->to[0], i->bytes, l) == x->expected[l])
      vg_slice_update(w, l, i->space,
                      (struct vg_span){x->address[l], bytes, access},
                      x->operand[l]);
    // What it brings back tells who came when, also where it is a first one's.
    if (x->operand[l].fact)
      old = vg_slice_join(w->block->grid->slice, old,
                          by_atomic(w->block->grid->slice));
    for (int k = 0; k < x->count; k++)
      vg_slice_put(w, x->frame, x->to[k], l, old);
  }
}

// ---- Textures ----

// A fetch is a load of what the host put into the texture.
static void before_texture(struct vg_warp *w, struct vg_slice_step *x) {
  const struct vg_insn *i = x->i;
  struct vg_slice *s = w->block->grid->slice;
  for (int k = 0; i->vector && k < i->vec; k++)
    add_target(x, i->vector->at[k]);
  for (vg_mask m = x->m; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    struct vg_slice_value v = {0, 0};
    if (!s->feeds)
      v.fact = vg_fact_of_thread(s->facts, w->first_thread + (uint32_t)l);
    struct vg_slice_value at = places_of(w, x, &i->texture->coords, l);
    at.chain = 0;
    v = vg_slice_join(s, v, at);
    for (int k = 0; k < x->count; k++)
      x->v[k][l] = v;
  }
}

// ---- One instruction ----

static void before_followed(struct vg_warp *w, struct vg_slice_step *x) {
  int op = vg_slice_op(x->i);
  vg_slice_charge(w);
  switch (op) {
  case PTX_OP_LD:
  case PTX_OP_LDU: before_load(w, x); return;
  case PTX_OP_ST: run_store(w, x); return;
  case PTX_OP_ATOM:
  case PTX_OP_RED: before_atomic(w, x); return;
  case PTX_OP_MMA:
  case PTX_OP_WMMA:
  case PTX_OP_LDMATRIX:
  case PTX_OP_STMATRIX:
  case PTX_OP_MOVMATRIX: vg_slice_before_matrix(w, x); return;
  case PTX_OP_TEX:
  case PTX_OP_TLD4:
  case PTX_OP_SULD: before_texture(w, x); return;
  case PTX_OP_MBARRIER:
    add_target(x, x->i->dst);
    memset(x->v[0], 0, sizeof x->v[0]);
    memset(w->block->grid->slice->write, 0,
           sizeof w->block->grid->slice->write);
    return;
  default: return;
  }
}

static void begin_step(struct vg_slice_step *x, const struct vg_insn *i,
                       vg_mask m, struct vg_frame *f,
                       const struct vg_slice_plan *p) {
  x->i = i;
  x->m = m;
  x->frame = f;
  x->count = 0;
  x->is_atomic = x->is_matrix = x->may_drown = false;
  for (int n = 0; n < 4; n++)
    x->from[n] = f->slice && f->slice->any[p->from[n]]
                     ? f->slice->values[p->from[n]]
                     : NULL;
}

bool vg_slice_before(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                     struct vg_slice_step *x) {
  struct vg_slice *s = w->block->grid->slice;
  struct vg_frame *f = w->leaf->frame;
  const struct vg_slice_plan *p = vg_slice_plan_of(s, f->code, i);
  if (s->feeds)
    vg_feeds_before(w, i, m);
  if (!m || p->kind == VG_SLICE_LEFT_OUT)
    return false;
  if (is_idle(s, f->slice, p)) {
    w->block->executed += IDLE_COST;
    return false;
  }
  begin_step(x, i, m, f, p);
  if (p->kind == VG_SLICE_FOLLOWED) {
    before_followed(w, x);
    return true;
  }
  add_targets(x);
  if (p->kind == VG_SLICE_VECTOR && is_idle_vector(w, x)) {
    w->block->executed += IDLE_COST;
    return false;
  }
  before_plain(w, x);
  return true;
}

void vg_slice_after(struct vg_warp *w, struct vg_slice_step *x) {
  if (x->is_atomic) {
    after_atomic(w, x);
    return;
  }
  if (x->is_matrix) {
    vg_slice_after_matrix(w, x);
    return;
  }
  if (x->may_drown)
    drown(w, x);
  for (int k = 0; k < x->count; k++)
    vg_slice_put_row(w, x->frame, x->to[k], x->m, x->v[k]);
}
