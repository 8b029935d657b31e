// SPDX-License-Identifier: Apache-2.0
// How a handler works on all lanes: compute them all, then keep those of the
// mask. Loops over 32 lanes of one type without branches are what the compiler
// turns into vector instructions.
#ifndef GPU_VGPU_LANES_H
#define GPU_VGPU_LANES_H

#include <string.h>

#include "gpu/vgpu/state.h"

// The type of a lane that holds a C type: narrow ones lie in 32 bits, whose
// upper bits mean nothing.
#define LANE_int8_t   uint32_t
#define LANE_uint8_t  uint32_t
#define LANE_int16_t  uint32_t
#define LANE_uint16_t uint32_t
#define LANE_int32_t  int32_t
#define LANE_uint32_t uint32_t
#define LANE_int64_t  int64_t
#define LANE_uint64_t uint64_t
#define LANE_float    float
#define LANE_double   double
#define LANE(T)       LANE_##T

// Runs BODY, which uses l and sets r of type D, for every lane.
#define LANES_RUN(D, BODY)                                                     \
  {                                                                            \
    LANE_##D *restrict d_ = VG_AT(w, i->dst);                                  \
    LANE_##D t_[VG_LANES];                                                     \
    if (m == VG_ALL) {                                                         \
      for (int l = 0; l < VG_LANES; l++) {                                     \
        D r;                                                                   \
        BODY;                                                                  \
        t_[l] = (LANE_##D)r;                                                   \
      }                                                                        \
      memcpy(d_, t_, sizeof t_);                                               \
    } else {                                                                   \
      for (int l = 0; l < VG_LANES; l++) {                                     \
        D r;                                                                   \
        BODY;                                                                  \
        t_[l] = (LANE_##D)r;                                                   \
      }                                                                        \
      for (int l = 0; l < VG_LANES; l++)                                       \
        d_[l] = (m >> l & 1) ? t_[l] : d_[l];                                  \
    }                                                                          \
  }

// One, two, three sources: EXPR uses x, y, z and gives the result.
#define LANES1(D, A, EXPR)                                                     \
  {                                                                            \
    const LANE_##A *restrict a_ = VG_AT(w, i->src[0]);                         \
    LANES_RUN(D, A x = (A)a_[l]; r = (D)(EXPR))                                \
  }
#define LANES2(D, A, B, EXPR)                                                  \
  {                                                                            \
    const LANE_##A *restrict a_ = VG_AT(w, i->src[0]);                         \
    const LANE_##B *restrict b_ = VG_AT(w, i->src[1]);                         \
    LANES_RUN(D, A x = (A)a_[l]; B y = (B)b_[l]; r = (D)(EXPR))                \
  }
#define LANES3(D, A, B, C, EXPR)                                               \
  {                                                                            \
    const LANE_##A *restrict a_ = VG_AT(w, i->src[0]);                         \
    const LANE_##B *restrict b_ = VG_AT(w, i->src[1]);                         \
    const LANE_##C *restrict c_ = VG_AT(w, i->src[2]);                         \
    LANES_RUN(D, A x = (A)a_[l]; B y = (B)b_[l]; C z = (C)c_[l];               \
              r = (D)(EXPR))                                                   \
  }

// The same for all lanes of `count` warps: BODY stores by itself. A target may
// be a source, lane by lane.
#define WARPS_RUN(BODY)                                                        \
  for (const struct vg_warp *end_ = w + count; w < end_; w++) {                \
    BODY                                                                       \
  }
#ifdef __clang__
#  define WARP_LANES                                                           \
    _Pragma("clang loop vectorize(assume_safety)") for (int l = 0;             \
                                                        l < VG_LANES; l++)
#else
#  define WARP_LANES _Pragma("GCC ivdep") for (int l = 0; l < VG_LANES; l++)
#endif
#define WARPS1(D, A, EXPR)                                                     \
  WARPS_RUN(LANE_##D *d_ = VG_AT(w, i->dst);                                   \
            const LANE_##A *a_ = VG_AT(w, i->src[0]); WARP_LANES {             \
              A x = (A)a_[l];                                                  \
              d_[l] = (LANE_##D)(D)(EXPR);                                     \
            })
#define WARPS2(D, A, B, EXPR)                                                  \
  WARPS_RUN(LANE_##D *d_ = VG_AT(w, i->dst);                                   \
            const LANE_##A *a_ = VG_AT(w, i->src[0]);                          \
            const LANE_##B *b_ = VG_AT(w, i->src[1]); WARP_LANES {             \
              A x = (A)a_[l];                                                  \
              B y = (B)b_[l];                                                  \
              d_[l] = (LANE_##D)(D)(EXPR);                                     \
            })
#define WARPS3(D, A, B, C, EXPR)                                               \
  WARPS_RUN(LANE_##D *d_ = VG_AT(w, i->dst);                                   \
            const LANE_##A *a_ = VG_AT(w, i->src[0]);                          \
            const LANE_##B *b_ = VG_AT(w, i->src[1]);                          \
            const LANE_##C *c_ = VG_AT(w, i->src[2]); WARP_LANES {             \
              A x = (A)a_[l];                                                  \
              B y = (B)b_[l];                                                  \
              C z = (C)c_[l];                                                  \
              d_[l] = (LANE_##D)(D)(EXPR);                                     \
            })

// The lanes for which the condition holds, as a mask.
#define LANES_MASK(OUT, COND)                                                  \
  {                                                                            \
    uint32_t bits_ = 0;                                                        \
    for (int l = 0; l < VG_LANES; l++)                                         \
      bits_ |= (COND) ? 1u << l : 0;                                           \
    OUT = bits_;                                                               \
  }

static inline void set_predicate(struct vg_warp *w, vg_place at, vg_mask m,
                                 vg_mask value) {
  if (at == VG_NOWHERE)
    return;
  vg_mask *p = VG_AT(w, at);
  *p = (*p & ~m) | (value & m);
}

static inline vg_mask get_predicate(struct vg_warp *w, vg_place at) {
  return *(const vg_mask *)VG_AT(w, at);
}

// setp.cmp.boolop: the comparison's result with the predicate operand.
static inline vg_mask with_boolop(struct vg_warp *w, const struct vg_insn *i,
                                  vg_mask r) {
  if (i->boolop == PTX_BOOL_NONE)
    return r;
  vg_mask c = get_predicate(w, i->src[2]) ^ i->flip;
  return i->boolop == PTX_BOOL_AND  ? r & c
         : i->boolop == PTX_BOOL_OR ? r | c
                                    : r ^ c;
}

#endif
