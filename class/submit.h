// SPDX-License-Identifier: Apache-2.0
// Handing in: a source copied into the learner's own folder of the room. Nothing else
// takes source out of a learner's hands.
#ifndef CLASS_SUBMIT_H
#define CLASS_SUBMIT_H

#include "class/receipt.h"

// What lies there, by name; told in order. A file that cannot be read has no hash.
enum err submit_each(const char *folder,
                     void (*each)(void *context, const struct submitted *one),
                     void *context, struct err_info *e);

// "2026-11-23 07:21:06", in the time zone of this process; to be freed.
char *submit_time(int64_t time_s);

#endif
