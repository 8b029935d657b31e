// SPDX-License-Identifier: Apache-2.0
// The problems, and who solves them (plain.c, opencl.c, virtual.c).
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
  double bytes;             // that must be moved, if all caches were perfect
};

extern const struct problem problems[];
extern const int problem_count;

struct contender {
  // Makes the arrays and runs once; the sum of that run's result. NULL where
  // there is nobody to run it.
  void *(*begin)(const struct problem *p, double *sum);
  double (*run)(void *state); // milliseconds; negative when it fails
  void (*end)(void *state);
};

extern const struct contender plain, opencl, virtual_unchecked, virtual_checked;
const char *opencl_name(void); // "PoCL 3.1 ...", or why there is none

double now_ms(void);
double sum_of(const float *values, size_t count);

// ---- The virtual GPU (virtual.c) ----

void virtual_open(void);
void virtual_close(void);

// What one launch executes, by its counters.
struct work_done {
  double instructions; // of warps
  double flops;        // of floats; a fused multiply-add is two
  double special;      // divisions, roots, exponentials, logarithms; of threads
};
struct work_done virtual_count(const struct problem *p);

// ---- This machine (machine.c) ----

struct machine {
  char name[128];
  int cores;      // that this process may use
  double copy;    // bytes per second, read and written
  double flops;   // of fused multiply-adds of floats, per second
  double special; // roots, divisions, exponentials, logarithms, per second
};
struct machine machine_measure(void);

// How busy all others keep the machine, from one call to the next: cores.
double machine_others(void);

#endif
