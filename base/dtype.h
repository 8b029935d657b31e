// SPDX-License-Identifier: Apache-2.0
// Element types of arrays: names, sizes, and the two 16-bit floats, which C
// cannot compute with.
#ifndef BASE_DTYPE_H
#define BASE_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dtype {
#define DTYPE(name, text, numpy, bytes, kind) DTYPE_##name,
#include "base/dtype.def"
#undef DTYPE
  DTYPE_COUNT
};

size_t dtype_bytes(enum dtype t);
char dtype_kind(enum dtype t);              // 'b', 'i', 'u' or 'f'
const char *dtype_name(enum dtype t);       // "f32"
const char *dtype_numpy_name(enum dtype t); // "float32"
bool dtype_parse(const char *text, enum dtype *out);
// NumPy's type of `bytes` a number of that kind, which has no bf16, or DTYPE_COUNT.
enum dtype dtype_of_kind(char kind, size_t bytes);
// Turns each of `count` elements into the other byte order.
void dtype_swap_bytes(enum dtype t, void *elements, int64_t count);
// Our name for what people write for a type that dtype_parse does not know:
// NumPy's other names, its codes, which count bytes, and slips; or NULL.
const char *dtype_suggest(const char *text); // "f32", "float32"

// The type in which arrays of `a` and `b` meet: JAX's lattice (docs.jax.dev,
// "Type promotion semantics"). A float takes every integer; f16 and bf16 give
// f32; u64 and a signed type f64.
enum dtype dtype_promote(enum dtype a, enum dtype b);

float dtype_f16_to_float(uint16_t bits);
float dtype_bf16_to_float(uint16_t bits);
// Rounded to nearest, ties to even, once.
uint16_t dtype_f16_from_double(double v);
uint16_t dtype_bf16_from_double(double v);

#endif
