// SPDX-License-Identifier: Apache-2.0
// The loops of one element type, and their table. Included once per type, by
// elementwise_integer.c and elementwise_float.c, with T, U, SUFFIX, HAS_SIGN
// and one of IS_BOOL, IS_INTEGER, IS_FLOAT defined (and F for floats); not
// guarded on that account.

#define INT(name)   PASTE(name, SUFFIX)
#define FN(prefix)  PASTE(prefix, SUFFIX)
#define IN_RANGE(y) ((uint64_t)(y) < 8 * sizeof(T)) // negative: huge

PACK(T)

#ifdef IS_FLOAT
#  define floor_divf floor_div_F32
#  define floor_div  floor_div_F64
#  define modf       mod_F32
#  define mod        mod_F64
#  define UNARY(name, text, kind, i, f)                                        \
    UNARY_LOOP(FN(u_##name), R_OF(kind), f, #f, FN(mend_unary), KERNEL_##name)
#  define BINARY(name, text, kind, b, i, f)                                    \
    BINARY_LOOP(FN(b_##name), R_OF(kind), f, #f, FN(mend_binary), KERNEL_##name)
#else
#  define UNARY(name, text, kind, i, f)                                        \
    UNARY_LOOP(FN(u_##name), R_OF(kind), i, #i, MEND_NONE, 0)
#  ifdef IS_BOOL
#    define ALL_BITS 1
#    define BINARY(name, text, kind, b, i, f)                                  \
      BINARY_LOOP(FN(b_##name), R_OF(kind), b, #b, MEND_NONE, 0)
#  else
#    define ALL_BITS (T) - 1
#    define BINARY(name, text, kind, b, i, f)                                  \
      BINARY_LOOP(FN(b_##name), R_OF(kind), i, #i, MEND_NONE, 0)
#  endif
#endif

#include "kernels/unary.def"
#undef UNARY
#include "kernels/binary.def"
#undef BINARY

static const kernel_unary_loop FN(unary)[KERNEL_UNARY_COUNT] = {
#define UNARY(name, text, kind, i, f) FN(u_##name),
#include "kernels/unary.def"
#undef UNARY
};

static const kernel_binary_loop FN(binary)[KERNEL_BINARY_COUNT] = {
#define BINARY(name, text, kind, b, i, f) FN(b_##name),
#include "kernels/binary.def"
#undef BINARY
};

#ifdef IS_FLOAT
#  undef floor_divf
#  undef floor_div
#  undef modf
#  undef mod
#endif
#undef INT
#undef FN
#undef IN_RANGE
#undef ALL_BITS
#undef T
#undef U
#undef SUFFIX
#undef HAS_SIGN
#undef F
#undef IS_BOOL
#undef IS_INTEGER
#undef IS_FLOAT
