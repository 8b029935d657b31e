// SPDX-License-Identifier: Apache-2.0
// DWARF 2 to 4 as NVRTC writes it: from bytes to entries. The numbers are those
// of the DWARF 4 standard, section 7.5. Every read is checked against its
// section's end.
#include "gpu/ptx/ptx_dwarf_entry.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/ptx/ptx_token.h"

enum {
  MAX_UNITS = 64,
  MAX_ENTRIES = 1 << 18,
  MAX_NESTING = 64,
  MAX_ABBREVS = 1 << 11, // of a unit
  MAX_ATTRIBUTES = 64,
  MAX_NAME = 4096,
};

// ---- Reading ----

struct dwarf_cursor dwarf_cursor_at(struct dwarf_bytes b, uint64_t offset) {
  if (offset > b.count || !b.bytes)
    return (struct dwarf_cursor){NULL, NULL, true};
  return (struct dwarf_cursor){b.bytes + offset, b.bytes + b.count, false};
}

uint64_t dwarf_read_int(struct dwarf_cursor *c, unsigned width) {
  uint64_t value = 0;
  if ((size_t)(c->end - c->at) < width) {
    c->is_bad = true;
    c->at = c->end;
    return 0;
  }
  for (unsigned i = 0; i < width; i++)
    value |= (uint64_t)c->at[i] << 8 * i;
  c->at += width;
  return value;
}

uint64_t dwarf_read_uleb(struct dwarf_cursor *c) {
  uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    uint64_t byte = dwarf_read_int(c, 1);
    if (shift < 64)
      value |= (byte & 0x7F) << shift;
    if (!(byte & 0x80))
      return value;
  }
}

int64_t dwarf_read_sleb(struct dwarf_cursor *c) {
  uint64_t value = 0, byte;
  unsigned shift = 0;
  do {
    byte = dwarf_read_int(c, 1);
    if (shift < 64)
      value |= (byte & 0x7F) << shift;
    shift += 7;
  } while (byte & 0x80);
  if (byte & 0x40 && shift < 64)
    value |= ~UINT64_C(0) << shift;
  return (int64_t)value;
}

static const char *read_string(struct dwarf_cursor *c) {
  size_t room = (size_t)(c->end - c->at);
  const uint8_t *zero =
      room ? memchr(c->at, 0, room < MAX_NAME ? room : MAX_NAME) : NULL;
  const char *s = (const char *)c->at;
  if (!zero) {
    c->is_bad = true;
    c->at = c->end;
    return "";
  }
  c->at = zero + 1;
  return s;
}

void dwarf_skip(struct dwarf_cursor *c, uint64_t bytes) {
  if ((uint64_t)(c->end - c->at) < bytes) {
    c->is_bad = true;
    c->at = c->end;
  } else {
    c->at += bytes;
  }
}

// ---- Abbreviations ----

struct abbrev {
  uint64_t code;
  uint32_t tag;
  bool has_children;
  int attribute_count;
  struct attribute {
    uint32_t name, form;
  } attributes[MAX_ATTRIBUTES];
};

static bool read_abbrev(struct dwarf_cursor *c, struct abbrev *a) {
  a->code = dwarf_read_uleb(c);
  if (!a->code || c->is_bad)
    return false;
  a->tag = (uint32_t)dwarf_read_uleb(c);
  a->has_children = dwarf_read_int(c, 1);
  for (a->attribute_count = 0; !c->is_bad;) {
    uint32_t name = (uint32_t)dwarf_read_uleb(c),
             form = (uint32_t)dwarf_read_uleb(c);
    if (!name && !form)
      return true;
    if (a->attribute_count == MAX_ATTRIBUTES)
      return false;
    a->attributes[a->attribute_count++] = (struct attribute){name, form};
  }
  return false;
}

static void read_abbrevs(const struct dwarf *d, uint64_t at, struct list *out) {
  struct dwarf_cursor c = dwarf_cursor_at(d->abbrev, at);
  struct abbrev a;
  while (!c.is_bad && out->count < MAX_ABBREVS && read_abbrev(&c, &a))
    *(struct abbrev *)list_add(out, sizeof a) = a;
}

static const struct abbrev *find_abbrev(const struct list *l, uint64_t code) {
  const struct abbrev *a = l->items;
  if (code - 1 < (uint64_t)l->count && a[code - 1].code == code)
    return &a[code - 1];
  for (int i = 0; i < l->count; i++)
    if (a[i].code == code)
      return &a[i];
  return NULL;
}

// ---- Entries ----

// What an attribute's form held.
struct value {
  uint64_t bits;
  const char *text;
  struct dwarf_cursor block;
  bool is_block;
};

struct unit {
  const struct dwarf *d;
  uint64_t start; // offset of its header
  unsigned version, address_bytes;
  struct list abbrevs;
};

static bool read_form(const struct unit *u, struct dwarf_cursor *c,
                      uint32_t form, struct value *v) {
  uint64_t n;
  memset(v, 0, sizeof *v);
  switch (form) {
  case 0x01: v->bits = dwarf_read_int(c, u->address_bytes); return true; // addr
  case 0x03: n = dwarf_read_int(c, 2); break; // block2
  case 0x04: n = dwarf_read_int(c, 4); break; // block4
  case 0x09:
  case 0x18: n = dwarf_read_uleb(c); break;   // block, exprloc
  case 0x0a: n = dwarf_read_int(c, 1); break; // block1
  case 0x05:
  case 0x12: v->bits = dwarf_read_int(c, 2); return true; // data2, ref2
  case 0x06:
  case 0x10:
  case 0x17:
  case 0x13:
    v->bits = dwarf_read_int(c, 4);
    return true; // data4, ref_addr, ref4
  case 0x07:
  case 0x14: v->bits = dwarf_read_int(c, 8); return true; // data8, ref8
  case 0x0b:
  case 0x0c:
  case 0x11: v->bits = dwarf_read_int(c, 1); return true; // data1, flag, ref1
  case 0x0d: v->bits = (uint64_t)dwarf_read_sleb(c); return true;
  case 0x0f:
  case 0x15: v->bits = dwarf_read_uleb(c); return true; // udata, ref_udata
  case 0x08: v->text = read_string(c); return true;
  case 0x0e: { // strp
    struct dwarf_cursor s = dwarf_cursor_at(u->d->str, dwarf_read_int(c, 4));
    v->text = s.is_bad ? "" : read_string(&s);
    return true;
  }
  case 0x19: v->bits = 1; return true; // flag_present
  default: return false;
  }
  v->is_block = true;
  v->block = *c;
  dwarf_skip(c, n);
  v->block.end = c->at;
  return true;
}

static bool is_relative(uint32_t form) {
  return form >= 0x11 && form <= 0x15;
}

// DW_OP_plus_uconst n, or n alone
static uint64_t member_offset(struct value *v) {
  if (!v->is_block)
    return v->bits;
  return dwarf_read_int(&v->block, 1) == 0x23 ? dwarf_read_uleb(&v->block) : 0;
}

static void set_attribute(const struct unit *u, struct dwarf_entry *e,
                          struct attribute a, struct value *v) {
  uint64_t ref = is_relative(a.form) ? u->start + v->bits : v->bits;
  switch (a.name) {
  case 0x02:
    if (v->is_block) {
      e->location = v->block;
    } else {
      e->has_loclist = true;
      e->loclist = v->bits;
    }
    break;
  case 0x03: e->name = v->text ? v->text : ""; break;
  case 0x0b: e->bytes = v->bits; break;
  case 0x0c:
    e->bit_offset = (uint32_t)v->bits;
    e->has_bit_offset = true;
    break;
  case 0x0d: e->bit_size = (uint32_t)v->bits; break;
  case 0x11:
    e->low = v->bits;
    e->has_low = true;
    break;
  case 0x12:
    e->high = v->bits;
    e->is_high_size = a.form != 0x01;
    break;
  case 0x1c: e->value = (int64_t)v->bits; break;
  case 0x2f: e->count = v->bits + 1; break; // the last index
  case 0x31:
  case 0x47: e->origin = ref; break;
  case 0x37: e->count = v->bits; break;
  case 0x38: e->member = member_offset(v); break;
  case 0x3b: e->line = (uint32_t)v->bits; break;
  case 0x3c: e->is_declaration = v->bits; break;
  case 0x3e: e->encoding = (uint32_t)v->bits; break;
  case 0x49: e->type = ref; break;
  case 0x58: e->call_file = (uint32_t)v->bits; break;
  case 0x59: e->call_line = (uint32_t)v->bits; break;
  case 0x6b:
    e->bit_offset = (uint32_t)v->bits;
    e->has_bit_offset = e->is_data_bit = true;
    break;
  default: break;
  }
}

// code attributes... ; a code of 0 ends the children of an entry
static bool read_entry(const struct unit *u, struct dwarf_cursor *c,
                       struct list *entries, int *parent) {
  uint64_t at = (uint64_t)(c->at - u->d->info.bytes);
  uint64_t code = dwarf_read_uleb(c);
  if (!code) {
    if (*parent >= 0)
      *parent = ((struct dwarf_entry *)entries->items)[*parent].parent;
    return !c->is_bad;
  }
  const struct abbrev *a = find_abbrev(&u->abbrevs, code);
  if (!a || entries->count == MAX_ENTRIES)
    return false;
  struct dwarf_entry e = {
      .at = at, .tag = a->tag, .parent = *parent, .name = ""};
  for (int i = 0; i < a->attribute_count; i++) {
    struct value v;
    if (!read_form(u, c, a->attributes[i].form, &v) || c->is_bad)
      return false;
    set_attribute(u, &e, a->attributes[i], &v);
  }
  if (*parent >= 0)
    e.nesting = ((struct dwarf_entry *)entries->items)[*parent].nesting + 1;
  *(struct dwarf_entry *)list_add(entries, sizeof e) = e;
  if (a->has_children)
    *parent = entries->count - 1;
  return e.nesting < MAX_NESTING;
}

// length, version, abbreviations, size of an address, entries
static bool read_unit(const struct dwarf *d, struct dwarf_cursor *c,
                      struct list *entries) {
  struct unit u = {.d = d, .start = (uint64_t)(c->at - d->info.bytes)};
  uint64_t length = dwarf_read_int(c, 4);
  struct dwarf_cursor body = *c;
  dwarf_skip(c, length);
  body.end = c->at;
  u.version = (unsigned)dwarf_read_int(&body, 2);
  uint64_t abbrevs = dwarf_read_int(&body, 4);
  u.address_bytes = (unsigned)dwarf_read_int(&body, 1);
  if (body.is_bad || u.version < 2 || u.version > 4 || u.address_bytes > 8)
    return !c->is_bad && length;
  read_abbrevs(d, abbrevs, &u.abbrevs);
  int parent = -1;
  while (body.at < body.end && read_entry(&u, &body, entries, &parent))
    ;
  free(u.abbrevs.items);
  return !c->is_bad;
}

struct list dwarf_read_entries(const struct dwarf *d) {
  struct list entries = {0};
  struct dwarf_cursor c = dwarf_cursor_at(d->info, 0);
  for (int units = 0; units < MAX_UNITS && !c.is_bad && c.at < c.end; units++)
    if (!read_unit(d, &c, &entries))
      break;
  return entries;
}
