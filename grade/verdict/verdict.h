// SPDX-License-Identifier: Apache-2.0
// What the judge found out about one submission. docs/verdict.md describes the
// JSON form.
#ifndef GRADE_VERDICT_VERDICT_H
#define GRADE_VERDICT_VERDICT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "gpu/finding.h"
#include "grade/input/input.h"

enum verdict_kind {
#define VERDICT(name, text, rank) VERDICT_##name,
#include "grade/verdict/verdict.def"
#undef VERDICT
};

// "pass", "compile-error" ...
const char *verdict_text(enum verdict_kind v);
// Of several cases the verdict with the highest rank is the submission's.
int verdict_rank(enum verdict_kind v);

// Whose fault an `error` is: it decides the exit code.
enum verdict_blame { BLAME_NOBODY, BLAME_USAGE, BLAME_MACHINE };

struct exercise;
struct rank;

struct verdict_mismatch {
  char *array; // NULL: none
  size_t index, wrong, count;
  double got, want;
  bool was_never_written;
};

struct verdict_case {
  char *name;
  bool is_hidden;
  char *release; // of a hidden one, see exercise.h; NULL: never
  char *row;     // of exercise.lua, as Lua; NULL: hidden, or not known
  double weight;
  enum verdict_kind verdict;
  bool is_disputed;   // another device says otherwise: it earns nothing
  int draw;           // of its two sets of inputs, the one that decided
  double max_abs_err; // NaN: not known
  int64_t ulp;        // -1: not known
  struct verdict_mismatch mismatch;
  double kernel_us, mad_us, reference_us; // NaN: not measured
  double judge_us;                        // NaN: hidden, or it did not run
  double earned, possible; // verdict_finish; earned NaN: an error
};

enum verdict_rule_kind { RULE_EFFICIENCY, RULE_GOAL, RULE_REQUIREMENT };

// A rule of the exercise's `efficiency`, `goal` or `requires`, of a submission
// whose results are right.
struct verdict_rule {
  enum verdict_rule_kind kind;
  char *rule;          // "sectors_per_request <= 4.5", "min_threads = 64"
  const char *counter; // "sectors_per_request"; NULL: a requirement
  double value; // in its worst case; NaN: nothing to measure, or to be told
  int worst;    // that case
  bool is_each_line; // of ratios: it is asked of each line, too
  int line;          // that breaks it there; 0: none does, or not to be told
  double points;     // that it earns when it is kept
  enum verdict_kind verdict;
};

struct verdict_diagnostic {
  char *kind; // err_kind, or "wrong-result"
  enum gpu_severity severity;
  char *file;
  int line, column; // 0: not known
  bool has_thread;
  uint32_t block[3], thread[3];
  char *array, *variable; // NULL: none
  enum gpu_space space;
  enum gpu_access access;
  bool has_offset;
  int64_t offset;
  uint32_t count;
  bool has_other;
  struct gpu_place other;
  char *cell;       // that two threads raced for; NULL: none, or not to be told
  uint32_t size[3]; // threads of a block of the launch; 0: not to be told
  uint32_t interval, first; // of a race, as in gpu/finding.h
  char *value,
      *other_value; // that its two threads wrote or read; NULL: not known
  char *code, *message, *explain; // explain NULL: nothing more to say
  int order;                      // the judge's own, before kinds
};

enum { VERDICT_OUTPUT_BYTES = 16384 };

struct verdict {
  char *exercise;
  char *submission; // the file's name, cleaned
  char *device;
  enum verdict_kind verdict;
  enum verdict_blame blame;
  double earned, possible; // earned NaN: an error costs no points
  int case_count;
  struct verdict_case *cases;
  int diagnostic_count;
  struct verdict_diagnostic *diagnostics;
  char *mutant;   // the known mistake that it is, by its name, or NULL
  int rule_count; // 0 unless its results are right
  struct verdict_rule *rules;
  char *output;    // device printf, cleaned, cut
  double judge_us; // verdict_tell_time; NaN: not known
  char *course, *learner;
  char seeds[2][SEED_HEX]; // of the learner, of the submission as well
  char source_sha256[SEED_HEX];
  char exercise_version[33]; // version_of_exercise; "": not known
  char nvrtc[16];
  char *gpu;                       // the second device's id; NULL: none
  enum verdict_kind *gpu_verdicts; // one a case
  char *gpu_name, *gpu_driver;
  struct rank *rank; // NULL: it was not asked for
  json_t *kept;      // a failing launch (grade/case/); NULL: none
};

struct verdict *verdict_new(const char *exercise, const char *submission,
                            const char *device);
void verdict_free(struct verdict *v);

// Adds a diagnostic and returns it; kind, code and message are copied.
struct verdict_diagnostic *verdict_add(struct verdict *v, const char *kind,
                                       const char *code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

// Adds a rule; its text is copied.
void verdict_add_rule(struct verdict *v, struct verdict_rule r);

// An error of ours: verdict `error`, no points lost, one diagnostic.
void verdict_set_error(struct verdict *v, enum verdict_blame blame,
                       enum err kind, const char *text);

// Drops doubles, sorts diagnostics, and works out verdict and score from the
// cases (unless the verdict is an error or a compile error already). `points`
// are for the cases, `rule_points` for all rules together.
void verdict_finish(struct verdict *v, double points, double rule_points);
// How long it took: before_us (compiling) and the visible cases. What a submission
// makes a hidden case take could tell of its input, so no time has it.
void verdict_tell_time(struct verdict *v, double before_us);

// 0 pass, 1 not passed, 2 usage or a broken exercise, 3 the machine.
int verdict_exit_code(const struct verdict *v);
// The same of the words in its JSON.
int verdict_exit_code_of(const char *verdict, const char *blame);
// "usage", "machine"; NULL: nobody's.
const char *verdict_blame_text(enum verdict_blame blame);

// A string that JSON can hold, whatever the bytes are; null for NULL.
json_t *verdict_json_text(const char *text);
// {"schema": "warpshop.grade/1", ...}. The caller owns the reference.
json_t *verdict_json(const struct verdict *v);

// ---- For a learner ----

// After :check and when one file is graded: verdict, diagnostics with their
// sentences and source lines, cases, output, what next. `source` may be NULL.
// The caller frees it.
char *page_make(const struct verdict *v, const char *source);

// ---- What it depends on ----

// As hashes: when one of them changes, what was found out before is worth nothing.
enum { VERSION_HEX = 33 };

// Of the programs that judge, and of the compiler's name.
void version_of_program(char out[VERSION_HEX]);
// Of what its folder holds that decides: description, solution, host's kernels.
void version_of_exercise(const struct exercise *ex, char out[VERSION_HEX]);

#endif
