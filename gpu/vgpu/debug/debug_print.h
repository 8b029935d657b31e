// SPDX-License-Identifier: Apache-2.0
// Values and types as C would write them.
#ifndef GPU_VGPU_DEBUG_DEBUG_PRINT_H
#define GPU_VGPU_DEBUG_DEBUG_PRINT_H

#include "gpu/vgpu/debug/debug_value.h"

// The bytes of the value; NULL where its memory is not all there.
const uint8_t *vg_value_bytes(const struct vg_view *v,
                              const struct vg_value *x);
// As C would write it. `is_plain`: for a program to read: numbers, true and
// false, "words" and {lists} only.
void vg_value_print(const struct vg_view *v, const struct vg_value *x,
                    bool is_plain, struct str *out);
// "float[4][8]", "point *"
void vg_type_print(const struct ptx_dtype *t, struct str *out);

#endif
