// SPDX-License-Identifier: Apache-2.0
// What a CPU reference is given: the arguments of a launch, in the order of the
// signature, and ways to get at them that no case leads beyond an array's end.
#ifndef KERNELS_REFERENCE_CALL_H
#define KERNELS_REFERENCE_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

// One argument of a launch: an array (`data`, `count` elements of the type
// that the signature says) or a number, which is given both ways.
struct reference_arg {
  const char *name; // what an error calls it
  void *data;       // NULL for a number
  size_t count;
  int64_t integer;
  double number;
};

struct reference_call {
  const struct reference_arg *args; // as many as the signature has
  uint32_t grid[3]; // of the one launch; all 1 where there are several
  uint32_t block[3];
  struct err_info *e; // its code is ERR_OK, and stays so where all went well
};

// Argument `i`, an array of at least so many elements of that type; NULL where
// it has fewer, which call->e then says.
void *reference_array(const struct reference_call *call, int i, int64_t least);

#define REFERENCE_ARRAY(type, name)                                            \
  static inline type *reference_##name(const struct reference_call *call,      \
                                       int i, int64_t least) {                 \
    return (type *)reference_array(call, i, least);                            \
  }
REFERENCE_ARRAY(uint8_t, u8)
REFERENCE_ARRAY(uint16_t, f16) // as bits: dtype_f16_to_float (base/dtype.h)
REFERENCE_ARRAY(int32_t, i32)
REFERENCE_ARRAY(uint32_t, u32)
REFERENCE_ARRAY(uint64_t, u64)
REFERENCE_ARRAY(float, f32)
REFERENCE_ARRAY(double, f64)
#undef REFERENCE_ARRAY

// The number of elements of argument `i`.
static inline int64_t reference_count(const struct reference_call *call,
                                      int i) {
  return (int64_t)call->args[i].count;
}

// Argument `i`, a whole number; a float, as the kernel gets it.
static inline int64_t reference_int(const struct reference_call *call, int i) {
  return call->args[i].integer;
}
static inline float reference_float(const struct reference_call *call, int i) {
  return (float)call->args[i].number;
}

// Has argument `i` an element `at`? A number that was read from an array and is
// an index into another may be anything. If not, call->e says so.
bool reference_has(const struct reference_call *call, int i, int64_t at);

// That something else is wrong with the arguments.
void reference_fail(const struct reference_call *call, const char *why);

#define REFERENCE(part, name, signature)                                       \
  void reference_##name(const struct reference_call *call);
#include "kernels/reference/references.def"
#undef REFERENCE

#endif
