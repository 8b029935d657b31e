// SPDX-License-Identifier: Apache-2.0
// Likenesses of a wrong array `param` to the inputs.
#ifndef GRADE_RESEMBLE_RESEMBLE_INPUT_H
#define GRADE_RESEMBLE_RESEMBLE_INPUT_H

#include "grade/resemble/resemble_like.h"

void resemble_add_inputs(struct like_list *list, const struct exercise *ex,
                         int param);
void resemble_add_sums(struct like_list *list, const struct exercise *ex,
                       int param);

#endif
