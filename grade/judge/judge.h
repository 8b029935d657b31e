// SPDX-License-Identifier: Apache-2.0
// The judge: a submission in, a verdict out. Never prints.
#ifndef GRADE_JUDGE_JUDGE_H
#define GRADE_JUDGE_JUDGE_H

#include "gpu/counters.h"
#include "grade/exercise/exercise.h"
#include "grade/input/input.h"
#include "grade/verdict/verdict.h"

struct case_file;
struct judge;

struct judge_options {
  const char *secret_file; // NULL: as seed_from_secret says
  // Whose work it is, for the seeds; NULL: nobody's.
  const char *course, *learner;
  const char *gpu;     // "cuda:0": runs and times there, too; NULL: no
  bool gpu_if_any;     // and is quiet where there is none
  bool runs_scripts;   // of kind batch, by Slurm, where the exercise wants it
  bool ranks;          // what passes is timed on `gpu` beside the solution
  bool ranks_anything; // on a virtual GPU, too; for tests
  const char *program; // warpshop-device; NULL: the one beside us
  // Run every case a second time from code that was not optimised, which
  // keeps mistakes that the optimiser takes out.
  bool also_debug;
  // Whether, and not why: the first case that is not right is the last, and
  // nothing is looked for that explains it. It passes when it would.
  bool is_brief;
  bool skips_rules;       // goals, efficiency and requirements are not asked
  uint64_t schedule_seed; // another order of blocks and warps, see gpu.h
  bool force_guards;      // for tests, see runner.h
  double cpu_limit_s;     // likewise
  uint64_t cost;          // likewise; 0: COST_OF_SUBMISSION
  bool keeps_case; // the verdict gets a failing launch as a file (grade/case/)
  const struct case_file *given; // that case alone, of its exercise; or NULL
  bool (*is_cancelled)(void *context);
  void *context;
};

// Starts the compile worker and the device server. ERR_ARGUMENT and ERR_IO
// speak of the secret; the rest is the machine's.
enum err judge_open(const struct judge_options *options, struct judge **out,
                    struct err_info *e);
void judge_close(struct judge *j);

// Judges `s`. `refused` is what source_read said, or NULL. The verdict is
// never NULL and the caller's; an error of ours is the verdict `error`.
struct verdict *judge_run(struct judge *j, struct exercise *ex,
                          const struct source *s, const char *refused);

// ---- Single steps, for those who prove an exercise ----

struct runner;
struct nvrtc_program;

struct judge_compile {
  const char *text, *file;
  struct runner *on; // NULL: the checked device
  bool debug;
  bool anew; // whatever the cache has
  bool
      is_handed_in; // then it is CUDA C; else PTX will do (exercise.h, is_copy)
};
// Of the cache or anew; `out` is the caller's also where it does not compile.
enum err judge_compile(struct judge *j, const struct judge_compile *c,
                       struct nvrtc_program **out, struct err_info *e);

// A program of an exercise's author, run in every case and looked on at: what it
// prints, and what each of its lines did.
struct judge_sight {
  const char *output; // printed, of hidden cases as well
  const struct gpu_line_counts *lines;
  uint32_t line_count; // 0 of kind lua
};

struct judge_watch {
  const char *text;
  bool is_debug; // from -G code
  void (*see)(void *context, int i, const struct judge_sight *s);
  void *context;
};

// Calls `see` for every case that ran to its end; what is asked of a
// submission's cost and results is not asked here. ERR_COMPILE and ERR_ARGUMENT
// speak of the text, the rest of this machine.
enum err judge_watch(struct judge *j, struct exercise *ex,
                     const struct judge_watch *q, struct err_info *e);

#endif
