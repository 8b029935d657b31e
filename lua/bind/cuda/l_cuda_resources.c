// SPDX-License-Identifier: Apache-2.0
// Registers and local memory of a kernel, on every device: the driver says it
// of a loaded cubin; for the virtual GPU, which runs PTX, the module is compiled
// once more to what a real GPU of the same capability would run.
#include "lua/bind/cuda/l_cuda_resources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lua/bind/cuda/l_cuda_module.h"

int lcuda_arch_number(const char *arch) {
  const char *digits = strpbrk(arch, "0123456789");
  return digits ? atoi(digits) : 80;
}

void lcuda_native_arch(const char *arch, char out[24]) {
  const char *rest = strchr(arch, '_');
  snprintf(out, 24, "sm%s", rest ? rest : "_80");
}

static const struct nvrtc_program *native_program(struct lmodule *m,
                                                  const char *arch) {
  char native[24];
  struct err_info e = {0};
  lcuda_native_arch(arch, native);
  if (m->native && strcmp(m->native->arch, native)) {
    nvrtc_program_free(m->native);
    m->native = NULL;
    m->has_no_native = false;
  }
  if (m->native || m->has_no_native)
    return m->native;
  enum err err = lmodule_try_compile(m, native, false, &m->native, &e);
  if (err != ERR_OK) { // no reason to fail what only wanted to know
    nvrtc_program_free(m->native);
    m->native = NULL;
    m->has_no_native = err != ERR_CANCELLED;
  }
  return m->native;
}

struct lresources lkernel_resources(struct lkernel *k) {
  const struct gpu_function_info *info = &k->info;
  const struct nvrtc_kernel *decl = lkernel_decl(k);
  struct lresources r = {info->registers, info->local_bytes};
  if (r.registers >= 0)
    return r;
  if (decl->registers >= 0)
    return (struct lresources){decl->registers, decl->local_bytes};
  const struct nvrtc_program *p =
      native_program(k->module, k->device->info.arch);
  for (int i = 0; p && i < p->kernel_count; i++)
    if (!strcmp(p->kernels[i].mangled, decl->mangled) &&
        p->kernels[i].registers >= 0)
      r = (struct lresources){p->kernels[i].registers,
                              p->kernels[i].local_bytes};
  return r;
}
