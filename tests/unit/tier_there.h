// SPDX-License-Identifier: Apache-2.0
// Is the tier there, after a first launch that waited? It may lack libLLVM or the
// processor that it needs; whatever else it lacks is a fault.
#ifndef TESTS_UNIT_TIER_THERE_H
#define TESTS_UNIT_TIER_THERE_H

#include <string.h>

#include "gpu/vgpu/device/device.h"
#include "gpu/vgpu/tier/tier_kernel.h"

static inline bool tier_is_there(struct gpu_device *d) {
  const struct vg_tier *t = vg_own(d)->tier;
  if (!atomic_load(&t->is_lost))
    return true;
  if (!strstr(t->why, "libLLVM is not installed") &&
      !strstr(t->why, "processor has no") &&
      !strstr(t->why, "this kind of processor"))
    fail_msg("the tier is broken: %s", t->why);
  return false;
}

#endif
