// SPDX-License-Identifier: Apache-2.0
// Likenesses of place.
#ifndef GRADE_COMPARE_RESEMBLE_PLACE_H
#define GRADE_COMPARE_RESEMBLE_PLACE_H

#include "grade/compare/resemble_like.h"

// Adds those of the list's wrong array.
void resemble_add_places(struct like_list *list);

#endif
