// SPDX-License-Identifier: Apache-2.0
// Which handler runs an instruction, compiled for which vectors.
#include "gpu/vgpu/code/handlers.h"

#include "gpu/vgpu/code/decode.h"
#include "gpu/vgpu/ops/ops.h"

// Operations on predicates themselves; no other knows their rows.
static bool takes_predicates(const struct ptx_insn *p) {
  return p->op == PTX_OP_MOV || p->op == PTX_OP_AND || p->op == PTX_OP_OR ||
         p->op == PTX_OP_XOR || p->op == PTX_OP_NOT || p->op == PTX_OP_VOTE ||
         p->op == PTX_OP_BAR || p->op == PTX_OP_BARRIER;
}

typedef vg_handler (*finder)(const struct ptx_insn *p);

// Families of handlers that exist for several instruction sets.
enum { FAMILIES_BY_SET = 4 };
struct isa {
  finder alu, floats, cvt, memory;
  const struct vg_pair *pairs[FAMILIES_BY_SET];
};

#ifdef VG_HAS_WIDE
#  define DECLARE(isa)                                                         \
    vg_handler vg_find_alu##isa(const struct ptx_insn *p);                     \
    vg_handler vg_find_float##isa(const struct ptx_insn *p);                   \
    vg_handler vg_find_cvt##isa(const struct ptx_insn *p);                     \
    vg_handler vg_find_memory##isa(const struct ptx_insn *p);                  \
    extern const struct vg_pair vg_pairs_alu##isa[], vg_pairs_float##isa[],    \
        vg_pairs_cvt##isa[], vg_pairs_memory##isa[];
DECLARE(_v3)
DECLARE(_v4)
#  undef DECLARE

static bool has_v3(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi2");
}

static bool has_v4(void) {
  return has_v3() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512cd");
}
#endif

static _Atomic int isa_limit = VG_AVX512;

enum vg_isa vg_isa_limit(enum vg_isa most) {
  enum vg_isa have = VG_PLAIN;
#ifdef VG_HAS_WIDE
  have = has_v4() ? VG_AVX512 : has_v3() ? VG_AVX2 : VG_PLAIN;
#endif
  isa_limit = (int)most;
  return most < have ? most : have;
}

static struct isa choose_isa(void) {
#ifdef VG_HAS_WIDE
  if (isa_limit >= VG_AVX512 && has_v4())
    return (struct isa){vg_find_alu_v4,
                        vg_find_float_v4,
                        vg_find_cvt_v4,
                        vg_find_memory_v4,
                        {vg_pairs_alu_v4, vg_pairs_float_v4, vg_pairs_cvt_v4,
                         vg_pairs_memory_v4}};
  if (isa_limit >= VG_AVX2 && has_v3())
    return (struct isa){vg_find_alu_v3,
                        vg_find_float_v3,
                        vg_find_cvt_v3,
                        vg_find_memory_v3,
                        {vg_pairs_alu_v3, vg_pairs_float_v3, vg_pairs_cvt_v3,
                         vg_pairs_memory_v3}};
#endif
  return (struct isa){
      vg_find_alu,
      vg_find_float,
      vg_find_cvt,
      vg_find_memory,
      {vg_pairs_alu, vg_pairs_float, vg_pairs_cvt, vg_pairs_memory}};
}

vg_handler vg_find_handler(const struct ptx_insn *p) {
  struct isa isa = choose_isa();
  enum { FAMILIES = 13 };
  const finder families[FAMILIES] = {
      isa.alu,         isa.floats,     vg_find_half,  isa.cvt,
      isa.memory,      vg_find_atom,   vg_find_warp,  vg_find_flow,
      vg_find_texture, vg_find_matrix, vg_find_async, vg_find_video,
      vg_find_small};
  if (p->type == PTX_PRED && !takes_predicates(p))
    return NULL;
  for (int f = 0; f < FAMILIES; f++) {
    vg_handler h = families[f](p);
    if (h)
      return h;
  }
  return NULL;
}

vg_together vg_find_together(vg_handler run) {
  struct isa isa = choose_isa();
  for (int t = 0; t < FAMILIES_BY_SET; t++)
    for (const struct vg_pair *p = isa.pairs[t]; p->run; p++)
      if (p->run == run)
        return p->together;
  return NULL;
}
