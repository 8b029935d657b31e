// SPDX-License-Identifier: Apache-2.0
// Sorting and searching, for every element type at once: elements become keys
// of 64 bits that stand in the same order, NaN last, 0 and -0 equal.
#ifndef KERNELS_ORDER_H
#define KERNELS_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/dtype.h"

// keys[i] for each of the `n` elements of type `t`. `is_exact` tells 0 from -0,
// so that order_elements can bring the elements back (NaN without its bits).
void order_keys(enum dtype t, const char *a, int64_t stride, int64_t n,
                uint64_t *keys, bool is_exact);
void order_elements(enum dtype t, const uint64_t *keys, int64_t n, char *out);

// The key of a NaN of type `t`, or one above all of an integer type's; 64 bits
// have none above, so 0 says that there is none.
uint64_t order_nan(enum dtype t);

// Sorts keys; and positions 0 .. n-1 by their keys, which are sorted too: equal
// ones stay in order. `spare` is room for as many keys (and positions) again.
void order_sort(uint64_t *keys, uint64_t *spare, int64_t n);
void order_argsort(uint64_t *keys, int64_t *at, uint64_t *spare,
                   int64_t *spare_at, int64_t n);

// How many of the sorted `keys` stand before `key`: those under it, or those
// not over it.
int64_t order_search(const uint64_t *keys, int64_t n, uint64_t key,
                     bool after_equal);
// out[i] is that of keys[i], of `count`, in the sorted ones.
void order_search_all(const uint64_t *sorted, int64_t n, const uint64_t *keys,
                      int64_t count, bool after_equal, int64_t *out);

#endif
