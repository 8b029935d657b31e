// SPDX-License-Identifier: Apache-2.0
// Devices on other machines: their names, where they are, and what happens when
// the job that they were in ends.
#ifndef LUA_BIND_CUDA_L_CUDA_FAR_H
#define LUA_BIND_CUDA_L_CUDA_FAR_H

#include "base/str.h"
#include "gpu/remote/remote.h"
#include "lua/bind/cuda/l_cuda.h"

// What a user called it, and what reaches it.
struct lfar {
  char *name; // "slurm:gpu=1,time=1:00:00"
  struct bind_far_device there;
  bool is_left; // it was said that it is gone
};

bool lfar_is_name(const struct lcuda *c, const char *name);
// Fills in what reaches that device, and `id`, what it is called here: the first
// number behind those of this machine's own.
enum err lfar_open(struct lcuda *c, const char *name, struct lfar **out,
                   struct remote_options *options, char id[16],
                   struct err_info *e);
void lfar_free(struct lcuda *c, struct lfar *f); // NULL is fine

// Says in `d->info` what it is called here, and where it is.
void lfar_note_info(struct ldevice *d);

// Has the machine of this device gone for good?
bool lfar_is_lost(const struct ldevice *d);
// Then virtual:0 takes its place; adds what is to be said of that, once.
void lfar_leave(struct ldevice *d, struct str *out);

#endif
