// SPDX-License-Identifier: Apache-2.0
// A submission's trial, which the parts of the judge pass around, and what one run of
// a case says.
#ifndef GRADE_JUDGE_JUDGE_TRIAL_H
#define GRADE_JUDGE_JUDGE_TRIAL_H

#include "base/str.h"
#include "gpu/nvrtc/nvrtc.h"
#include "gpu/occupancy.h"
#include "grade/judge/cost.h"
#include "grade/judge/judge.h"
#include "grade/runner/runner.h"

extern const char judge_checked_device[];

struct judge {
  struct judge_options options;
  struct nvrtc *nvrtc;
  struct runner *checked;     // the virtual GPU
  struct runner *gpu;         // a second device, or NULL
  struct runner *other_order; // opened when it is asked for, or NULL
  struct runner *apart;       // likewise: lanes part there, too
  struct seed secret;
  struct str library; // np and jax for a learner's process, once asked for
};

// What one submission's judging passes around.
struct trial {
  struct judge *j;
  struct exercise *ex;
  const struct source *source;
  char *text; // of it, what is compiled
  struct verdict *v;
  struct nvrtc_program *program;      // for the checked device
  struct found_kernels kernels;       // of it
  struct nvrtc_program *host_kernels; // of kind host: the exercise's
  struct nvrtc_program *solution; // for the checked device, once it was asked
  struct gpu_work charged;        // for all that ran until now
  uint64_t work_limit;            // of the last run
  int wrong_case;                 // the first wrong without a finding, or -1
  int counted_count;              // runs of the submission that were counted
  struct counted {
    int index; // of the case
    int count; // kinds of launches
    struct run_counts *of;
    struct gpu_calls calls; // of kinds lua and host, in their place
  } * counted;
  struct drawn *drawn; // of each case, what judge_drawn.c keeps
  size_t drawn_bytes;
  struct str output;     // printed by the cases
  struct str lua_output; // of kind lua: by the last run
  bool is_traced;        // runs are followed: what are their results made of?
  bool is_fed;           // runs are followed: which loads feed a result?
  bool is_counted;       // runs are counted, whether rules ask for it or not
  bool zeroes_results;   // runs find zeros in them, not poison
  bool is_explaining; // a result that is wrong and that no mistake was seen in
};

static inline bool trial_is_lua(const struct trial *t) {
  return exercise_is_lua(t->ex->kind);
}

// Of all launches of the submission.
static inline uint64_t trial_most_work(const struct trial *t) {
  return t->j->options.cost ? t->j->options.cost : COST_OF_SUBMISSION;
}

// ---- One case ----

// Judges it: it passes with all sets of inputs; the first that does not decides.
// What it prints is shown of the first set, as the second is more of the same.
void judge_case(struct trial *t, int i);
void judge_free_counts(struct trial *t);

// ---- One run of a case ----

// The inputs of a case and the results that it must have.
struct problem {
  struct seed seed;
  struct case_input in, want;
};

// Each case is judged on two sets of inputs: the first is drawn for the
// learner, so that no number of tries with a changed comment draws others; the
// second for the submission as well.
enum { JUDGE_DRAWS = 2 };
void judge_make_seed(const struct trial *t, const char *name, int draw,
                     struct seed *out);
// The second.
void judge_draw_seed(const struct trial *t, const char *name, struct seed *out);
// The verdict's cases, of which none has run.
void judge_list_cases(struct trial *t);
// `reference_us` as in exercise_solve.
enum err judge_make_problem(const struct trial *t, int i, struct problem *p,
                            double *reference_us, struct err_info *e);
void judge_problem_free(struct problem *p);
// The inputs on which a case was just judged, for whoever runs it on them again
// (judge_drawn.c): given away, and taken, made anew where they were not kept.
void judge_give_problem(struct trial *t, int i, struct problem *p);
enum err judge_take_problem(struct trial *t, int i, struct problem *p,
                            struct err_info *e);
void judge_free_drawn(struct trial *t);
// Keeps the first one that fails, in that order of blocks and warps, where the
// options ask for it. Never one of a hidden case.
void judge_keep(struct trial *t, const struct problem *p, uint64_t order);
// Compiled code and where it runs; what was handed in, on the virtual GPU.
struct judge_code {
  struct runner *on;
  const struct nvrtc_program *program;
  const struct found_kernels *kernels;
};
struct judge_code judge_own_code(const struct trial *t);
enum err judge_launch(struct trial *t, struct judge_code c,
                      const struct problem *p, int repeats,
                      struct run_result *r, struct err_info *e);
// Runs another program of the exercise (its solution, a mutant) on the same
// inputs. False where that did not give data.
bool judge_run_other(struct trial *t, const struct judge_compile *c,
                     const struct problem *p, struct run_result *r);
enum verdict_kind judge_add_findings(struct trial *t, int i,
                                     const struct problem *p,
                                     const struct run_result *r);
// The exercise's own solution, on its own account: whatever the submission has
// left over.
enum err judge_run_solution(struct trial *t, const struct problem *p, bool anew,
                            struct run_result *r, struct err_info *e);
// The verdict of a run in case `i`; what is wrong goes into the diagnostics.
enum verdict_kind judge_result(struct trial *t, int i, const struct problem *p,
                               const struct run_result *r);
// No run took place.
enum verdict_kind judge_not_run(struct trial *t, int i, const struct problem *p,
                                enum err err, const struct err_info *why);
// Says so where the launch went over what it may cost; false: it did not.
bool judge_cost(struct trial *t, int i, const struct run_result *r,
                bool is_followed);
// Compares all results of a run; false where one is wrong. The first wrong
// array is the one that is shown.
bool judge_compare(const struct exercise *ex, int i,
                   const struct case_input *want, const struct run_result *r,
                   struct verdict_case *out);

// A program of the exercise's, on the device that it was compiled for.
struct judge_candidate {
  struct runner *on;
  struct nvrtc_program *program;
  struct found_kernels kernels;
};

// What the results alone say there; a finding of the checked device has no
// counterpart. ERROR where no run took place. `time`: NULL, or where to.
enum verdict_kind judge_try(struct trial *t, int i,
                            const struct judge_candidate *c,
                            struct verdict_case *time, struct err_info *e);

#endif
