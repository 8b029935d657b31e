// SPDX-License-Identifier: Apache-2.0
// What a kernel's parameters are: from its declaration in the source, and from
// its mangled name.
#ifndef GPU_NVRTC_IMAGE_SIGNATURE_H
#define GPU_NVRTC_IMAGE_SIGNATURE_H

#include <stdbool.h>

#include "gpu/nvrtc/nvrtc.h"

// A __global__ function as the source declares it.
struct signature {
  char *name;
  bool is_template;
  int param_count;
  struct nvrtc_param *params; // bytes are 0 where the type does not say
};

struct signatures {
  int count;
  struct signature *list; // in source order
};

// Finds all kernels of a source. Tolerant: comments, strings, attributes,
// templates and macros are stepped over, and what cannot be understood is
// NVRTC_OPAQUE or has no name.
void signatures_scan(const char *source, struct signatures *out);
void signatures_free(struct signatures *s);

// The parameters that a mangled name (Itanium C++ ABI) tells. Returns their
// number, or -1 when the name is not mangled or has something in it that is
// not understood; `*name` gets the function's own name, "add" or "mm<16>"'s
// "mm", or NULL. Params and name are the caller's.
int signature_demangle(const char *mangled, struct nvrtc_param **params,
                       char **name);

// The type that a declaration's words name, such as "unsigned int" or
// "float4"; false when they are none of C's or CUDA's.
bool signature_type(const char *words, enum nvrtc_type *type,
                    uint8_t *vector_lanes);

// Bytes of a value of that type; 0 for NVRTC_OPAQUE and NVRTC_VOID.
uint32_t signature_type_bytes(enum nvrtc_type type);

void signature_params_free(struct nvrtc_param *params, int count);

#endif
