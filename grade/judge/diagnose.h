// SPDX-License-Identifier: Apache-2.0
// From what a device or the compiler saw to diagnostics in a learner's words.
#ifndef GRADE_JUDGE_DIAGNOSE_H
#define GRADE_JUDGE_DIAGNOSE_H

#include "grade/exercise/exercise.h"
#include "grade/runner/runner.h"
#include "grade/verdict/verdict.h"

// Adds the compiler's errors (and warnings, where `warnings` is set).
void diagnose_compile(struct verdict *v, const struct nvrtc_program *p,
                      bool warnings);

// The case that a submission was run on; all borrowed.
struct diagnose_case {
  const struct exercise *exercise;
  int index; // of the case
  const struct case_input *input;
  const char *source, *file;           // the submission's, as compiled
  const struct found_kernels *kernels; // whose parameters have their own names
  bool is_wrong;                       // the case's results are
};

// Adds the findings of the case; of a hidden one only kind, place in the
// source and array. Returns the worst verdict that they stand for: pass where
// they are notes.
enum verdict_kind diagnose_findings(struct verdict *v,
                                    const struct diagnose_case *q,
                                    const struct run_result *r);

// Adds an outcome for which there is no finding.
enum verdict_kind diagnose_outcome(struct verdict *v, const struct exercise *ex,
                                   int i, const struct run_result *r);

// Inputs that changed, guard zones that were written.
enum verdict_kind diagnose_spills(struct verdict *v, const struct exercise *ex,
                                  int i, const struct run_result *r);

// A number as a learner reads it: "3.25", "nan".
#define DIAGNOSE_NUMBER 32
const char *diagnose_number(char buffer[DIAGNOSE_NUMBER], double v);

#endif
