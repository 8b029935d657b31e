// SPDX-License-Identifier: Apache-2.0
// Runs one case of a submission on a device in another process: fresh module,
// poisoned results, guard zones, and everything looked at afterwards.
#ifndef GRADE_RUNNER_H
#define GRADE_RUNNER_H

#include "gpu/gpu.h"
#include "gpu/nvrtc/nvrtc.h"
#include "grade/exercise.h"

struct runner;

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
// Waits for the device to open.
enum err runner_info(struct runner *r, struct gpu_device_info *out,
                     struct err_info *e);

enum { RUN_MAX_FINDINGS = 16 };

// What a launch left behind. `outcome` is ERR_OK or what stopped the kernel
// (the device's findings say more): ERR_TIMEOUT for the instruction budget,
// ERR_DEVICE_LOST when the server died.
struct run_result {
  enum err outcome;
  struct err_info why;
  int lua_end; // of kind lua: enum learner_end
  int finding_count;
  struct gpu_finding findings[RUN_MAX_FINDINGS];
  int finding_param[RUN_MAX_FINDINGS]; // index of the array; -1: none
  bool has_data;                       // the rest was copied back
  void *data[EXERCISE_MAX_PARAMS];     // of arrays: after the launch
  void *poison[EXERCISE_MAX_PARAMS]; // of `out` arrays: what was in them before
  bool was_changed[EXERCISE_MAX_PARAMS]; // an `in` array that is not as it was
  // Elements of a guard zone that are not as they were.
  uint32_t spilled_before[EXERCISE_MAX_PARAMS];
  uint32_t spilled_behind[EXERCISE_MAX_PARAMS];
  double kernel_us, mad_us; // median of repeats; NaN where not timed
  struct gpu_work work;     // what its launch was charged, on a checked device
  bool has_counts;          // of a device that counts
  struct gpu_counts counts;
  struct gpu_line_counts *lines;
  struct gpu_block_place *places; // of a traced launch, or NULL
  struct gpu_placement placement;
};

struct run_request {
  const struct exercise *exercise;
  const struct nvrtc_program *program;
  const struct nvrtc_kernel *kernel;
  const struct case_input *input;
  const struct seed *seed; // poison and guards are drawn from it
  int repeats;             // timed launches; 0: none
  bool wants_counts;       // where the device can
  bool wants_trace;        // of what results are made, likewise
  uint64_t work_limit;     // that the launch may be charged; 0: the device's
  bool zeroes_results;     // `out` arrays hold zeros before, not poison
};

// ERR_OK when a run took place, whatever its outcome. Other errors are ours:
// no device, no memory, cancelled. A run whose server died, or whose launch did
// not end in far more processor time than its counted work needs, is repeated
// once on a fresh server; only then is it ERR_DEVICE_LOST, as its outcome, or
// the error ERR_TIMEOUT.
enum err runner_run(struct runner *r, const struct run_request *q,
                    struct run_result *out, struct err_info *e);
void run_result_free(struct run_result *out);

// Elements of `out` array `i` that still hold what was in them before.
size_t runner_count_kept(const struct run_result *r, int i, size_t count,
                         size_t width);

// What the kernels printed since the last call; the caller frees it.
char *runner_take_output(struct runner *r);

#endif
