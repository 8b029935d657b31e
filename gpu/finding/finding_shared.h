// SPDX-License-Identifier: Apache-2.0
// __shared__ declarations in a kernel's source (finding_find_shared is in
// finding.h).
#ifndef GPU_FINDING_FINDING_SHARED_H
#define GPU_FINDING_FINDING_SHARED_H

#include "base/str.h"

// The type of the variable's elements, "unsigned int"; nothing where the source has
// no such variable, where its type is no plain one, or several have the name and
// types of their own.
void finding_shared_type(const char *source, const char *name, struct str *out);

#endif
