// SPDX-License-Identifier: Apache-2.0
// Which forms of an instruction are legal: matches suffixes with the rows of
// ptx_forms.def.
#include "gpu/ptx/ptx_form.h"

#include <string.h>

#include "gpu/ptx/ptx_table.h"

const struct ptx_form ptx_forms[] = {
#define FORM(op, pattern, isa, sm) {PTX_OP_##op, pattern, isa, sm},
#include "gpu/ptx/ptx_forms.def"
#undef FORM
};
const int ptx_form_count = (int)(sizeof ptx_forms / sizeof *ptx_forms);

static const char *end_of(const char *text, char kind) {
  char close = kind == '{' ? '}' : kind == '(' ? ')' : ']';
  if (kind != '.')
    return strchr(text, close);
  return text + strcspn(text, ".{([");
}

bool ptx_form_next(const char **at, struct ptx_form_group *out) {
  if (!**at)
    return false;
  out->kind = **at;
  out->text = *at + 1;
  const char *end = end_of(out->text, out->kind);
  out->bytes = (size_t)(end - out->text);
  *at = end + (out->kind != '.');
  return true;
}

size_t ptx_form_choice(const struct ptx_form_group *g, int n,
                       const char **text) {
  const char *at = g->text, *end = g->text + g->bytes;
  for (; at < end; n--) {
    const char *comma = memchr(at, ',', (size_t)(end - at));
    size_t bytes = (size_t)((comma ? comma : end) - at);
    if (n == 0) {
      *text = at;
      return bytes;
    }
    at += bytes + 1;
  }
  return 0;
}

// 1 + the alternative that the word is, or 0.
static int choice_of(const struct ptx_form_group *g, const char *word,
                     size_t bytes) {
  const char *text;
  size_t n;
  for (int k = 0; (n = ptx_form_choice(g, k, &text)) != 0; k++)
    if (n == bytes && !memcmp(text, word, n))
      return k + 1;
  return 0;
}

// Puts the word into the first group that has it and is still free; a type
// stands behind those before it (`*least` is the first group left for types).
static bool take(const char *pattern, const char *word, size_t bytes,
                 int *least, uint8_t picks[PTX_FORM_GROUPS]) {
  enum ptx_type type;
  bool is_type = parse_type(word, bytes, &type);
  struct ptx_form_group g;
  for (int n = 0; n < PTX_FORM_GROUPS && ptx_form_next(&pattern, &g); n++) {
    bool is_open = !picks[n] && (!is_type || n >= *least);
    int choice = is_open ? choice_of(&g, word, bytes) : 0;
    if (choice) {
      *least = is_type ? n + 1 : *least;
      picks[n] = (uint8_t)choice;
      return true;
    }
  }
  return false;
}

// Do the dotted suffixes (".rn.f32", may be empty) have this form? `picks` has
// for each group 1 + the alternative chosen, or 0.
static bool is_match(const struct ptx_form *f, const char *suffixes,
                     size_t bytes, uint8_t picks[PTX_FORM_GROUPS]) {
  const char *at = suffixes, *end = suffixes + bytes;
  int least = 0;
  memset(picks, 0, PTX_FORM_GROUPS);
  while (at < end) {
    const char *word = at + 1;
    const char *dot = memchr(word, '.', (size_t)(end - word));
    at = dot ? dot : end;
    if (!take(f->pattern, word, (size_t)(at - word), &least, picks))
      return false;
  }
  const char *pattern = f->pattern;
  struct ptx_form_group g;
  for (int n = 0; ptx_form_next(&pattern, &g); n++)
    if (!picks[n] && g.kind != '[')
      return false;
  return true;
}

int ptx_form_find(int op, const char *suffixes, size_t bytes,
                  uint8_t picks[PTX_FORM_GROUPS]) {
  int found = -2;
  for (int n = 0; n < ptx_form_count; n++) {
    if (ptx_forms[n].op != op)
      continue;
    if (is_match(&ptx_forms[n], suffixes, bytes, picks))
      return n;
    found = -1;
  }
  return found;
}
