// SPDX-License-Identifier: Apache-2.0
// What ptx_section.c and ptx_dwarf.c share with the parser.
#ifndef GPU_PTX_PTX_DWARF_H
#define GPU_PTX_PTX_DWARF_H

#include "gpu/ptx/ptx_debug.h"
#include "gpu/ptx/ptx_parser.h"

struct section {
  struct section *next;
  const char *name;
  uint8_t *bytes; // freed by free_sections
  size_t count, capacity;
  struct section_name { // a word whose value is that of a name
    struct section_name *next;
    size_t at;
    unsigned width;
    const char *name, *minus; // minus: NULL or a name to subtract
    int64_t addend;
  } * names;
};

struct section_label {
  const struct section *section;
  size_t at;
};

struct code_label {
  const struct ptx_func *func;
  int target;
};

// How names appear in the sections' bytes.
#define DWARF_CODE     (UINT64_C(1) << 62) // | function << 32 | instruction
#define DWARF_VARIABLE (UINT64_C(1) << 61) // | number in dwarf.vars

struct dwarf_bytes {
  const uint8_t *bytes;
  size_t count;
};

struct dwarf {
  const struct ptx_module *module;
  struct region *region;
  struct ptx_var *const *vars;
  size_t var_count;
  struct dwarf_bytes info, abbrev, str, loc;
  struct list *inlined; // of struct inlined, outer ones first
};

// NULL when there is nothing that can be read. Damaged data gives less, never
// an error: the code runs without.
struct ptx_debug *dwarf_read(const struct dwarf *d);

#endif
