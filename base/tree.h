// SPDX-License-Identifier: Apache-2.0
// Folders with all that is in them.
#ifndef BASE_TREE_H
#define BASE_TREE_H

#include "base/err.h"

// Copies a file or a folder to a path where nothing is yet, modes included (and
// what the umask takes away). A link to a file becomes that file; ERR_ARGUMENT: a
// link to a folder, a device, a pipe. Hidden files (".git") stay behind. What was
// copied before an error is left: tree_remove.
enum err tree_copy(const char *from, const char *to, struct err_info *e);

// Takes away a file or a folder; links in it are removed, never followed.
void tree_remove(const char *path);

#endif
