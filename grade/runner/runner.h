// SPDX-License-Identifier: Apache-2.0
// Runs one case of a submission on a device in another process: fresh module,
// poisoned results, guard zones, and everything looked at afterwards.
#ifndef GRADE_RUNNER_RUNNER_H
#define GRADE_RUNNER_RUNNER_H

#include "gpu/calls.h"
#include "gpu/gpu.h"
#include "gpu/nvrtc/nvrtc.h"
#include "grade/case/case.h"

struct learner_note;
struct runner;

// ---- What is launched ----

// The exercise's kernels, in a program.
struct found_kernels {
  const struct nvrtc_kernel *of[EXERCISE_MAX_KERNELS];
};

// Finds them; false, and a sentence (to be freed) that names what was expected,
// where one is missing or takes something else. Types must have the same layout:
// const, __restrict__, names and signedness of integers are the submission's own,
// but where they show that an input stands where a result is expected.
bool signature_find(const struct exercise *ex, const struct nvrtc_program *p,
                    struct found_kernels *out, char **why);

// ---- The process that launches ----

struct runner_options {
  const char *device;     // "virtual:0"
  const char *program;    // warpshop-device; NULL: the one beside us
  uint64_t schedule_seed; // of a virtual GPU: another order, see gpu.h
  bool (*is_cancelled)(void *context);
  void *context;
  // Guard zones on a device that checks bounds itself, too (for tests; they
  // make arrays larger, so that it does not see what goes into a zone).
  bool force_guards;
  double cpu_limit_s; // of the first try of a launch; 0: 60 (for tests)
};

enum err runner_open(const struct runner_options *options, struct runner **out,
                     struct err_info *e);
void runner_close(struct runner *r);
// The process that has the device; 0: none.
int runner_pid(const struct runner *r);
// Waits for the device to open.
enum err runner_info(struct runner *r, struct gpu_device_info *out,
                     struct err_info *e);

// ---- One case ----

enum { RUN_MAX_FINDINGS = 16 };

// Launches of one kernel with the same grid, block and shared memory, counted.
struct run_counts {
  struct gpu_counts counts;
  struct gpu_line_counts *lines;
};

// All of them together: grid, block and shared memory are the first ones'. The
// caller frees the lines.
void run_counts_add_up(const struct run_counts *list, int count,
                       struct run_counts *sum);

// A launch that was followed: what the results of its blocks are made of.
struct run_trace {
  int kernel; // of exercise.kernels
  uint32_t grid[3];
  struct gpu_block_place *places;
  uint32_t placed;
};

// What a case's launches left behind. `outcome` is ERR_OK or what stopped a kernel
// (the device's findings say more): ERR_TIMEOUT for the instruction budget,
// ERR_DEVICE_LOST when the server died.
struct run_result {
  enum err outcome;
  struct err_info why;
  enum launch_end launch_end; // why there were no more of them
  bool lacks_constant; // `why` says which __constant__ array is not there
  int lua_end;         // of kinds lua and host: enum learner_end
  char lua_kind[24], lua_code[40]; // a device's mistake in a kernel, or ""
  bool has_calls;
  struct gpu_calls calls;
  int note_count;
  struct learner_note *notes;
  int finding_count;
  struct gpu_finding findings[RUN_MAX_FINDINGS];
  int finding_param[RUN_MAX_FINDINGS]; // index of the array; -1: none
  struct exercise_launch finding_launch[RUN_MAX_FINDINGS]; // of each
  bool has_data;                     // the rest was copied back
  void *data[EXERCISE_MAX_PARAMS];   // of arrays: after the launch
  void *poison[EXERCISE_MAX_PARAMS]; // of `out` arrays: what was in them before
  bool was_changed[EXERCISE_MAX_PARAMS]; // an `in` array that is not as it was
  // Elements of a guard zone that are not as they were.
  uint32_t spilled_before[EXERCISE_MAX_PARAMS];
  uint32_t spilled_behind[EXERCISE_MAX_PARAMS];
  double kernel_us, mad_us; // median of repeats; NaN where not timed
  struct gpu_work work;     // what was charged for all, on a checked device
  int count_count;          // 0: the device does not count
  struct run_counts *counts;
  int trace_count; // one a launch, where they were followed
  struct run_trace *traces;
};

struct run_request {
  const struct exercise *exercise;
  const struct nvrtc_program *program;
  const struct found_kernels *kernels;
  const struct case_input *input;
  const struct seed *seed; // poison and guards are drawn from it
  int repeats;             // timed runs; 0: none
  bool wants_counts;       // where the device can
  bool wants_trace;        // of what results are made, likewise
  bool wants_feeds;        // which accesses feed a result, with the counts
  uint64_t work_limit;     // that all may be charged; 0: the device's
  bool zeroes_results;     // `out` arrays hold zeros before, not poison
  bool is_timed;           // once, with a cold L2 cache: kernel_us has the time
};

// ERR_OK when a run took place, whatever its outcome. Other errors are ours:
// no device, no memory, cancelled. A run whose server died, or whose launch did
// not end in far more processor time than its counted work needs, is repeated
// once on a fresh server; only then is it ERR_DEVICE_LOST, as its outcome, or
// the error ERR_TIMEOUT.
enum err runner_run(struct runner *r, const struct run_request *q,
                    struct run_result *out, struct err_info *e);
void run_result_free(struct run_result *out);

// `w` on top of `sum`.
void run_add_work(struct gpu_work *sum, const struct gpu_work *w);

// Elements of `out` array `i` that still hold what was in them before.
size_t runner_count_kept(const struct run_result *r, int i, size_t count,
                         size_t width);

// What the kernels printed since the last call; the caller frees it.
char *runner_take_output(struct runner *r);

// On a GPU that others share (gpu/turnstile): waits until nobody else has a turn, and
// keeps them off until it is given back. ERR_CANCELLED: stopped while it waited.
enum err runner_take_alone(struct runner *r, struct err_info *e);
void runner_give_back(struct runner *r);
// Does process `pid` wait there, too, while we are alone?
bool runner_shares_turns(const struct runner *r, int pid);

#endif
