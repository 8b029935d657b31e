// SPDX-License-Identifier: Apache-2.0
// Opening files where somebody else may have put links: of what is handed in,
// only what its author could read may be read.
#ifndef BASE_OPEN_H
#define BASE_OPEN_H

#include "base/err.h"

// Opens a file that the caller names, for reading. A link on the way, also to
// a folder, is followed only where root or the caller owns it: others' links
// would make a name stand for what they choose. No device is opened. ERR_IO
// names the link.
enum err open_named(const char *path, int *fd, struct err_info *e);

// Opens `path` below the open folder `folder`, for reading: no link is
// followed, no step leads out of the folder, and a regular file that has
// several names counts only where it belongs to the owner of the folder that it
// lies in: a name does not make another's file one's own.
enum err open_beneath(int folder, const char *path, int *fd,
                      struct err_info *e);

// The same without openat2 (Linux 5.6), step by step.
enum err open_beneath_by_steps(int folder, const char *path, int *fd,
                               struct err_info *e);

#endif
