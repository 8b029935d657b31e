// SPDX-License-Identifier: Apache-2.0
// Verdicts that were made before, as `warpshop grade --json` printed them or as a
// batch's journal keeps them.
#ifndef GRADE_BATCH_VERDICTS_H
#define GRADE_BATCH_VERDICTS_H

#include <jansson.h>

#include "base/err.h"

// An array of objects {"schema": "warpshop.grade/1", ...}, the caller's reference.
// ERR_IO: the file cannot be read; ERR_ARGUMENT: it is neither of the two.
enum err verdicts_read(const char *path, json_t **out, struct err_info *e);

#endif
