// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/room-for-more: the number from 0 to 31 that
// occurs most often among a thread's own, the smallest of several.
#include "kernels/reference/call.h"

void reference_room_for_more(const struct reference_call *call) {
  enum { KINDS = 32 };
  int64_t all = reference_count(call, 1), each = reference_int(call, 2);
  const int32_t *x = reference_i32(call, 0, all * each);
  int32_t *out = reference_i32(call, 1, all);
  if (!x)
    return;
  for (int64_t t = 0; t < all; t++) {
    int64_t seen[KINDS] = {0};
    int most = 0;
    for (int64_t k = 0; k < each; k++) {
      int32_t v = x[k * all + t];
      if (v < 0 || v >= KINDS) {
        reference_fail(call, "x has a number that is not 0 to 31");
        return;
      }
      seen[v]++;
    }
    for (int v = 1; v < KINDS; v++)
      if (seen[v] > seen[most])
        most = v;
    out[t] = most;
  }
}
