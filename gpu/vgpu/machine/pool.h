// SPDX-License-Identifier: Apache-2.0
// Host threads that a device keeps for the blocks of its launches.
#ifndef GPU_VGPU_MACHINE_POOL_H
#define GPU_VGPU_MACHINE_POOL_H

struct vg_pool;

struct vg_pool *vg_pool_new(void);
void vg_pool_free(struct vg_pool *p); // NULL is fine; nothing runs any more

// Threads that may run at once: what the process's affinity mask and its
// control group leave it of the machine's cores.
int vg_pool_cores(void);

// Calls work(arg) here and on up to `helpers` other threads, and returns when
// all have. Helpers that have not begun when the caller's own call returns are
// not waited for: the work is done by then.
void vg_pool_run(struct vg_pool *p, int helpers, void *(*work)(void *arg),
                 void *arg);

#endif
