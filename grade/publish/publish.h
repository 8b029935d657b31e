// SPDX-License-Identifier: Apache-2.0
// A course as learners get it: what is hidden stays behind.
#ifndef GRADE_PUBLISH_PUBLISH_H
#define GRADE_PUBLISH_PUBLISH_H

#include "base/err.h"

// Writes the course in `folder` into the new folder `into`: what its indexes name,
// without hidden cases; where solutions are locked, or lie in exercises-private/, the
// starter in the solution's place, and the solution and its mutants as PTX without
// names (of kinds lua and host not at all). *said is the caller's.
// ERR_ARGUMENT: `into` is there, or an exercise cannot be taken apart; ERR_DEVICE_LOST:
// this machine cannot compile. Nothing is left half.
enum err publish_course(const char *folder, const char *into, char **said,
                        struct err_info *e);

#endif
