// SPDX-License-Identifier: Apache-2.0
// What this process may use, looked at before judging begins.
#ifndef GRADE_LIMITS_H
#define GRADE_LIMITS_H

#include "base/err.h"

// Are there descriptors for the device server, the compile worker and the files?
// Raises the soft limit as far as the hard one allows; ERR_NOMEM is a sentence
// for the user.
enum err limits_check(struct err_info *e);

#endif
