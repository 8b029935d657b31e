// SPDX-License-Identifier: Apache-2.0
// PTX without what its author called things.
#ifndef GRADE_PUBLISH_PTX_STRIP_H
#define GRADE_PUBLISH_PTX_STRIP_H

// A copy without comments, files and lines, in which functions that are no kernels
// and variables are called v1, v2 ...; kernels, what is declared extern and the
// names in `keep` (NULL behind the last) stay. The caller frees it.
char *ptx_strip(const char *ptx, const char *const *keep);

#endif
