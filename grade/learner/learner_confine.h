// SPDX-License-Identifier: Apache-2.0
// What a learner's process gives up before it runs the learner's Lua.
#ifndef GRADE_LEARNER_LEARNER_CONFINE_H
#define GRADE_LEARNER_LEARNER_CONFINE_H

#include <stddef.h>

#include "base/err.h"

// For the rest of the process's life: no path of the file system, no system
// calls but those for memory and for files that are open, `memory_bytes` more
// addresses than are mapped now, `cpu_limit_s` of processor time. ERR_UNSUPPORTED
// where the kernel has no seccomp filters, without which nothing is run.
enum err learner_confine(size_t memory_bytes, int cpu_limit_s,
                         struct err_info *e);

#endif
