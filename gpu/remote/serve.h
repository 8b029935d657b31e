// SPDX-License-Identifier: Apache-2.0
// Commands, carried out.
#ifndef GPU_REMOTE_SERVE_H
#define GPU_REMOTE_SERVE_H

#include "gpu/remote/server.h"

// Executes one command; its answer, if it has one, is in its slot.
void server_execute(struct server *s, const struct remote_command *c);
// Answers it with `why` in place of that.
void server_drop(struct server *s, const struct remote_command *c,
                 const struct err_info *why);

#endif
