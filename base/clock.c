// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"

#include <time.h>

uint64_t clock_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

double clock_s(void) {
  return (double)clock_ns() * 1e-9;
}

int64_t clock_day_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}
