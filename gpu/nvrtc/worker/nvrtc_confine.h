// SPDX-License-Identifier: Apache-2.0
// What a compile worker may still do once it has loaded its libraries: read
// header folders, and nothing else of the machine.
#ifndef GPU_NVRTC_WORKER_NVRTC_CONFINE_H
#define GPU_NVRTC_WORKER_NVRTC_CONFINE_H

#include <stdbool.h>

#include "base/err.h"

// Memory and processor time of one compile. The largest sources that end within
// their time, cub's sorts and curand's, take 0.3 GiB.
enum { CONFINE_MEMORY_GIB = 1, CONFINE_CPU_S = 11 };

// For the rest of the process's life: no new privileges, no files but those
// below `folders`, no programs, sockets or changes to the file system, no core
// files. Files are Landlock's, or, without Landlock or when
// `without_landlock` says so (tests), seccomp's and a broker's.
enum err confine_process(const char *const *folders, int count,
                         bool without_landlock, bool *has_landlock,
                         struct err_info *e);

// Processor time counts the whole life of a process, so the limit is set anew
// before each compile; the process is ended by SIGXCPU.
void confine_cpu(void);

// From now on the process may map CONFINE_MEMORY_GIB beside what it has mapped:
// called when the compiler with all its libraries is in. `statm` is
// /proc/self/statm, opened before the process was confined.
enum err confine_memory(int statm, struct err_info *e);

#endif
