// SPDX-License-Identifier: Apache-2.0
// Likenesses of value.
#ifndef GRADE_COMPARE_RESEMBLE_VALUE_H
#define GRADE_COMPARE_RESEMBLE_VALUE_H

#include "grade/compare/resemble_like.h"

void resemble_add_values(struct like_list *list);

#endif
