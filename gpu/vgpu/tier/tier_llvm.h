// SPDX-License-Identifier: Apache-2.0
// libLLVM, as the worker uses it.
#ifndef GPU_VGPU_TIER_TIER_LLVM_H
#define GPU_VGPU_TIER_TIER_LLVM_H

#include <stddef.h>

struct tier_llvm {
#define LLVM(result, name, arguments) result(*name) arguments;
#include "gpu/vgpu/tier/tier_llvm.def"
#undef LLVM
  void *library, *machine, *options;
  char *triple;
  char name[64];
  char *identity; // its file, and the processor that it compiles for
};

// NULL, or why there is no LLVM for us.
const char *tier_llvm_load(struct tier_llvm *l);
// An object of a module's text; or why there is none. Once in a process, which ends
// then: nothing is freed.
const char *tier_llvm_compile(struct tier_llvm *l, const char *text,
                              size_t bytes, const char **object, size_t *count);

#endif
