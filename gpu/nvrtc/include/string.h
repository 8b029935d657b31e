// SPDX-License-Identifier: Apache-2.0
// memcpy and memset are built in; the other plain ones are here.
#ifndef WARPSHOP_STRING_H
#define WARPSHOP_STRING_H

#include <stddef.h>

static __device__ __forceinline__ void *memmove(void *to, const void *from,
                                                size_t bytes) {
  char *t = (char *)to;
  const char *f = (const char *)from;
  if (t < f)
    for (size_t i = 0; i < bytes; i++)
      t[i] = f[i];
  else
    for (size_t i = bytes; i-- > 0;)
      t[i] = f[i];
  return to;
}

static __device__ __forceinline__ int memcmp(const void *a, const void *b,
                                             size_t bytes) {
  const unsigned char *x = (const unsigned char *)a;
  const unsigned char *y = (const unsigned char *)b;
  for (size_t i = 0; i < bytes; i++)
    if (x[i] != y[i])
      return x[i] - y[i];
  return 0;
}

static __device__ __forceinline__ size_t strlen(const char *text) {
  size_t n = 0;
  while (text[n])
    n++;
  return n;
}

static __device__ __forceinline__ int strcmp(const char *a, const char *b) {
  while (*a && *a == *b)
    a++, b++;
  return (unsigned char)*a - (unsigned char)*b;
}

#endif
