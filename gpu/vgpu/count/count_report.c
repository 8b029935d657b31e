// SPDX-License-Identifier: Apache-2.0
// From tallies of instructions to counters of source lines, and the book of
// counted launches that a device keeps until the host asks.
#include "gpu/vgpu/count/count.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/ptx/ptx.h"
#include "gpu/vgpu/launch.h"
#include "gpu/vgpu/slice/slice.h"

// ---- What an instruction counts as ----

static bool is_float(int type) {
  return type >= PTX_F16 && type <= PTX_F64;
}

static bool is_half(int type) {
  return type >= PTX_F16 && type <= PTX_BF16X2;
}

static void add_arithmetic(const struct ptx_insn *p, uint64_t n,
                           enum gpu_counter f32, enum gpu_counter f64,
                           enum gpu_counter f16, uint64_t *count) {
  int lanes = p->type == PTX_F16X2 || p->type == PTX_BF16X2 ? 2 : 1;
  if (p->type == PTX_F32)
    count[f32] += n;
  else if (p->type == PTX_F64)
    count[f64] += n;
  else if (is_half(p->type)) {
    count[f16] += n;
    count[GPU_COUNT_HALF_FLOPS] +=
        n * (uint64_t)lanes * (f16 == GPU_COUNT_HFMA ? 2 : 1);
  } else
    count[GPU_COUNT_INTEGER] += n;
}

static void add_conversion(const struct ptx_insn *p, uint64_t n,
                           uint64_t *count) {
  count[GPU_COUNT_CONVERSION] += n;
  if ((p->type == PTX_F64 && p->type2 == PTX_F32) ||
      (p->type == PTX_F32 && p->type2 == PTX_F64))
    count[GPU_COUNT_FP64_CONVERSIONS] += n;
}

// The type that a comparison looks at, or that an operation works in.
static bool works_on_doubles(const struct ptx_insn *p) {
  switch (p->op) {
  case PTX_OP_CVT: return p->type == PTX_F64 || p->type2 == PTX_F64;
  case PTX_OP_SET: return p->type2 == PTX_F64;
  case PTX_OP_LD:
  case PTX_OP_LDU:
  case PTX_OP_ST:
  case PTX_OP_ATOM:
  case PTX_OP_RED:
  case PTX_OP_MOV:
  case PTX_OP_SELP: return false; // they move doubles
  default: return p->type == PTX_F64;
  }
}

static bool works_on_bits(int op) {
  switch (op) {
  case PTX_OP_AND:
  case PTX_OP_OR:
  case PTX_OP_XOR:
  case PTX_OP_NOT:
  case PTX_OP_CNOT:
  case PTX_OP_LOP3:
  case PTX_OP_SHL:
  case PTX_OP_SHR:
  case PTX_OP_SHF:
  case PTX_OP_PRMT:
  case PTX_OP_BFE:
  case PTX_OP_BFI:
  case PTX_OP_BREV: return true;
  default: return false;
  }
}

// Beside those that are for numbers of all kinds (add_kind).
static bool works_on_integers(const struct ptx_insn *p) {
  switch (p->op) {
  case PTX_OP_REM:
  case PTX_OP_MUL24:
  case PTX_OP_MAD24:
  case PTX_OP_SAD:
  case PTX_OP_ABS:
  case PTX_OP_NEG:
  case PTX_OP_MIN:
  case PTX_OP_MAX:
  case PTX_OP_POPC:
  case PTX_OP_CLZ:
  case PTX_OP_BFIND:
  case PTX_OP_FNS:
  case PTX_OP_BMSK:
  case PTX_OP_SZEXT:
  case PTX_OP_DP4A:
  case PTX_OP_DP2A:
  case PTX_OP_ADDC:
  case PTX_OP_SUBC:
  case PTX_OP_MADC:
  case PTX_OP_SET:
  case PTX_OP_SETP:
  case PTX_OP_SLCT: return !is_float(p->op == PTX_OP_SET ? p->type2 : p->type);
  default: return false;
  }
}

static bool is_special(int op) {
  switch (op) {
  case PTX_OP_RCP:
  case PTX_OP_SQRT:
  case PTX_OP_RSQRT:
  case PTX_OP_SIN:
  case PTX_OP_COS:
  case PTX_OP_LG2:
  case PTX_OP_EX2:
  case PTX_OP_TANH: return true;
  default: return false;
  }
}

static void add_kind(const struct ptx_insn *p, const struct vg_tally *t,
                     uint64_t *count) {
  uint64_t n = t->threads_on;
  if (works_on_doubles(p))
    count[GPU_COUNT_FP64] += n;
  if (works_on_bits(p->op))
    count[GPU_COUNT_BIT] += n;
  if (works_on_bits(p->op) || works_on_integers(p))
    count[GPU_COUNT_INTEGER] += n;
  if (is_special(p->op))
    count[GPU_COUNT_SPECIAL] += t->issued;
  switch (p->op) {
  case PTX_OP_ADD:
  case PTX_OP_SUB:
    add_arithmetic(p, n, GPU_COUNT_FADD, GPU_COUNT_DADD, GPU_COUNT_HADD, count);
    break;
  case PTX_OP_MUL:
    add_arithmetic(p, n, GPU_COUNT_FMUL, GPU_COUNT_DMUL, GPU_COUNT_HMUL, count);
    break;
  case PTX_OP_MAD:
  case PTX_OP_FMA:
    add_arithmetic(p, n, GPU_COUNT_FFMA, GPU_COUNT_DFMA, GPU_COUNT_HFMA, count);
    break;
  case PTX_OP_DIV:
    if (!is_float(p->type))
      count[GPU_COUNT_INTEGER] += n;
    else if (p->type == PTX_F32)
      count[GPU_COUNT_SPECIAL] += t->issued;
    break;
  case PTX_OP_CVT: add_conversion(p, n, count); break;
  case PTX_OP_SHFL:
  case PTX_OP_VOTE:
  case PTX_OP_MATCH:
  case PTX_OP_REDUX:
  case PTX_OP_ACTIVEMASK: count[GPU_COUNT_COMMUNICATION] += n; break;
  case PTX_OP_BAR:
  case PTX_OP_BARRIER:
    if (p->sub != PTX_BAR_WARP)
      count[GPU_COUNT_BARRIERS] += t->issued;
    break;
  case PTX_OP_BRX:
  case PTX_OP_BRA: count[GPU_COUNT_BRANCHES] += t->issued; break;
  case PTX_OP_MMA: count[GPU_COUNT_TENSOR] += t->issued; break;
  case PTX_OP_WMMA:
    if (p->matrix->step == PTX_MATRIX_MMA)
      count[GPU_COUNT_TENSOR] += t->issued;
    break;
  case PTX_OP_TEX:
  case PTX_OP_TLD4: count[GPU_COUNT_TEXTURE] += t->issued; break;
  default: break;
  }
}

static bool mentions(const struct ptx_operand *o, int32_t reg) {
  if (o->kind == PTX_VECTOR)
    for (int n = 0; n < o->dim; n++)
      if (o->regs[n] == reg)
        return true;
  return (o->kind == PTX_REGISTER || o->kind == PTX_ADDRESS) &&
         (o->reg == reg || o->pair == reg);
}

// Is the old value used? Compilers write atom for all atomicAdd(); a device
// runs those whose result nobody mentions as reductions.
static bool has_result(const struct ptx_func *f, const struct ptx_insn *p) {
  if (p->op != PTX_OP_ATOM || p->operands[0].kind != PTX_REGISTER)
    return false;
  int32_t reg = p->operands[0].reg;
  for (int n = 0; n < f->code_count; n++)
    for (int o = &f->code[n] == p; o < f->code[n].operand_count; o++)
      if (mentions(&f->code[n].operands[o], reg) || f->code[n].guard == reg)
        return true;
  return false;
}

static bool is_store(const struct ptx_insn *p) {
  return p->op == PTX_OP_ST || p->op == PTX_OP_STMATRIX ||
         (p->op == PTX_OP_WMMA && p->matrix->step == PTX_MATRIX_STORE);
}

static void add_memory(const struct ptx_func *f, const struct ptx_insn *p,
                       const struct vg_tally *t, uint64_t *count) {
  bool is_load = !is_store(p);
  count[GPU_COUNT_ASYNC_COPIES] += t->copies;
  count[GPU_COUNT_ASYNC_SECTORS] += t->copy_sectors;
  count[GPU_COUNT_ASYNC_IDLE] += t->idle_copies;
  count[GPU_COUNT_UNFENCED] += t->unfenced;
  count[GPU_COUNT_ATOMIC_THREADS] += t->atomic_threads;
  count[GPU_COUNT_ATOMIC_WAITS] += t->atomic_waits;
  if (p->op == PTX_OP_ATOM || p->op == PTX_OP_RED) {
    count[has_result(f, p) ? GPU_COUNT_GLOBAL_ATOM : GPU_COUNT_GLOBAL_RED] +=
        t->requests;
    count[GPU_COUNT_SHARED_ATOM] += t->shared_requests;
    return;
  }
  count[GPU_COUNT_SECTORS_NEEDED] += t->needed;
  count[is_load ? GPU_COUNT_GLOBAL_LD : GPU_COUNT_GLOBAL_ST] += t->requests;
  count[is_load ? GPU_COUNT_GLOBAL_LD_SECTORS : GPU_COUNT_GLOBAL_ST_SECTORS] +=
      t->sectors;
  count[is_load ? GPU_COUNT_GLOBAL_LD_BYTES : GPU_COUNT_GLOBAL_ST_BYTES] +=
      t->bytes;
  count[is_load ? GPU_COUNT_SHARED_LD : GPU_COUNT_SHARED_ST] +=
      t->shared_requests;
  count[is_load ? GPU_COUNT_SHARED_LD_WAVEFRONTS
                : GPU_COUNT_SHARED_ST_WAVEFRONTS] += t->wavefronts;
  count[is_load ? GPU_COUNT_SHARED_LD_CONFLICTS
                : GPU_COUNT_SHARED_ST_CONFLICTS] += t->conflicts;
  count[is_load ? GPU_COUNT_LOCAL_LD : GPU_COUNT_LOCAL_ST] += t->local_requests;
  count[is_load ? GPU_COUNT_LOCAL_LD_SECTORS : GPU_COUNT_LOCAL_ST_SECTORS] +=
      t->local_sectors;
}

static void add_insn(const struct ptx_func *f, const struct ptx_insn *p,
                     const struct vg_tally *t, uint64_t *count) {
  count[GPU_COUNT_INST] += t->issued;
  count[GPU_COUNT_THREAD_INST] += t->threads;
  count[GPU_COUNT_THREAD_INST_ON] += t->threads_on;
  count[GPU_COUNT_DIVERGENT] += t->divergent;
  add_kind(p, t, count);
  add_memory(f, p, t, count);
}

// ---- Lines ----

static const char *file_of(const struct ptx_module *m,
                           const struct ptx_insn *p) {
  return p->file >= 0 && p->file < m->file_count ? m->files[p->file] : "";
}

static bool is_access(const struct vg_tally *t) {
  return t->requests || t->shared_requests || t->local_requests || t->copies ||
         t->atomic_threads;
}

// Goes through the instructions that ran. A row is one run of them of one
// place; of accesses each has its own where `first` is their number's start
// and not UINT32_MAX. Fills `rows` unless it is NULL; returns how many.
static uint32_t collect(const struct ptx_module *m, const struct vg_code *code,
                        const struct vg_tally *t, uint32_t first,
                        struct gpu_line_counts *rows) {
  const struct ptx_insn *last = NULL;
  uint32_t count = 0;
  for (int n = 0; n < code->insn_count; n++) {
    const struct ptx_insn *p = code->insns[n].ptx;
    if (!p || !t[n].issued)
      continue;
    bool is_own = first != UINT32_MAX && is_access(&t[n]);
    if (is_own || !last || last->line != p->line || last->file != p->file) {
      count++;
      if (rows) {
        struct gpu_line_counts *r = &rows[count - 1];
        memset(r, 0, sizeof *r);
        r->line = p->line;
        r->access = is_own ? first + (uint32_t)n + 1 : 0;
        snprintf(r->file, sizeof r->file, "%s", file_of(m, p));
      }
    }
    last = is_own ? NULL : p;
    if (rows)
      add_insn(code->func, p, &t[n], rows[count - 1].count);
  }
  return count;
}

// A launch's counts by source line, sorted, and their sum in out->count; the
// caller frees *lines.
static void add_up(const struct vg_counts *c, bool by_access,
                   struct gpu_counts *out, struct gpu_line_counts **lines) {
  const struct vg_module *m = vg_counts_module(c);
  uint32_t room = 0, count = 0, first = 0;
  for (int f = 0; f < m->ptx->func_count; f++)
    room += collect(m->ptx, &m->codes[f], vg_counts_of(c, f),
                    by_access ? 0 : UINT32_MAX, NULL);
  struct gpu_line_counts *rows = xcalloc((size_t)room + 1, sizeof *rows);
  for (int f = 0; f < m->ptx->func_count; f++) {
    count += collect(m->ptx, &m->codes[f], vg_counts_of(c, f),
                     by_access ? first : UINT32_MAX, rows + count);
    first += (uint32_t)m->codes[f].insn_count;
  }
  out->line_count = gpu_line_counts_merge(rows, count);
  memset(out->count, 0, sizeof out->count);
  for (uint32_t n = 0; n < out->line_count; n++)
    for (int k = 0; k < GPU_COUNT_COUNT; k++)
      out->count[k] += rows[n].count[k];
  *lines = rows;
}

// Of rows of accesses, which are of one instruction each.
static void mark_unused(const struct vg_counts *c, struct vg_slice *s,
                        struct gpu_line_counts *rows, uint32_t count) {
  const struct vg_module *m = vg_counts_module(c);
  for (uint32_t n = 0; n < count; n++) {
    uint32_t at = rows[n].access - 1;
    int f = 0;
    if (!rows[n].access)
      continue;
    while (at >= (uint32_t)m->codes[f].insn_count)
      at -= (uint32_t)m->codes[f++].insn_count;
    rows[n].is_unused = vg_feeds_is_unused(s, f, m->codes[f].insns[at].ptx);
  }
}

// ---- The book ----

struct vg_count_entry {
  struct gpu_counts counts;
  struct gpu_line_counts *lines;
};

enum { MAX_ENTRIES = 256 };

static bool is_same(const struct gpu_counts *a, const struct gpu_counts *b) {
  return !strcmp(a->function, b->function) &&
         !memcmp(a->grid, b->grid, sizeof a->grid) &&
         !memcmp(a->block, b->block, sizeof a->block) &&
         a->shared_dynamic == b->shared_dynamic;
}

void vg_count_book_add(struct vg_count_book *b, const struct vg_grid *g,
                       bool is_cut) {
  struct gpu_counts c = {.launch = g->number,
                         .shared_static = g->static_shared,
                         .shared_dynamic = g->launch.shared_bytes,
                         .is_cut = is_cut};
  struct gpu_line_counts *lines;
  snprintf(c.function, sizeof c.function, "%s", g->code->func->name);
  memcpy(c.grid, g->launch.grid, sizeof c.grid);
  memcpy(c.block, g->launch.block, sizeof c.block);
  add_up(g->counts, g->launch.flags & GPU_LAUNCH_ACCESSES, &c, &lines);
  if (g->slice && g->slice->feeds)
    mark_unused(g->counts, g->slice, lines, c.line_count);
  c.count[GPU_COUNT_LAUNCHES] = 1;
  for (int n = b->count; n-- > 0;)
    if (is_same(&b->entries[n].counts, &c)) {
      gpu_counts_add(&b->entries[n].counts, &b->entries[n].lines, &c, lines);
      free(lines);
      return;
    }
  if (b->count == MAX_ENTRIES) {
    b->dropped++;
    free(lines);
    return;
  }
  if (!b->entries)
    b->entries = xcalloc(MAX_ENTRIES, sizeof *b->entries);
  b->entries[b->count++] = (struct vg_count_entry){c, lines};
}

bool vg_count_book_take(struct vg_count_book *b, struct gpu_counts *out,
                        struct gpu_line_counts **lines) {
  if (!b->count)
    return false;
  *out = b->entries[0].counts;
  *lines = b->entries[0].lines;
  out->dropped = b->dropped;
  b->dropped = 0;
  memmove(b->entries, b->entries + 1, (size_t)--b->count * sizeof *b->entries);
  return true;
}

void vg_count_book_close(struct vg_count_book *b) {
  for (int n = 0; n < b->count; n++)
    free(b->entries[n].lines);
  free(b->entries);
  memset(b, 0, sizeof *b);
}
