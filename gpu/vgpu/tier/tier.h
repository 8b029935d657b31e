// SPDX-License-Identifier: Apache-2.0
// The compiled tier: kernels that run often are compiled by another process, and
// their blocks run as the host's own vector code. All else stays the interpreter's,
// and whatever is doubtful goes back to it: the launch starts over. Off unless
// WARPSHOP_TIER says otherwise.
#ifndef GPU_VGPU_TIER_TIER_H
#define GPU_VGPU_TIER_TIER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct vg_code;
struct vg_grid;
struct vg_tier;        // of a device
struct vg_tier_kernel; // a kernel and a block shape
struct vg_worker;

// Starts the worker where the tier is asked for; else NULL. Before the process gives
// up what it needs to start programs.
struct vg_tier *vg_tier_new(void);
void vg_tier_free(struct vg_tier *t); // NULL is fine

// A launch begins, and has ended: the grid's `tier` says whose it is.
void vg_tier_begin(struct vg_grid *g);
void vg_tier_end(struct vg_grid *g);
// All of its blocks run compiled: in any order, since nothing shows it.
bool vg_tier_is_on(const struct vg_grid *g);
// Runs a block as compiled code, and so many instructions of warps; false: it is the
// interpreter's. Where that bails the launch is abandoned, and never done.
bool vg_tier_run(struct vg_worker *k, uint64_t number, uint32_t *instructions);
// The interpreter has run a block since `start_ns`: is it time to compile?
void vg_tier_note(struct vg_grid *g, uint64_t start_ns);
// The blocks have run: is that all? Not where one bailed, nor where a checked launch
// turns out to be one of which the interpreter has more to say.
bool vg_tier_is_done(struct vg_grid *g);
// Memory is as it was before the launch; from now on the interpreter runs it, and the
// kernel's next ones until some had nothing to report.
void vg_tier_put_back(struct vg_grid *g);
void vg_tier_worker_free(struct vg_worker *k);
// All is said of the launch, whoever ran it.
void vg_tier_note_said(struct vg_grid *g);
// The function goes, with what was made of it.
void vg_tier_forget(struct vg_code *c);

// What is compiled of a device's kernels, and why others are not, a line each; nothing
// where the tier is off.
void vg_tier_tell(struct vg_tier *t, struct str *out);

// Keeps a worker, at the other end of the descriptor (warpshop-device --tier).
int vg_tier_serve(int fd);

#endif
