// SPDX-License-Identifier: Apache-2.0
// The reference of kernels/vector_add.cu: one IEEE addition for each element.
#include "kernels/reference.h"

void reference_vector_add(const struct reference_call *call) {
  const float *x = call->args[0].data, *y = call->args[1].data;
  float *out = call->args[2].data;
  int64_t n = call->args[3].integer;
  for (int64_t i = 0; i < n; i++)
    out[i] = x[i] + y[i];
}
