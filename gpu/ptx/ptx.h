// SPDX-License-Identifier: Apache-2.0
// PTX as a checked, typed program: what the parser makes and the engine runs;
// ptx_words.h has its words and ptx_debug.h the source's variables; both come with
// this header.
// Knows no engine. Grammar and semantics: PTX ISA 9.0.
//
// A module and everything in it live in one region and are freed whole.
#ifndef GPU_PTX_PTX_H
#define GPU_PTX_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "gpu/ptx/ptx_debug.h"
#include "gpu/ptx/ptx_words.h"

enum ptx_operand_kind {
  PTX_NONE,
  PTX_REGISTER,  // reg
  PTX_IMMEDIATE, // bits (already of the instruction's type)
  PTX_SPECIAL,   // sreg, dim
  PTX_ADDRESS,   // [reg + offset], [symbol + offset], [immediate]
  PTX_SYMBOL,    // a variable's address or a function, by name
  PTX_VECTOR,    // {a, b, c, d}: regs[] (-1 for the sink "_")
  PTX_LABEL,     // target instruction index
  PTX_SINK,      // "_"
};

enum { PTX_WHOLE = 4 }; // all parts of a special register, of a vector mov

struct ptx_operand {
  uint8_t kind;   // enum ptx_operand_kind
  uint8_t dim;    // 0..2 for %tid.x ..., PTX_WHOLE; lanes in a vector
  bool negate;    // !p for predicates
  int32_t reg;    // register index in the function, -1 for none
  int32_t pair;   // second destination of setp "p|q" and shfl "d|p"; else -1
  uint64_t bits;  // immediate
  int64_t offset; // of an address
  struct ptx_var *var;   // of a symbol or an address by name
  struct ptx_func *func; // of a function symbol
  int32_t *regs;         // of a vector
  uint64_t *reg_bits;    // immediates inside a vector, where regs[i] == -2
  int32_t target;        // of a label: index into the function's code
};

struct ptx_insn {
  uint16_t op;      // enum ptx_op
  uint8_t type;     // enum ptx_type: the last type suffix
  uint8_t type2;    // source type of cvt, set, slct, mad wide ...; or 0
  uint8_t type3;    // of the second source of video instructions; or 0
  uint8_t space;    // enum ptx_space of ld, st, atom, red, cvta ...
  uint8_t round;    // enum ptx_round
  uint8_t cmp;      // enum ptx_cmp
  uint8_t boolop;   // enum ptx_bool of setp/set
  uint8_t part;     // enum ptx_mul_part
  uint8_t sub;      // ptx_atom, ptx_shfl, ptx_vote, ptx_bar, ptx_match,
                    // ptx_shf, ptx_prmt, ptx_testp, ptx_query: by the op;
                    // of tld4 the component
  uint8_t sem;      // enum ptx_sem
  uint8_t scope;    // enum ptx_scope
  uint8_t vec;      // 1, 2, 4 (8 from ISA 8.8 on)
  uint8_t geometry; // enum ptx_geometry
  uint8_t mip;      // enum ptx_mip
  uint8_t bound;    // enum ptx_bound
  bool ftz, sat, approx, full, to, uni, nc, cc, clamp;
  bool nan;                        // min.NaN, max.NaN
  bool abs;                        // min.xorsign.abs
  bool relu;                       // fma.relu, cvt.relu
  bool satfinite;                  // cvt.satfinite
  bool oob;                        // fma.oob
  bool pack;                       // cvt.pack
  bool hint;                       // the last operand is a cache policy
  bool shiftamt;                   // bfind.shiftamt
  bool is_formatted;               // sust.p, sured.p: x counts elements
  uint32_t mods;                   // PTX_MOD_... of cp, mbarrier and their kin
  const struct ptx_matrix *matrix; // of a matrix instruction (below)
  bool is_entry_param;             // ld.param of the kernel's own parameters
  int32_t guard;                   // predicate register, -1 for none
  bool guard_negate;
  uint8_t operand_count;
  struct ptx_operand *operands; // destinations first, as in the text
  const int32_t *targets; // brx.idx only: indices into the function's code
  int32_t target_count;
  // Calls only: the callee's arguments are param-space variables.
  struct ptx_func *callee; // direct call, else NULL
  struct ptx_var **call_args;
  struct ptx_var *call_result; // or NULL
  uint8_t call_arg_count;
  // Place in the learner's source (innermost line of the learner's own file,
  // following inlined_at), and in the PTX text.
  int32_t line, column;
  int16_t file; // index into ptx_module.files, -1 for none
  int32_t ptx_line;
  int32_t reconverge; // of a branch: index where its ways meet again, or
                      // code_count for the exit: the immediate post-dominator
                      // for those threads that do not leave on the way
};

// A variable of any state space: parameters, globals, shared, local depot.
struct ptx_var {
  const char *name;
  enum ptx_space space;
  enum ptx_type type; // element type
  uint32_t align;
  uint64_t bytes;  // 0 for an extern array (dynamic shared memory)
  uint64_t offset; // place in its function's param block / local frame /
                   // static shared block; set by the parser
  bool is_extern, is_array;
  bool is_register;             // a parameter or result that .reg declares
  uint8_t lanes;                // of an element: 1, 2 or 4
  const uint8_t *init;          // initial bytes, or NULL for zeros
  const struct ptx_func *owner; // of a parameter: whose it is; else NULL
  uint32_t reloc_count;         // addresses inside the initialiser
  struct ptx_reloc {
    uint64_t at;
    struct ptx_var *var;
    struct ptx_func *func;
    int64_t addend;
    bool is_generic;
  } * relocs;
};

struct ptx_func {
  const char *name; // mangled
  bool is_entry, is_extern;
  struct ptx_var **params;
  int param_count;
  uint32_t param_bytes;
  struct ptx_var *result;   // of a .func, or NULL: all its results
  struct ptx_var **results; // one by one, with offsets in `result`
  int result_count;
  int reg_count;
  uint8_t *reg_types; // enum ptx_type of each register
  const char **reg_names;
  struct ptx_insn *code;
  int code_count;
  struct ptx_var **locals; // .local and function-scope .shared and .param
  int local_count;
  uint32_t local_bytes;  // size of its local frame
  uint32_t shared_bytes; // static shared memory, module-wide layout
  uint32_t max_ntid[3];  // .maxntid / .reqntid, 0 for none
  struct ptx_module *module;
};

struct ptx_module {
  int version_major, version_minor;
  int target; // 80 for sm_80
  int address_size;
  struct ptx_func **funcs;
  int func_count;
  struct ptx_var **vars; // module scope
  int var_count;
  const char **files; // source files by .file
  int file_count;
  struct ptx_debug *debug; // of code built with -G (ptx_debug.h), or NULL
  struct region *region;
};

// Parses and checks a whole module. ERR_UNSUPPORTED names an instruction or
// directive that is not known yet, ERR_COMPILE a malformed text, each with the
// learner's source line where there is one and the PTX line. The text may be
// anything: no input crashes, hangs or overflows.
enum err ptx_parse(const char *text, size_t bytes, struct ptx_module **out,
                   struct err_info *e);
void ptx_free(struct ptx_module *m);

// Is the file the learner's, and not one of the toolkit's headers?
bool ptx_is_own_file(const char *name);
int ptx_type_bytes(enum ptx_type t);
// Textures and surfaces: tex, suld and their kin.
bool ptx_op_is_texture(enum ptx_op op);
// Is the first operand what the instruction writes, and a second of setp "p|q"
// and its kin, too? All others are read.
bool ptx_has_destination(const struct ptx_insn *i);
const char *ptx_op_name(enum ptx_op op);
const char *ptx_type_name(enum ptx_type t);

// ---- Matrix and asynchronous instructions (ptx_matrix.c) ----

enum ptx_element {
#define ELEMENT(name, text, bits) PTX_EL_##name,
#include "gpu/ptx/ptx_elements.def"
#undef ELEMENT
};

enum ptx_matrix_step { PTX_MATRIX_MMA, PTX_MATRIX_LOAD, PTX_MATRIX_STORE };
enum ptx_fragment { PTX_FRAGMENT_A, PTX_FRAGMENT_B, PTX_FRAGMENT_C };
enum ptx_bit_op { PTX_BITS_NONE, PTX_BITS_AND, PTX_BITS_XOR };

// wmma, mma, ldmatrix, stmatrix, movmatrix. D is M x N, A is M x K, B is K x N.
struct ptx_matrix {
  uint16_t m, n, k;
  uint8_t step;     // enum ptx_matrix_step of wmma
  uint8_t fragment; // that wmma loads
  uint8_t types[4]; // enum ptx_element as written: d, a, b, c, or fewer
  uint8_t type_count;
  uint8_t layout_count;
  bool is_col[2]; // layouts as written
  uint8_t count;  // .x1, .x2, .x4
  uint8_t trans, satfinite;
  uint8_t bit_op; // of .b1
  uint8_t ignored;
};

enum {
#define MOD(name, text) PTX_MOD_BIT_##name,
#include "gpu/ptx/ptx_mods.def"
#undef MOD
  PTX_MOD_BIT_TO_SHARED,
  PTX_MOD_BIT_TO_GLOBAL,
  PTX_MOD_BIT_FROM_SHARED,
};
enum {
#define MOD(name, text) PTX_MOD_##name = 1 << PTX_MOD_BIT_##name,
#include "gpu/ptx/ptx_mods.def"
#undef MOD
  PTX_MOD_TO_SHARED = 1 << PTX_MOD_BIT_TO_SHARED,
  PTX_MOD_TO_GLOBAL = 1 << PTX_MOD_BIT_TO_GLOBAL,
  PTX_MOD_FROM_SHARED = 1 << PTX_MOD_BIT_FROM_SHARED,
};

int ptx_element_bits(enum ptx_element t);
bool ptx_element_is_float(enum ptx_element t);

#endif
