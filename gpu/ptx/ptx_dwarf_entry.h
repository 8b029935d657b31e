// SPDX-License-Identifier: Apache-2.0
// The entries of .debug_info, as they are encoded: what stands in them is
// ptx_dwarf.c's.
#ifndef GPU_PTX_PTX_DWARF_ENTRY_H
#define GPU_PTX_PTX_DWARF_ENTRY_H

#include "gpu/ptx/ptx_dwarf.h"

// ---- Reading: past the end comes 0, and the cursor is bad ----

struct dwarf_cursor {
  const uint8_t *at, *end;
  bool is_bad;
};

struct dwarf_cursor dwarf_cursor_at(struct dwarf_bytes b, uint64_t offset);
uint64_t dwarf_read_int(struct dwarf_cursor *c,
                        unsigned width); // little-endian
uint64_t dwarf_read_uleb(struct dwarf_cursor *c);
int64_t dwarf_read_sleb(struct dwarf_cursor *c);
void dwarf_skip(struct dwarf_cursor *c, uint64_t bytes);

// ---- Entries ----

enum dwarf_tag {
  DWARF_TAG_ARRAY = 0x01,
  DWARF_TAG_CLASS = 0x02,
  DWARF_TAG_ENUM = 0x04,
  DWARF_TAG_PARAMETER = 0x05,
  DWARF_TAG_BLOCK = 0x0b,
  DWARF_TAG_MEMBER = 0x0d,
  DWARF_TAG_POINTER = 0x0f,
  DWARF_TAG_REFERENCE = 0x10,
  DWARF_TAG_STRUCT = 0x13,
  DWARF_TAG_TYPEDEF = 0x16,
  DWARF_TAG_UNION = 0x17,
  DWARF_TAG_INHERITANCE = 0x1c,
  DWARF_TAG_INLINED = 0x1d,
  DWARF_TAG_SUBRANGE = 0x21,
  DWARF_TAG_BASE = 0x24,
  DWARF_TAG_CONST = 0x26,
  DWARF_TAG_ENUMERATOR = 0x28,
  DWARF_TAG_SUBPROGRAM = 0x2e,
  DWARF_TAG_VARIABLE = 0x34,
  DWARF_TAG_VOLATILE = 0x35,
  DWARF_TAG_RESTRICT = 0x37,
  DWARF_TAG_UNSPECIFIED = 0x3b,
  DWARF_TAG_RVALUE_REFERENCE = 0x42,
};

struct dwarf_entry {
  uint64_t at; // offset in .debug_info
  uint32_t tag;
  int parent; // index, -1 none
  int nesting;
  const char *name;
  uint64_t type, origin; // offsets, 0: none
  uint64_t bytes, low, high;
  uint64_t count; // of a subrange
  uint64_t loclist;
  struct dwarf_cursor location;
  int64_t value;   // const_value
  uint64_t member; // data_member_location
  uint32_t line, encoding, bit_size, bit_offset, call_file, call_line;
  bool has_low, has_loclist, has_bit_offset, is_high_size, is_declaration;
  bool is_data_bit;
  struct ptx_dtype *made; // of a type
};

// All units' entries, by offset; the caller frees the items. Damaged data gives
// those before it.
struct list dwarf_read_entries(const struct dwarf *d);

#endif
