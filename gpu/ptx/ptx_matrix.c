// SPDX-License-Identifier: Apache-2.0
// Matrix and asynchronous instructions: their modifiers and operands. They take
// more types than two, shapes and layouts, so they have a record of their own
// (struct ptx_matrix) beside struct ptx_insn's fields.
//
// PTX ISA: "Warp Level Matrix Multiply-Accumulate Instructions", "Asynchronous
// Copy", "mbarrier", "mapa".
#include "gpu/ptx/ptx_matrix.h"

#include <string.h>

#include "gpu/ptx/ptx.h"

static const struct {
  const char *text;
  uint8_t bits;
} elements[] = {
#define ELEMENT(name, text, bits) {text, bits},
#include "gpu/ptx/ptx_elements.def"
#undef ELEMENT
};

int ptx_element_bits(enum ptx_element t) {
  return elements[t].bits;
}

bool ptx_element_is_float(enum ptx_element t) {
  return t < PTX_EL_S32;
}

static bool is(const char *text, size_t bytes, const char *word) {
  return strlen(word) == bytes && !memcmp(text, word, bytes);
}

// "m16n8k16"
static bool parse_shape(struct ptx_matrix *x, const char *text, size_t bytes) {
  static const char letters[] = "mnk";
  uint16_t *to[] = {&x->m, &x->n, &x->k};
  const char *end = text + bytes;
  for (int i = 0; i < 3; i++) {
    if (text == end || *text++ != letters[i])
      return false;
    int n = 0;
    while (text < end && *text >= '0' && *text <= '9' && n < 1000)
      n = n * 10 + (*text++ - '0');
    *to[i] = (uint16_t)n;
    if (i == 1 && text == end)
      return true; // m8n8 of ldmatrix
  }
  return text == end;
}

static bool parse_element(struct ptx_matrix *x, const char *text,
                          size_t bytes) {
  for (size_t t = 0; t < sizeof elements / sizeof *elements; t++)
    if (is(text, bytes, elements[t].text)) {
      if (x->type_count == 4)
        return false;
      x->types[x->type_count++] = (uint8_t)t;
      return true;
    }
  return false;
}

bool parse_matrix_suffix(struct ptx_insn *i, struct ptx_matrix *x,
                         const char *text, size_t bytes) {
  static const struct {
    const char *text;
    size_t at;
    uint8_t value;
  } words[] = {
#define SET(word, field, value)                                                \
  {word, offsetof(struct ptx_matrix, field), value}
      SET("load", step, PTX_MATRIX_LOAD),
      SET("store", step, PTX_MATRIX_STORE),
      SET("mma", step, PTX_MATRIX_MMA),
      SET("a", fragment, PTX_FRAGMENT_A),
      SET("b", fragment, PTX_FRAGMENT_B),
      SET("c", fragment, PTX_FRAGMENT_C),
      SET("d", fragment, PTX_FRAGMENT_C),
      SET("x1", count, 1),
      SET("x2", count, 2),
      SET("x4", count, 4),
      SET("trans", trans, true),
      SET("satfinite", satfinite, true),
      SET("and", bit_op, PTX_BITS_AND),
      SET("xor", bit_op, PTX_BITS_XOR),
      SET("sync", ignored, 0),
      SET("aligned", ignored, 0),
      SET("popc", ignored, 0),
      SET("rn", ignored, 0), // of f64; the only mode that NVRTC writes
#undef SET
  };
  if (is(text, bytes, "row") || is(text, bytes, "col")) {
    if (x->layout_count == 2)
      return false;
    x->is_col[x->layout_count++] = text[0] == 'c';
    return true;
  }
  if (is(text, bytes, "global") || is(text, bytes, "shared") ||
      is(text, bytes, "shared::cta")) {
    i->space = text[0] == 'g' ? PTX_GLOBAL : PTX_SHARED;
    return true;
  }
  for (size_t n = 0; n < sizeof words / sizeof *words; n++)
    if (is(text, bytes, words[n].text)) {
      ((uint8_t *)x)[words[n].at] = words[n].value;
      return true;
    }
  return (text[0] == 'm' && parse_shape(x, text, bytes)) ||
         parse_element(x, text, bytes);
}

bool parse_async_suffix(struct ptx_insn *i, const char *text, size_t bytes) {
  static const struct {
    const char *text;
    uint32_t bit;
  } words[] = {
#define MOD(name, word) {word, PTX_MOD_##name},
#include "gpu/ptx/ptx_mods.def"
#undef MOD
  };
  static const char *const ignored[] = {
      "sync",    "aligned",       "cta",           "gpu",     "sys",
      "cluster", "acquire",       "release",       "relaxed", "ca",
      "L2::64B", "L2::128B",      "L2::256B",      "b64",     "u32",
      "u64",     "async_generic", "L2::cache_hint"};
  bool first = !(i->mods & (PTX_MOD_TO_SHARED | PTX_MOD_TO_GLOBAL));
  if (is(text, bytes, "shared") || is(text, bytes, "shared::cta") ||
      is(text, bytes, "shared::cluster")) {
    i->mods |= first ? PTX_MOD_TO_SHARED : PTX_MOD_FROM_SHARED;
    i->space = PTX_SHARED;
    return true;
  }
  if (is(text, bytes, "global")) {
    i->mods |= first ? PTX_MOD_TO_GLOBAL : 0;
    return true;
  }
  for (size_t n = 0; n < sizeof words / sizeof *words; n++)
    if (is(text, bytes, words[n].text)) {
      i->mods |= words[n].bit;
      return true;
    }
  for (size_t n = 0; n < sizeof ignored / sizeof *ignored; n++)
    if (is(text, bytes, ignored[n]))
      return true;
  return false;
}
