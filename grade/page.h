// SPDX-License-Identifier: Apache-2.0
// A verdict as the page that a learner reads.
#ifndef GRADE_PAGE_H
#define GRADE_PAGE_H

#include "grade/verdict.h"

// After :check and when one file is graded: verdict, diagnostics with their
// sentences and source lines, cases, output, what next. `source` may be NULL.
// The caller frees it.
char *page_make(const struct verdict *v, const char *source);

#endif
