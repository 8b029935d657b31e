// SPDX-License-Identifier: Apache-2.0
// Likenesses of place.
#ifndef GRADE_RESEMBLE_RESEMBLE_PLACE_H
#define GRADE_RESEMBLE_RESEMBLE_PLACE_H

#include "grade/resemble/resemble_like.h"

// Adds those of the list's wrong array.
void resemble_add_places(struct like_list *list);

#endif
