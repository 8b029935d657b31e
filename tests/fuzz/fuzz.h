// SPDX-License-Identifier: Apache-2.0
// What is fuzzed. A target takes any bytes; it may refuse them, and must not
// crash, hang, leak or touch memory that is not its own. The same functions
// run under libFuzzer and AFL++ (targets.c) and over the kept corpus in
// `make test` (tests/unit/fuzz_corpus.c).
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

// gpu/ptx: parses the text and frees what it makes.
void fuzz_ptx(const uint8_t *data, size_t size);

// gpu/vgpu: loads the text as a module and launches every kernel of it, as its
// plan says, with small budgets and pointers to real memory.
void fuzz_vgpu(const uint8_t *data, size_t size);
// gpu/vgpu/tier: plans its kernels, and emits code for those that are taken.
void fuzz_tier(const uint8_t *data, size_t size);

// Changes a PTX text at `data`, of `size` bytes in room for `max`, line by line
// and word by word, so that most of what comes out still parses. `other` (may
// be NULL) lends lines. Returns the new size.
size_t fuzz_mutate(uint8_t *data, size_t size, size_t max, const uint8_t *other,
                   size_t other_size, unsigned seed);

// ---- Plans: a file tells all about its run ----

// Sizes, flags, parameters and what else happens are drawn from the text's
// hash, or from a number that it gives, so that a fuzzer that found a good one
// can keep it; the debugger's commands are the text's own:
//   // run: NUMBER
//   // debug: COMMAND
enum { FUZZ_COMMANDS = 16, FUZZ_COMMAND_BYTES = 96 };
struct fuzz_plan {
  uint64_t state;
  int commands;
  char command[FUZZ_COMMANDS][FUZZ_COMMAND_BYTES];
};
void fuzz_plan(const uint8_t *data, size_t size, struct fuzz_plan *p);
// One of 0 .. n-1; the same row of answers for the same plan.
uint32_t fuzz_pick(struct fuzz_plan *p, uint32_t n);

#endif
