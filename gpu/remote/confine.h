// SPDX-License-Identifier: Apache-2.0
// What a device server gives up: at its start the other processes' business,
// and, once its device is open, files, programs and the network.
#ifndef GPU_REMOTE_CONFINE_H
#define GPU_REMOTE_CONFINE_H

#include <stdbool.h>

// Closes every file but 0, 1, 2 and `keep`, dies with the parent, dumps no
// core.
void confine_start(int keep);

// No new privileges, no path of the file system (Landlock, where the kernel
// has it), and no system calls that start programs, reach the network or look
// into other processes; `deny_open`: nor any that opens files. A kernel that
// lacks one of these still gets the others. Below `folders` (NULL: none) files may
// still be read.
void confine_for_good(bool deny_open, const char *const folders[2]);

#endif
