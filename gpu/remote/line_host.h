// SPDX-License-Identifier: Apache-2.0
// Host arrays on a line: which of their bytes a command reads or writes, what
// must be sent before it, and what comes back. Kept at the near end; the far one
// knows no command.
#ifndef GPU_REMOTE_LINE_HOST_H
#define GPU_REMOTE_LINE_HOST_H

#include "gpu/remote/line.h"

struct line_host;

struct line_host *line_host_new(const char *arena);
void line_host_free(struct line_host *h);
// Another server: nothing is outstanding, and there is nothing at the far end.
void line_host_clear(struct line_host *h);

// Puts what must go before command `c`. False: what it touches is still being
// written by earlier work; then nothing was put, and it is asked again later.
bool line_host_prepare(struct line_host *h, struct line *l,
                       const struct remote_command *c);
// A round trip was answered: what it made may have to do with arrays.
void line_host_answered(struct line_host *h, uint64_t seq, enum err error,
                        uint64_t made);
// Is this what a command may write? Then it is ours to fill in until it is settled.
bool line_host_expects(const struct line_host *h, uint64_t offset,
                       uint64_t bytes, uint64_t seq);
void line_host_settle(struct line_host *h, struct line *l, uint64_t offset,
                      uint64_t seq);
// All work up to `done_seq` is done.
void line_host_progress(struct line_host *h, struct line *l, uint64_t done_seq);

#endif
