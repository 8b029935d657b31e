// SPDX-License-Identifier: Apache-2.0
// Names and sizes of types and instructions.
#include "gpu/ptx/ptx_table.h"

#include <string.h>

static const struct {
  const char *name;
  uint8_t bytes;
} types[PTX_TYPE_COUNT] = {
    [PTX_NOTYPE] = {"", 0},       [PTX_PRED] = {"pred", 1},
    [PTX_B8] = {"b8", 1},         [PTX_B16] = {"b16", 2},
    [PTX_B32] = {"b32", 4},       [PTX_B64] = {"b64", 8},
    [PTX_B128] = {"b128", 16},    [PTX_U8] = {"u8", 1},
    [PTX_U16] = {"u16", 2},       [PTX_U32] = {"u32", 4},
    [PTX_U64] = {"u64", 8},       [PTX_S8] = {"s8", 1},
    [PTX_S16] = {"s16", 2},       [PTX_S32] = {"s32", 4},
    [PTX_S64] = {"s64", 8},       [PTX_F16] = {"f16", 2},
    [PTX_F16X2] = {"f16x2", 4},   [PTX_BF16] = {"bf16", 2},
    [PTX_BF16X2] = {"bf16x2", 4}, [PTX_F32] = {"f32", 4},
    [PTX_F64] = {"f64", 8},       [PTX_TF32] = {"tf32", 4},
    [PTX_U16X2] = {"u16x2", 4},   [PTX_S16X2] = {"s16x2", 4},
    [PTX_E4M3X2] = {"e4m3x2", 2}, [PTX_E5M2X2] = {"e5m2x2", 2},
    [PTX_U4] = {"u4", 1},         [PTX_S4] = {"s4", 1},
    [PTX_U2] = {"u2", 1},         [PTX_S2] = {"s2", 1},
};

static const char *const op_names[] = {
#define OP(name, text, ...) text,
#include "gpu/ptx/ptx_ops.def"
#undef OP
};

int ptx_type_bytes(enum ptx_type t) {
  return (unsigned)t < PTX_TYPE_COUNT ? types[t].bytes : 0;
}

const char *ptx_type_name(enum ptx_type t) {
  return (unsigned)t < PTX_TYPE_COUNT ? types[t].name : "?";
}

const char *ptx_op_name(enum ptx_op op) {
  return (unsigned)op < PTX_OP_COUNT ? op_names[op] : "?";
}

bool parse_type(const char *text, size_t bytes, enum ptx_type *out) {
  for (int t = PTX_PRED; t < PTX_TYPE_COUNT; t++)
    if (strlen(types[t].name) == bytes && !memcmp(types[t].name, text, bytes)) {
      *out = (enum ptx_type)t;
      return true;
    }
  return false;
}
