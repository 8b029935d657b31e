// SPDX-License-Identifier: Apache-2.0
// What a wrong result is like. A list of likenesses ("the last element was never
// written", "each element is x[i] - y[i]") is tried on all elements of all cases
// that are wrong; the one that holds in all of them is told, as the fact that it
// is. Where two hold, neither is.
#ifndef GRADE_RESEMBLE_RESEMBLE_H
#define GRADE_RESEMBLE_RESEMBLE_H

#include "grade/runner/runner.h"

struct resemble;
struct resemble *resemble_new(const struct exercise *ex);
void resemble_free(struct resemble *r);
// One more case: all that is borrowed. A case whose results are right says
// nothing.
void resemble_add(struct resemble *r, const struct tolerance *tolerance,
                  const struct case_input *in, const struct case_input *want,
                  const struct run_result *got);
// The sentence, which the caller frees; NULL: nothing is sure.
char *resemble_text(const struct resemble *r);

#endif
