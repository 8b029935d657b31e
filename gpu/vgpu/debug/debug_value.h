// SPDX-License-Identifier: Apache-2.0
// Source variables of a thread under the debugger, and expressions over them.
#ifndef GPU_VGPU_DEBUG_DEBUG_VALUE_H
#define GPU_VGPU_DEBUG_DEBUG_VALUE_H

#include "gpu/ptx/ptx.h"
#include "gpu/vgpu/debug/debug.h"

// One call of one thread, whose variables are looked at.
struct vg_view {
  struct vg_debug *d;
  struct vg_focus focus;
  struct vg_spot spot;
  const struct vg_code *code;
  const struct ptx_dfunc *func; // NULL: built without -G
  int at;                       // its next instruction, among code->func->code
};

// A value: in memory, at a generic address of the view's thread, or in bytes.
struct vg_value {
  const struct ptx_dtype *type; // NULL only for void
  bool is_memory;
  uint64_t address;
  uint8_t bytes[16];
  uint8_t bit_count, bit_at; // of a bit-field
};

// ERR_NOT_FOUND when the thread in focus has ended.
enum err vg_view_open(struct vg_debug *d, const struct vg_focus *f, int level,
                      struct vg_view *out, struct err_info *e);

// The variable that a name means here; ERR_NOT_FOUND when there is none,
// ERR_UNINITIALISED when it has no value at this place.
enum err vg_find_variable(const struct vg_view *v, const char *name,
                          struct vg_value *out, struct err_info *e);
// Is there one, with a value or not?
bool vg_knows_variable(const struct vg_view *v, const char *name);
enum err vg_read_variable(const struct vg_view *v, const struct ptx_dvar *x,
                          struct vg_value *out, struct err_info *e);
// Is the variable in scope, and not hidden by one of the same name?
bool vg_is_visible(const struct vg_view *v, const struct ptx_dvar *x);

// A shared variable's name in the source, its type as far as it is known.
struct vg_shared_var {
  char name[64];
  const struct ptx_dtype *type;
  uint64_t address, bytes;
};
// The n-th one of the kernel; false behind the last.
bool vg_shared_var(const struct vg_view *v, int n, struct vg_shared_var *out);
// Says what a shared variable's declaration in the source is: "float[4][8]".
enum err vg_declare(struct vg_debug *d, const char *name, const char *type,
                    struct err_info *e);

// The type of that name; NULL when neither C nor the program has it.
const struct ptx_dtype *vg_named_type(const struct vg_debug *d,
                                      const char *name);
// The type of a pointer to `t`.
const struct ptx_dtype *vg_pointer_type(struct vg_debug *d,
                                        const struct ptx_dtype *t);

extern const struct ptx_dtype vg_type_int, vg_type_uint, vg_type_long,
    vg_type_ulong, vg_type_float, vg_type_double, vg_type_bool, vg_type_dim3;

#endif
