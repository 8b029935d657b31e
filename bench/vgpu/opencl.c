// SPDX-License-Identifier: Apache-2.0
// The problems on the CPU's OpenCL, PoCL where it is installed (Debian:
// pocl-opencl-icd). The library is opened when asked for, so nothing needs it.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "bench/vgpu/problem.h"

// Of OpenCL 1.2's cl.h.
enum {
  CL_PLATFORM_VERSION = 0x0901,
  CL_PROGRAM_BUILD_LOG = 0x1183,
  CL_DEVICE_TYPE_ALL = -1,
  CL_MEM_READ_WRITE = 1
};

static struct {
  int32_t (*platforms)(uint32_t, void **, uint32_t *);
  int32_t (*platform_info)(void *, uint32_t, size_t, void *, size_t *);
  int32_t (*devices)(void *, uint64_t, uint32_t, void **, uint32_t *);
  void *(*context)(const intptr_t *, uint32_t, void **, void *, void *,
                   int32_t *);
  void *(*queue)(void *, void *, uint64_t, int32_t *);
  void *(*program)(void *, uint32_t, const char **, const size_t *, int32_t *);
  int32_t (*build)(void *, uint32_t, void **, const char *, void *, void *);
  int32_t (*build_info)(void *, void *, uint32_t, size_t, void *, size_t *);
  void *(*kernel)(void *, const char *, int32_t *);
  void *(*buffer)(void *, uint64_t, size_t, void *, int32_t *);
  int32_t (*argument)(void *, uint32_t, size_t, const void *);
  int32_t (*launch)(void *, void *, uint32_t, const size_t *, const size_t *,
                    const size_t *, uint32_t, void *, void *);
  int32_t (*write)(void *, void *, uint32_t, size_t, size_t, const void *,
                   uint32_t, void *, void *);
  int32_t (*read)(void *, void *, uint32_t, size_t, size_t, void *, uint32_t,
                  void *, void *);
  int32_t (*finish)(void *);
  int32_t (*release)(void *);
  void *the_context, *the_queue;
  void *programs[2]; // of kernels.cl and untuned.cu
  char name[160];
} cl;

static const struct {
  const char *name;
  void **to;
} symbols[] = {
    {"clGetPlatformIDs", (void **)&cl.platforms},
    {"clGetPlatformInfo", (void **)&cl.platform_info},
    {"clGetDeviceIDs", (void **)&cl.devices},
    {"clCreateContext", (void **)&cl.context},
    {"clCreateCommandQueue", (void **)&cl.queue},
    {"clCreateProgramWithSource", (void **)&cl.program},
    {"clBuildProgram", (void **)&cl.build},
    {"clGetProgramBuildInfo", (void **)&cl.build_info},
    {"clCreateKernel", (void **)&cl.kernel},
    {"clCreateBuffer", (void **)&cl.buffer},
    {"clSetKernelArg", (void **)&cl.argument},
    {"clEnqueueNDRangeKernel", (void **)&cl.launch},
    {"clEnqueueWriteBuffer", (void **)&cl.write},
    {"clEnqueueReadBuffer", (void **)&cl.read},
    {"clFinish", (void **)&cl.finish},
    {"clReleaseMemObject", (void **)&cl.release},
};

static const char *const sources[] = {"bench/vgpu/kernels.cl",
                                      "bench/vgpu/untuned.cu"};

static void *build(void *device, const char *path) {
  char *text;
  size_t bytes;
  struct err_info e;
  if (file_read(path, 1 << 20, &text, &bytes, &e))
    return NULL;
  void *p = cl.program(cl.the_context, 1, (const char **)&text, &bytes, NULL);
  free(text);
  if (!cl.build(p, 1, &device, "", NULL, NULL))
    return p;
  static char log[4096];
  cl.build_info(p, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
  fprintf(stderr, "%s: %s\n", path, log);
  return NULL;
}

static const char *open_library(void) {
  void *library = dlopen("libOpenCL.so.1", RTLD_NOW);
  if (!library)
    return "no libOpenCL.so.1 here (Debian: pocl-opencl-icd)";
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
    if (!(*symbols[i].to = dlsym(library, symbols[i].name)))
      return "libOpenCL.so.1 lacks a function";
  void *platform, *device;
  uint32_t count = 0;
  if (cl.platforms(1, &platform, &count) || !count ||
      cl.devices(platform, (uint64_t)CL_DEVICE_TYPE_ALL, 1, &device, &count))
    return "no OpenCL device here (Debian: pocl-opencl-icd)";
  cl.the_context = cl.context(NULL, 1, &device, NULL, NULL, NULL);
  cl.the_queue = cl.queue(cl.the_context, device, 0, NULL);
  for (int k = 0; k < 2; k++)
    if (!(cl.programs[k] = build(device, sources[k])))
      return "OpenCL cannot build the kernels of bench/vgpu";
  if (cl.platform_info(platform, CL_PLATFORM_VERSION, sizeof cl.name, cl.name,
                       NULL))
    return "OpenCL";
  return cl.name;
}

const char *opencl_name(void) {
  static const char *name;
  if (!name)
    name = open_library();
  return name;
}

struct prepared {
  void *kernel, *buffers[MAX_ARRAYS];
  int buffer_count;
  size_t local[2], global[2];
};

static double run(void *state) {
  struct prepared *x = state;
  double start = spent_ms();
  if (cl.launch(cl.the_queue, x->kernel, 2, NULL, x->global, x->local, 0, NULL,
                NULL) ||
      cl.finish(cl.the_queue))
    return -1;
  return spent_ms() - start;
}

static void *new_buffer(const struct problem *p, int array) {
  size_t bytes = 4 * p->count[array];
  uint32_t *words = first_words(p, array);
  void *buffer =
      cl.buffer(cl.the_context, CL_MEM_READ_WRITE, bytes, NULL, NULL);
  cl.write(cl.the_queue, buffer, 1, 0, bytes, words, 0, NULL, NULL);
  free(words);
  return buffer;
}

static void *begin(const struct problem *p, uint32_t *result) {
  opencl_name();
  if (!cl.programs[1])
    return NULL;
  struct prepared *x = calloc(1, sizeof *x);
  uint32_t at = 0;
  float scalar = 2.0f;
  x->kernel = cl.kernel(cl.programs[p->is_untuned], p->name, NULL);
  for (int d = 0; d < 2; d++) {
    x->local[d] = p->block[d];
    x->global[d] = p->grid[d] * x->local[d];
  }
  if (p->has_scalar)
    cl.argument(x->kernel, at++, sizeof scalar, &scalar);
  for (x->buffer_count = 0; x->buffer_count < p->arrays; x->buffer_count++) {
    void **b = &x->buffers[x->buffer_count];
    *b = new_buffer(p, x->buffer_count);
    cl.argument(x->kernel, at++, sizeof *b, b);
  }
  cl.argument(x->kernel, at++, sizeof p->n, &p->n);
  run(x);
  cl.read(cl.the_queue, x->buffers[p->result], 1, 0, 4 * p->count[p->result],
          result, 0, NULL, NULL);
  return x;
}

static void end(void *state) {
  struct prepared *x = state;
  for (int i = 0; i < x->buffer_count; i++)
    cl.release(x->buffers[i]);
  free(x);
}

const struct contender opencl = {begin, run, end};
