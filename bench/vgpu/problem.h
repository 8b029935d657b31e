// SPDX-License-Identifier: Apache-2.0
// The problems, and who solves them (plain.c, opencl.c, virtual.c).
#ifndef BENCH_VGPU_PROBLEM_H
#define BENCH_VGPU_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_ARRAYS = 5 };

struct problem {
  const char *name, *title;
  unsigned grid[2], block[2];
  int n;
  int arrays;
  size_t count[MAX_ARRAYS]; // words of 4 bytes of each
  float first[MAX_ARRAYS];  // what fills each
  int result;               // the array that is compared
  bool has_scalar;          // a float 2.0f stands before the arrays
  double bytes;             // that must be moved, if all caches were perfect
  bool is_untuned;          // of untuned.cu
  bool is_exact;            // the result is compared as words, not as floats
  void (*fill)(int array, uint32_t *words, size_t count); // or NULL
};

extern const struct problem problems[];
extern const int problem_count;

struct contender {
  // Makes the arrays and runs once; `result` has room for that run's result.
  // NULL where there is nobody to run it.
  void *(*begin)(const struct problem *p, uint32_t *result);
  double (*run)(void *state); // milliseconds; negative when it fails
  void (*end)(void *state);
};

extern const struct contender plain, opencl, virtual_unchecked, virtual_checked;
const char *opencl_name(void); // "PoCL 3.1 ...", or why there is none

double now_ms(void);
// By that clock, or in processor time of all threads of this process.
extern bool counts_cpu_time;
double spent_ms(void);
// What an array holds at first, to be freed.
uint32_t *first_words(const struct problem *p, int array);
// How many words are wrong: other than `right`, as integers, or by more than a
// thousandth of the largest, as floats.
size_t count_wrong(const struct problem *p, const uint32_t *words,
                   const uint32_t *right);

// ---- Plain C (plain.c, plain_untuned.c) ----

// Does items from..to of p->n, or of what the problem is dealt in.
struct plain_code {
  const char *name;
  void (*run)(float **arrays, int from, int to, int n);
};
extern const struct plain_code plain_tuned[], plain_untuned[]; // end with NULL

// ---- The virtual GPU (virtual.c) ----

void virtual_open(void);
void virtual_close(void);

// A checked launch of 1024 threads that reads 4 KiB of one array and writes 4 KiB
// of another, both of that size. Each run is a launch and the wait for it: the
// mean of some, in milliseconds.
enum { VIRTUAL_SMALL_WORDS = 1024 };
void *virtual_small_begin(size_t bytes);
double virtual_small_run(void *state, int count);
void virtual_small_end(void *state);

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
