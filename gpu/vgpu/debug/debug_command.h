// SPDX-License-Identifier: Apache-2.0
// Commands.
#ifndef GPU_VGPU_DEBUG_DEBUG_COMMAND_H
#define GPU_VGPU_DEBUG_DEBUG_COMMAND_H

#include "gpu/vgpu/debug/debug.h"

// Runs one command; d->text is its answer, d->stop where the launch stands.
enum err vg_debug_command(struct vg_debug *d, const char *text,
                          struct err_info *e);

#endif
