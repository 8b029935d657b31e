// SPDX-License-Identifier: Apache-2.0
// How editors are told to open a file at a line.
#ifndef REPL_TUI_EDITOR_H
#define REPL_TUI_EDITOR_H

#include "base/str.h"

// Adds the shell's line by which `editor` ("vim", "code --wait") opens a file at a
// line; at none where it is 0, or of the editor nothing is known.
void editor_add_command(const char *editor, const char *path, int line,
                        struct str *out);

#endif
