// SPDX-License-Identifier: Apache-2.0
// Loading PTX: parse, give the module's variables memory, decode.
#ifndef GPU_VGPU_DEVICE_MODULE_H
#define GPU_VGPU_DEVICE_MODULE_H

#include "gpu/vgpu/function.h"
#include "gpu/vgpu/insn.h"
#include "gpu/vgpu/memory/memory.h"

enum err vg_module_load(struct vg_memory *memory, const char *text,
                        size_t bytes, struct vg_module **out,
                        struct err_info *e);
void vg_module_free(struct vg_memory *memory, struct vg_module *m);

// A module without variables is nothing but its text: nobody changes it, so it
// can be given out again to whoever loads the same bytes. Is it that of these?
bool vg_module_is(const struct vg_module *m, const char *text, size_t bytes);

// NULL where the module has no such kernel or variable.
struct vg_code *vg_module_kernel(struct vg_module *m, const char *name);
const struct ptx_var *vg_module_variable(const struct vg_module *m,
                                         const char *name, gpu_ptr *at);

void vg_function_info(const struct vg_code *c, struct gpu_function_info *out);

#endif
