// SPDX-License-Identifier: Apache-2.0
// Arrays used through pointers.
#ifndef GPU_FINDING_FINDING_POINTER_H
#define GPU_FINDING_FINDING_POINTER_H

#include "gpu/finding/finding_source.h"

// Memory that the kernel's own malloc() or new gave: the line's one pointer whose
// bytes are as many. Changes nothing where that is not sure.
void finding_name_taken(struct finding_subject *s);
// The line's one pointer with brackets whose one value is "array + START": its name
// in `name`, and what START is. False: there is none, or nobody knows.
bool finding_find_part(const struct finding_subject *s, const char *code,
                       const struct finding_view *v, char name[64],
                       int64_t *start);
// A pointer that walked past an array's end, or one to wider elements, such as
// float4. False where the cause is not sure: nothing was added.
bool finding_explain_pointer(struct str *out, const struct finding_subject *s);

#endif
