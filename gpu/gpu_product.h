// SPDX-License-Identifier: Apache-2.0
// Matrix products as data.
#ifndef GPU_GPU_PRODUCT_H
#define GPU_GPU_PRODUCT_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/gpu_handle.h"

enum gpu_product_type {
  GPU_PRODUCT_F16,
  GPU_PRODUCT_BF16,
  GPU_PRODUCT_F32,
  GPU_PRODUCT_F64
};

// A row-major matrix of a product, or one for each of a batch. Sizes count
// elements; `pitch` is from one row in memory to the next, `step` from one
// matrix of the batch to the next (0: the same one).
struct gpu_matrix {
  gpu_ptr address;
  uint64_t pitch;
  int64_t step;
  bool is_transposed; // memory has its transpose
};

// c = a b, `count` times: (rows, inner), (inner, columns), (rows, columns).
struct gpu_product {
  gpu_handle stream;
  struct gpu_matrix a, b, c;
  uint32_t type, result_type; // enum gpu_product_type
  bool is_tf32;               // f32 may be rounded to TF32 first
  uint32_t rows, columns, inner, count;
};

#endif
