// SPDX-License-Identifier: Apache-2.0
// One problem, solved three ways (main.c, opencl.c, plain.c).
#ifndef BENCH_VGPU_PROBLEM_H
#define BENCH_VGPU_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>

enum { MAX_ARRAYS = 5 };

struct problem {
  const char *name, *title;
  unsigned grid[2], block[2];
  int n;
  int arrays;
  size_t count[MAX_ARRAYS]; // floats of each
  float first[MAX_ARRAYS];  // what fills each
  int result;               // the array that is compared
  bool has_scalar;          // a float 2.0f stands before the arrays
  double read_bytes;        // that it must move, for its memory bound
};

extern const struct problem problems[];
extern const int problem_count;

// Milliseconds of one run on two threads, after one that does not count, and
// the result's sum; negative when it cannot run.
double plain_run(const struct problem *p, int runs, double *sum);
double opencl_run(const struct problem *p, int runs, double *sum);
const char *opencl_name(void); // "PoCL 3.1 ...", or why there is none

double now_ms(void);
double median(double *v, int n);

#endif
