// SPDX-License-Identifier: Apache-2.0
// The words of PTX: types, spaces, instructions and their modifiers.
#ifndef GPU_PTX_PTX_WORDS_H
#define GPU_PTX_PTX_WORDS_H

// Fundamental types (PTX ISA, "Fundamental Types").
enum ptx_type {
  PTX_NOTYPE,
  PTX_PRED,
  PTX_B8,
  PTX_B16,
  PTX_B32,
  PTX_B64,
  PTX_B128,
  PTX_U8,
  PTX_U16,
  PTX_U32,
  PTX_U64,
  PTX_S8,
  PTX_S16,
  PTX_S32,
  PTX_S64,
  PTX_F16,
  PTX_F16X2,
  PTX_BF16,
  PTX_BF16X2,
  PTX_F32,
  PTX_F64,
  PTX_TF32,
  PTX_U16X2,
  PTX_S16X2,
  PTX_E4M3X2,
  PTX_E5M2X2,
  PTX_U4, // of cvt.pack only
  PTX_S4,
  PTX_U2,
  PTX_S2,
  PTX_TYPE_COUNT
};

enum ptx_space { // state spaces
  PTX_GENERIC,
  PTX_REG,
  PTX_PARAM,
  PTX_GLOBAL,
  PTX_SHARED,
  PTX_LOCAL,
  PTX_CONST,
};

enum ptx_op {
#define OP(name, ...) PTX_OP_##name,
#include "gpu/ptx/ptx_ops.def"
#undef OP
  PTX_OP_COUNT
};

// Special registers; vector ones take their component as %tid.x ...
enum ptx_sreg {
#define SREG(name, text, type) PTX_SREG_##name,
#include "gpu/ptx/ptx_sregs.def"
#undef SREG
  PTX_SREG_COUNT
};

enum ptx_cmp { // setp and set
  PTX_EQ,
  PTX_NE,
  PTX_LT,
  PTX_LE,
  PTX_GT,
  PTX_GE,
  PTX_LO,
  PTX_LS,
  PTX_HI,
  PTX_HS,
  PTX_EQU,
  PTX_NEU,
  PTX_LTU,
  PTX_LEU,
  PTX_GTU,
  PTX_GEU,
  PTX_NUM,
  PTX_NAN,
};
enum ptx_bool { PTX_BOOL_NONE, PTX_BOOL_AND, PTX_BOOL_OR, PTX_BOOL_XOR };
enum ptx_round { // rounding modifiers
  PTX_ROUND_NONE,
  PTX_RN,
  PTX_RZ,
  PTX_RM,
  PTX_RP,
  PTX_RNA,
  PTX_RNI,
  PTX_RZI,
  PTX_RMI,
  PTX_RPI,
};
enum ptx_mul_part { PTX_PART_NONE, PTX_LO_PART, PTX_HI_PART, PTX_WIDE };
enum ptx_atom { // atom, red and redux operations
  PTX_ATOM_NONE,
  PTX_ATOM_ADD,
  PTX_ATOM_MIN,
  PTX_ATOM_MAX,
  PTX_ATOM_AND,
  PTX_ATOM_OR,
  PTX_ATOM_XOR,
  PTX_ATOM_INC,
  PTX_ATOM_DEC,
  PTX_ATOM_EXCH,
  PTX_ATOM_CAS,
};
enum ptx_shfl { PTX_SHFL_UP, PTX_SHFL_DOWN, PTX_SHFL_BFLY, PTX_SHFL_IDX };
enum ptx_vote { PTX_VOTE_ALL, PTX_VOTE_ANY, PTX_VOTE_UNI, PTX_VOTE_BALLOT };
enum ptx_bar {
  PTX_BAR_SYNC,
  PTX_BAR_ARRIVE,
  PTX_BAR_RED_POPC,
  PTX_BAR_RED_AND,
  PTX_BAR_RED_OR,
  PTX_BAR_WARP
};
enum ptx_match { PTX_MATCH_ANY, PTX_MATCH_ALL };
enum ptx_shf { PTX_SHF_L, PTX_SHF_R };
enum ptx_prmt {
  PTX_PRMT_INDEX,
  PTX_PRMT_F4E,
  PTX_PRMT_B4E,
  PTX_PRMT_RC8,
  PTX_PRMT_ECL,
  PTX_PRMT_ECR,
  PTX_PRMT_RC16
};
enum ptx_testp {
  PTX_TESTP_FINITE,
  PTX_TESTP_INFINITE,
  PTX_TESTP_NUMBER,
  PTX_TESTP_NOTANUMBER,
  PTX_TESTP_NORMAL,
  PTX_TESTP_SUBNORMAL
};
enum ptx_sem {
  PTX_SEM_NONE,
  PTX_WEAK,
  PTX_VOLATILE,
  PTX_RELAXED,
  PTX_ACQUIRE,
  PTX_RELEASE,
  PTX_ACQ_REL,
  PTX_SC
};
// Textures and surfaces.
enum ptx_geometry {
  PTX_NO_GEOMETRY,
  PTX_1D,
  PTX_2D,
  PTX_3D,
  PTX_A1D, // layered: the layer is the first coordinate
  PTX_A2D,
  PTX_CUBE,
  PTX_ACUBE,
};
enum ptx_mip { PTX_MIP_BASE, PTX_MIP_LEVEL, PTX_MIP_GRAD };
enum ptx_bound { PTX_BOUND_TRAP, PTX_BOUND_CLAMP, PTX_BOUND_ZERO };
enum ptx_query { // txq and suq
  PTX_QUERY_WIDTH,
  PTX_QUERY_HEIGHT,
  PTX_QUERY_DEPTH,
  PTX_QUERY_CHANNEL_TYPE,
  PTX_QUERY_CHANNEL_ORDER,
  PTX_QUERY_NORMALIZED,
  PTX_QUERY_FORCE_UNNORMALIZED,
  PTX_QUERY_FILTER,
  PTX_QUERY_ADDRESS_0,
  PTX_QUERY_ADDRESS_1,
  PTX_QUERY_ADDRESS_2,
  PTX_QUERY_LAYERS,
  PTX_QUERY_LEVELS,
  PTX_QUERY_SAMPLES,
  PTX_QUERY_LAYOUT,
};
// The operands of tex, tld4, txq, suld, sust, sured and suq stand at these
// places whatever the text's order is; one that is not there is PTX_NONE.
enum ptx_texture_operand {
  PTX_TEX_DATA,
  PTX_TEX_HANDLE,
  PTX_TEX_SAMPLER,
  PTX_TEX_COORDS, // a register or a vector
  PTX_TEX_LOD,    // or dPdx
  PTX_TEX_DPDY,
  PTX_TEX_OFFSET,
  PTX_TEX_OPERANDS
};
enum ptx_scope { PTX_SCOPE_NONE, PTX_CTA, PTX_CLUSTER, PTX_GPU, PTX_SYS };

#endif
