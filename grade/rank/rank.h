// SPDX-License-Identifier: Apache-2.0
// How fast is a submission that is right? It and the exercise's solution are
// timed in turns on a real GPU, and the ratio of a pair is what counts: what slows
// one slows the other. No verdict depends on any of it.
#ifndef GRADE_RANK_RANK_H
#define GRADE_RANK_RANK_H

#include <jansson.h>
#include <stdbool.h>

#include "gpu/nvml/nvml.h"
#include "grade/input/input.h"

// What pairs of times say (rank_stat.h).
struct rank_stat {
  double ratio;                // median of reference / own: 2 is twice as fast
  double low, high;            // its 95 % interval
  double own_us, reference_us; // medians
};

enum rank_status {
#define RANK(name, text) RANK_##name,
#include "grade/rank/rank.def"
#undef RANK
};

// When a measurement ends.
enum { RANK_LEAST_PAIRS = 10, RANK_MOST_PAIRS = 1000 };
#define RANK_ERROR       0.005 // of the ratio, half of its interval: more is noise
#define RANK_AIM         0.0035 // it is measured on until this, while time is left
#define RANK_GPU_US      2e6    // GPU time of all launches
#define RANK_DISCARDED   0.2    // pairs that are thrown away
#define RANK_LEAST_CLOCK 0.75 // of the most that the clock can be

struct rank {
  enum rank_status status;
  char *why; // a sentence, or NULL: it was ranked
  char *timed_case;
  struct rank_stat stat;         // NaN where no pair counts
  double floor_us;               // no launch can be faster; 0: not known
  int pairs, discarded, foreign; // of those discarded: another process worked
  int unseen;    // pairs beside which no process could have been seen
  double gpu_us; // of all launches, warming up included
  // The GPU before, in the middle and at the end.
  int look_count;
  struct nvml_look looks[3];
  char *gpu, *driver;
};

struct rank *rank_new(void); // status `skipped`, all numbers NaN
void rank_free(struct rank *r);
void rank_set(struct rank *r, enum rank_status status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
const char *rank_status_text(enum rank_status s);
// The object `rank` of a verdict; null for NULL.
json_t *rank_json(const struct rank *r);

// ---- Measuring ----

enum rank_who { RANK_OWN, RANK_REFERENCE };

enum rank_launch {
  RANK_TIMED,
  RANK_WRONG,  // its results are not right: `e` says so
  RANK_FAILED, // it did not run: `e` says why
};

// What is measured. Each launch is on the next inputs drawn, in a module that
// was loaded for it, and its results are compared.
struct rank_source {
  void *context;
  enum rank_launch (*launch)(void *context, enum rank_who who, double *us,
                             struct err_info *e);
  // Looks at the GPU; false: there is nothing to look with.
  bool (*look)(void *context, struct nvml_look *out);
  // Is that process ours, or of our room and idle by its rules?
  bool (*is_ours)(void *context, int pid);
  struct seed seed;
  double floor_us;
};

// Warms up, takes pairs until the ratio is sure, and fills `r`. ERR_CANCELLED
// and what keeps the solution itself from running are errors.
enum err rank_measure(const struct rank_source *s, struct rank *r,
                      struct err_info *e);

#endif
