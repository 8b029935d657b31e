// SPDX-License-Identifier: Apache-2.0
#include "base/median.h"

#include <stdlib.h>

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void median_sort(double *values, size_t count) {
  qsort(values, count, sizeof *values, by_value);
}

double median_of(double *values, size_t count) {
  median_sort(values, count);
  return (values[(count - 1) / 2] + values[count / 2]) / 2;
}
