// SPDX-License-Identifier: Apache-2.0
// Drafts: the CUDA C that a learner wrote, each text under the name of its
// kernel or of its exercise in $XDG_STATE_HOME/warpshop/drafts. It is written
// before it is compiled, so that no error, Ctrl-C or crash takes it away.
#ifndef REPL_EVAL_DRAFT_H
#define REPL_EVAL_DRAFT_H

#include "base/err.h"
#include "repl/eval/eval.h"

// Keeps `text` in place of the draft of that name. ERR_IO says why not.
enum err draft_keep(enum draft_kind kind, const char *name, const char *text,
                    struct err_info *e);

#endif
