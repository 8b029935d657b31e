// SPDX-License-Identifier: Apache-2.0
// What a compile worker may still do once it has loaded its libraries: read
// header folders, and nothing else of the machine.
#ifndef GPU_NVRTC_WORKER_NVRTC_CONFINE_H
#define GPU_NVRTC_WORKER_NVRTC_CONFINE_H

#include <stdbool.h>

#include "base/err.h"

// Memory and processor time of one compile.
enum { CONFINE_MEMORY_GIB = 2, CONFINE_CPU_S = 11 };

// For the rest of the process's life: no new privileges, no files but those
// below `folders`, no programs, sockets or changes to the file system, no core
// files, 2 GiB of memory. Files are Landlock's, or, without Landlock or when
// `without_landlock` says so (tests), seccomp's and a broker's.
enum err confine_process(const char *const *folders, int count,
                         bool without_landlock, bool *has_landlock,
                         struct err_info *e);

// Processor time counts the whole life of a process, so the limit is set anew
// before each compile; the process is ended by SIGXCPU.
void confine_cpu(void);

#endif
