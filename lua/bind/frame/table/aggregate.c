// SPDX-License-Identifier: Apache-2.0
// One value of each group: a pass over the rows, or over the rows in the order
// of their groups where all of a group's values are needed at once.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lua/bind/frame/table/table.h"

// Of a row whose group is `g`.
static bool has_value(const struct aggregate *a, int64_t row) {
  return !a->floats || a->floats[row] == a->floats[row];
}

static double value_of(const struct aggregate *a, int64_t row) {
  return a->floats ? a->floats[row] : (double)a->integers[row];
}

void aggregate_size(const struct aggregate *a, int64_t *out) {
  memset(out, 0, (size_t)a->groups * sizeof *out);
  for (int64_t i = 0; i < a->n; i++)
    if (a->codes[i] >= 0)
      out[a->codes[i]]++;
}

void aggregate_count(const struct aggregate *a, int64_t *out) {
  memset(out, 0, (size_t)a->groups * sizeof *out);
  for (int64_t i = 0; i < a->n; i++)
    if (a->codes[i] >= 0)
      out[a->codes[i]] += has_value(a, i);
}

void aggregate_sum_integers(const struct aggregate *a, int64_t *out) {
  memset(out, 0, (size_t)a->groups * sizeof *out);
  for (int64_t i = 0; i < a->n; i++)
    if (a->codes[i] >= 0)
      out[a->codes[i]] =
          (int64_t)((uint64_t)out[a->codes[i]] + (uint64_t)a->integers[i]);
}

// A sum and what rounding took off it.
struct kahan {
  double sum, rest;
};

static void add(struct kahan *k, double v) {
  double y = v - k->rest, t = k->sum + y;
  k->rest = t - k->sum - y;
  if (k->rest != k->rest) // infinities
    k->rest = 0;
  k->sum = t;
}

// Sums of what `each` gives for a row's value; NULL: no memory.
static struct kahan *sums_of(const struct aggregate *a, const double *mean) {
  struct kahan *sums = calloc((size_t)a->groups + 1, sizeof *sums);
  for (int64_t i = 0; sums && i < a->n; i++) {
    int32_t g = a->codes[i];
    if (g < 0 || !has_value(a, i))
      continue;
    double v = value_of(a, i);
    if (mean)
      v = (v - mean[g]) * (v - mean[g]);
    add(&sums[g], v);
  }
  return sums;
}

enum err aggregate_sum(const struct aggregate *a, double *out) {
  struct kahan *sums = sums_of(a, NULL);
  if (!sums)
    return ERR_NOMEM;
  for (int32_t g = 0; g < a->groups; g++)
    out[g] = sums[g].sum;
  free(sums);
  return ERR_OK;
}

// What the sums give over the number of values less `ddof`.
static enum err divide_sums(const struct aggregate *a, const double *mean,
                            int ddof, double *out) {
  struct kahan *sums = sums_of(a, mean);
  int64_t *count = malloc(((size_t)a->groups + 1) * sizeof *count);
  if (sums && count) {
    aggregate_count(a, count);
    for (int32_t g = 0; g < a->groups; g++)
      out[g] = count[g] > ddof ? sums[g].sum / (double)(count[g] - ddof) : NAN;
  }
  enum err err = sums && count ? ERR_OK : ERR_NOMEM;
  free(sums);
  free(count);
  return err;
}

enum err aggregate_mean(const struct aggregate *a, double *out) {
  return divide_sums(a, NULL, 0, out);
}

enum err aggregate_var(const struct aggregate *a, double *out) {
  double *mean = malloc(((size_t)a->groups + 1) * sizeof *mean);
  enum err err = mean ? aggregate_mean(a, mean) : ERR_NOMEM;
  if (!err)
    err = divide_sums(a, mean, a->ddof, out);
  free(mean);
  return err;
}

void aggregate_extreme(const struct aggregate *a, bool is_max, double *out) {
  for (int32_t g = 0; g < a->groups; g++)
    out[g] = NAN;
  for (int64_t i = 0; i < a->n; i++) {
    int32_t g = a->codes[i];
    double v = a->floats[i];
    if (g >= 0 && v == v &&
        (out[g] != out[g] || (is_max ? v > out[g] : v < out[g])))
      out[g] = v;
  }
}

void aggregate_extreme_integers(const struct aggregate *a, bool is_max,
                                int64_t *out) {
  int64_t start = is_max ? INT64_MIN : INT64_MAX;
  for (int32_t g = 0; g < a->groups; g++)
    out[g] = start;
  for (int64_t i = 0; i < a->n; i++) {
    int32_t g = a->codes[i];
    int64_t v = a->integers[i];
    if (g >= 0 && (is_max ? v > out[g] : v < out[g]))
      out[g] = v;
  }
}

void aggregate_end(const struct aggregate *a, bool is_last, int64_t *out) {
  for (int32_t g = 0; g < a->groups; g++)
    out[g] = -1;
  for (int64_t i = 0; i < a->n; i++) {
    int32_t g = a->codes[i];
    if (g >= 0 && (is_last || out[g] < 0) && has_value(a, i))
      out[g] = i;
  }
}

// ---- Medians ----

static void swap(double *a, double *b) {
  double v = *a;
  *a = *b;
  *b = v;
}

// Puts the k-th smallest of n values at v[k], none larger before it (Hoare).
static void select_place(double *v, int64_t n, int64_t k) {
  int64_t low = 0, high = n - 1;
  while (low < high) {
    double pivot = v[low + (high - low) / 2];
    int64_t i = low - 1, j = high + 1;
    for (;;) {
      while (v[++i] < pivot) {
      }
      while (v[--j] > pivot) {
      }
      if (i >= j)
        break;
      swap(&v[i], &v[j]);
    }
    if (k <= j)
      high = j;
    else
      low = j + 1;
  }
}

static double median_of(double *v, int64_t n) {
  if (!n)
    return NAN;
  select_place(v, n, n / 2);
  double upper = v[n / 2], lower = -INFINITY;
  if (n % 2)
    return upper;
  for (int64_t i = 0; i < n / 2; i++)
    lower = v[i] > lower ? v[i] : lower;
  return (lower + upper) / 2;
}

enum err aggregate_median(const struct aggregate *a, double *out) {
  int64_t *start = calloc((size_t)a->groups + 2, sizeof *start);
  double *values = malloc(((size_t)a->n + 1) * sizeof *values);
  if (start && values) {
    aggregate_count(a, start + 1);
    for (int32_t g = 0; g < a->groups; g++)
      start[g + 1] += start[g];
    for (int64_t i = 0; i < a->n; i++)
      if (a->codes[i] >= 0 && has_value(a, i))
        values[start[a->codes[i]]++] = value_of(a, i);
    for (int32_t g = 0; g < a->groups; g++) {
      int64_t from = g ? start[g - 1] : 0;
      out[g] = median_of(values + from, start[g] - from);
    }
  }
  enum err err = start && values ? ERR_OK : ERR_NOMEM;
  free(start);
  free(values);
  return err;
}
