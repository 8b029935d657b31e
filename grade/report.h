// SPDX-License-Identifier: Apache-2.0
// Verdicts as text for people and as files for other programs. Every function
// returns text that the caller frees.
#ifndef GRADE_REPORT_H
#define GRADE_REPORT_H

#include "grade/verdict.h"

// One line: "s01.cu     pass           10/10   6 cases"; `width` is of the
// longest name.
char *report_line(const struct verdict *v, int width);

// What a learner reads after :check and when one file is graded: verdict,
// diagnostics with their sentences and source lines, cases, output, what next.
// `source` may be NULL.
char *report_text(const struct verdict *v, const char *source);

// JUnit XML: a suite a submission, a test a case.
char *report_junit(struct verdict *const *list, int count);

// Gradescope's results.json (score, tests, visibility), with the verdict
// object itself under extra_data.
char *report_results_json(const struct verdict *v);

// verdict_json_all as text, with a newline at its end.
char *report_json(struct verdict *const *list, int count);

#endif
