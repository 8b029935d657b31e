// SPDX-License-Identifier: Apache-2.0
// Likenesses of value.
#ifndef GRADE_RESEMBLE_RESEMBLE_VALUE_H
#define GRADE_RESEMBLE_RESEMBLE_VALUE_H

#include "grade/resemble/resemble_like.h"

void resemble_add_values(struct like_list *list);

#endif
