// SPDX-License-Identifier: Apache-2.0
// What code that was built with -G says of its source variables: names, types,
// and where their values are. Read from the DWARF sections that NVRTC puts
// into the PTX (ptx_section.c, ptx_dwarf.c); lives in the module's region.
#ifndef GPU_PTX_PTX_DEBUG_H
#define GPU_PTX_PTX_DEBUG_H

#include <stdbool.h>
#include <stdint.h>

struct ptx_func;
struct ptx_var;

enum ptx_dkind {
  PTX_D_VOID,
  PTX_D_INT, // signed or not, of 1 to 8 bytes
  PTX_D_UINT,
  PTX_D_CHAR, // signed
  PTX_D_UCHAR,
  PTX_D_BOOL,
  PTX_D_FLOAT,
  PTX_D_POINTER, // inner: the pointee
  PTX_D_REFERENCE,
  PTX_D_ARRAY, // inner: the element
  PTX_D_STRUCT,
  PTX_D_UNION,
  PTX_D_ENUM,
  PTX_D_ALIAS, // inner: the same with another name, const, volatile ...
};

struct ptx_dtype;

struct ptx_dfield {
  const char *name; // "" for an unnamed one, such as a base class
  const struct ptx_dtype *type;
  uint64_t offset;
  uint8_t bit_count; // 0: no bit-field
  uint16_t bit_at;   // from the lowest bit at `offset`
};

struct ptx_dtype {
  enum ptx_dkind kind;
  const char *name; // "" where it has none
  uint64_t bytes;   // as stated; 0 where it follows from what is inside
  const struct ptx_dtype *inner; // NULL: void
  uint64_t count;                // elements of an array, 0: not known
  int field_count;               // or values of an enum
  const struct ptx_dfield *fields;
  struct ptx_dvalue {
    const char *name;
    int64_t value;
  } * values;
};

enum ptx_dplace {
  PTX_AT_REGISTER, // reg
  PTX_AT_VARIABLE, // offset bytes into var: local, shared, global, parameter
  PTX_AT_POINTER,  // at the generic address reg + offset
};

// Where a variable is while `from` <= instruction < `to` of its function.
struct ptx_dlocation {
  int from, to;
  enum ptx_dplace kind;
  int reg;
  const struct ptx_var *var;
  int64_t offset;
};

struct ptx_dvar {
  const char *name;
  const struct ptx_dtype *type;
  bool is_param;
  bool is_inlined; // of a function that was inlined here
  int line;        // of its declaration, 0: unknown
  int from, to;    // its scope, in instructions of its function
  int depth;       // of its scope
  int location_count;
  struct ptx_dlocation *locations;
};

struct ptx_dfunc {
  const struct ptx_func *func;
  const char *name; // as in the source
  int body;         // instruction where its first scope begins
  int var_count;
  struct ptx_dvar *vars;
};

struct ptx_debug {
  int func_count;
  struct ptx_dfunc *funcs;
  int type_count; // with a name
  const struct ptx_dtype **types;
  int global_count; // variables outside functions
  struct ptx_dvar *globals;
};

// NULL where the function has no such information.
const struct ptx_dfunc *ptx_debug_func(const struct ptx_debug *d,
                                       const struct ptx_func *f);
// Without aliases; NULL for void.
const struct ptx_dtype *ptx_dtype_plain(const struct ptx_dtype *t);
// The bytes of a value, 0 where they are not known.
uint64_t ptx_dtype_bytes(const struct ptx_dtype *t);

#endif
