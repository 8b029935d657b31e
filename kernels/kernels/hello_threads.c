// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/hello-threads: out[i] is i.
#include "kernels/reference/call.h"

void reference_hello_threads(const struct reference_call *call) {
  int64_t n = reference_count(call, 0);
  int32_t *out = reference_i32(call, 0, n);
  for (int64_t i = 0; i < n; i++)
    out[i] = (int32_t)i;
}
