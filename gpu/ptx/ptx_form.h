// SPDX-License-Identifier: Apache-2.0
// Legal forms of instructions (ptx_forms.def): which modifiers and types may
// stand behind a mnemonic. The parser refuses all others by name; the table of
// tests counts the same rows.
#ifndef GPU_PTX_PTX_FORM_H
#define GPU_PTX_PTX_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PTX_FORM_GROUPS = 16 };

struct ptx_form {
  uint16_t op;         // enum ptx_op
  const char *pattern; // as ptx_forms.def says
  uint8_t isa, sm;     // the first that have it: 90 for ISA 9.0, sm_90
};

extern const struct ptx_form ptx_forms[];
extern const int ptx_form_count;

// One group of a pattern: alternatives of which an instruction has one.
struct ptx_form_group {
  char kind; // '.' fixed, '{' key, '(' one must, '[' one may
  const char *text;
  size_t bytes; // of the alternatives, with commas between
};

// The group at *at, which moves behind it; false at the pattern's end.
bool ptx_form_next(const char **at, struct ptx_form_group *out);
// The n-th alternative of a group, counted from 0; its length, 0 for none.
size_t ptx_form_choice(const struct ptx_form_group *g, int n,
                       const char **text);

// The form that the suffixes have, or -1; -2 when the mnemonic has no rows.
int ptx_form_find(int op, const char *suffixes, size_t bytes,
                  uint8_t picks[PTX_FORM_GROUPS]);

#endif
