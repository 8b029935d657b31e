// SPDX-License-Identifier: Apache-2.0
// malloc and free are built in; ends of the program end the kernel.
#ifndef WARPSHOP_STDLIB_H
#define WARPSHOP_STDLIB_H

#include <stddef.h>

#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX     2147483647

#ifdef __cplusplus
static __device__ __forceinline__ void abort() {
  __trap();
}
static __device__ __forceinline__ long labs(long v) {
  return v < 0 ? -v : v;
}
#endif

#endif
