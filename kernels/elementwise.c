// SPDX-License-Identifier: Apache-2.0
// Elementwise operations on the CPU: what the rows of unary.def and binary.def
// say of each, and its loop. The loops are in elementwise_integer.c and
// elementwise_float.c.
#include <string.h>

#include "kernels/width.h"

struct unary_row {
  const char *name;
  char kind;
  const char *column[2]; // integers, floats: "NONE" where there is no loop
};

static const struct unary_row unary_rows[KERNEL_UNARY_COUNT] = {
#define UNARY(name, text, kind, i, f) {text, kind, {#i, #f}},
#include "kernels/unary.def"
#undef UNARY
};

struct binary_row {
  const char *name;
  char kind;
  const char *column[3]; // bool, integers, floats
};

static const struct binary_row binary_rows[KERNEL_BINARY_COUNT] = {
#define BINARY(name, text, kind, b, i, f) {text, kind, {#b, #i, #f}},
#include "kernels/binary.def"
#undef BINARY
};

char kernel_unary_kind(enum kernel_unary op) {
  return unary_rows[op].kind;
}
char kernel_binary_kind(enum kernel_binary op) {
  return binary_rows[op].kind;
}

const char *kernel_unary_name(enum kernel_unary op) {
  return unary_rows[op].name;
}

const char *kernel_binary_name(enum kernel_binary op) {
  return binary_rows[op].name;
}

kernel_unary_loop kernel_unary(enum kernel_unary op, enum dtype t) {
  bool is_float = dtype_kind(t) == 'f';
  const char *column = unary_rows[op].column[is_float];
  bool is_bool_number = t == DTYPE_BOOL && unary_rows[op].kind == 'n';
  if (dtype_bytes(t) == 2 && is_float)
    return NULL;
  if (!strcmp(column, "NONE") || is_bool_number)
    return NULL;
  const struct kernel_set *set = kernel_set_best();
  return is_float ? set->floats->unary[t == DTYPE_F64][op]
                  : set->integers->unary[t][op];
}

kernel_binary_loop kernel_binary(enum kernel_binary op, enum dtype t) {
  bool is_float = dtype_kind(t) == 'f';
  int column = t == DTYPE_BOOL ? 0 : is_float ? 2 : 1;
  if (dtype_bytes(t) == 2 && is_float)
    return NULL;
  if (!strcmp(binary_rows[op].column[column], "NONE"))
    return NULL;
  const struct kernel_set *set = kernel_set_best();
  return is_float ? set->floats->binary[t == DTYPE_F64][op]
                  : set->integers->binary[t][op];
}
