// SPDX-License-Identifier: Apache-2.0
// Objects that the worker made, as code that can be called.
#ifndef GPU_VGPU_TIER_TIER_OBJECT_H
#define GPU_VGPU_TIER_TIER_OBJECT_H

#include <stddef.h>

#include "base/err.h"
#include "gpu/vgpu/tier/tier_context.h"

struct tier_object {
  tier_code run;
  void *pages;
  size_t bytes;
};

// Maps code and constants, resolves the relocations that we know, and makes the pages
// executable: from then on nothing writes them. The bytes may be anything:
// ERR_PROTOCOL says what is wrong with them.
enum err tier_object_load(const void *bytes, size_t count,
                          struct tier_object *out, struct err_info *e);
void tier_object_free(struct tier_object *o);

#endif
