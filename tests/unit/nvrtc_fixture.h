// SPDX-License-Identifier: Apache-2.0
// What the tests of the compiler share: one compiler, its own cache folder,
// and a skip where there is no NVRTC. Include cmocka.h's needs first.
#ifndef TESTS_UNIT_NVRTC_FIXTURE_H
#define TESTS_UNIT_NVRTC_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "gpu/nvrtc/nvrtc.h"

static char cache_folder[] = "/tmp/warpshop-nvrtc-XXXXXX";
static struct nvrtc *compiler;
static struct err_info last; // of the last compile

static inline void close_compiler(void) {
  nvrtc_close(compiler);
  compiler = NULL;
}

static inline int open_compiler_with(struct nvrtc_options o) {
  struct err_info e;
  struct nvrtc_found found;
  if (strstr(cache_folder, "XXXXXX") && !mkdtemp(cache_folder))
    return -1;
  o.cache_folder = cache_folder;
  close_compiler();
  if (nvrtc_open(&o, &compiler, &e)) {
    print_error("%s\n", e.text);
    return -1;
  }
  if (nvrtc_find(compiler, &found, &e)) {
    print_message("skipped: %s\n", e.text);
    close_compiler();
  }
  return 0;
}

static inline int open_compiler(void **state) {
  (void)state;
  return open_compiler_with((struct nvrtc_options){0});
}

static inline int remove_cache(void **state) {
  (void)state;
  close_compiler();
  char *command = xasprintf("rm -rf %s", cache_folder);
  int rc = system(command);
  free(command);
  return rc;
}

// Each test begins with it: without an NVRTC there is nothing to test.
#define NEED_NVRTC()                                                           \
  if (!compiler)                                                               \
  skip()

static inline struct nvrtc_program *compile_as(struct nvrtc_request r,
                                               enum err wanted) {
  struct nvrtc_program *p;
  r.file = r.file ? r.file : "add.cu";
  r.arch = r.arch ? r.arch : "sm_80";
  last = (struct err_info){0};
  enum err err = nvrtc_compile(compiler, &r, &p, &last);
  if (err != wanted)
    print_error("got %s: %s\n", err_kind(err), last.text);
  assert_int_equal(err, wanted);
  return p;
}

static inline struct nvrtc_program *compile(const char *source,
                                            enum err wanted) {
  return compile_as((struct nvrtc_request){.source = source, .no_cache = true},
                    wanted);
}

static const char add_source[] =
    "__global__ void add(const float *x, const float *y, float *out, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) out[i] = x[i] + y[i];\n"
    "}\n";

// The compiler is still there and still right.
static inline void next_compile_works(void) {
  struct nvrtc_program *p = compile(add_source, ERR_OK);
  assert_int_equal(p->kernel_count, 1);
  assert_string_equal(p->kernels[0].name, "add");
  nvrtc_program_free(p);
}

#endif
