// SPDX-License-Identifier: Apache-2.0
// Threads that wait for work, so that a loop can be shared out among all
// processors without starting threads each time.
#ifndef KERNELS_TEAM_H
#define KERNELS_TEAM_H

#include <stdint.h>

struct kernel_team;

// As many threads as this process may have processors, this one among them, at
// most `most`; fewer where the system gives no more.
struct kernel_team *kernel_team_new(int most);
void kernel_team_free(struct kernel_team *t);
int kernel_team_size(const struct kernel_team *t);

// Calls `part` once on each thread, with numbers from 0 to `parts` - 1; returns
// when all are done.
void kernel_team_run(struct kernel_team *t,
                     void (*part)(void *context, int number, int parts),
                     void *context);

// Where part `number` of `count` elements begins: a multiple of 16, or `count`.
int64_t kernel_team_from(int64_t count, int number, int parts);

#endif
