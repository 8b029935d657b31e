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
  void *the_context, *the_queue, *the_program;
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
    {"clCreateKernel", (void **)&cl.kernel},
    {"clCreateBuffer", (void **)&cl.buffer},
    {"clSetKernelArg", (void **)&cl.argument},
    {"clEnqueueNDRangeKernel", (void **)&cl.launch},
    {"clEnqueueWriteBuffer", (void **)&cl.write},
    {"clEnqueueReadBuffer", (void **)&cl.read},
    {"clFinish", (void **)&cl.finish},
    {"clReleaseMemObject", (void **)&cl.release},
};

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
  char *text;
  size_t bytes;
  struct err_info e;
  if (file_read("bench/vgpu/kernels.cl", 1 << 20, &text, &bytes, &e))
    return "bench/vgpu/kernels.cl cannot be read";
  cl.the_program =
      cl.program(cl.the_context, 1, (const char **)&text, &bytes, NULL);
  free(text);
  if (cl.build(cl.the_program, 1, &device, "", NULL, NULL)) {
    cl.the_program = NULL;
    return "OpenCL cannot build bench/vgpu/kernels.cl";
  }
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

static double run_once(const struct problem *p, void *kernel) {
  size_t local[2] = {p->block[0], p->block[1]};
  size_t global[2] = {p->grid[0] * local[0], p->grid[1] * local[1]};
  double start = now_ms();
  if (cl.launch(cl.the_queue, kernel, 2, NULL, global, local, 0, NULL, NULL) ||
      cl.finish(cl.the_queue))
    return -1;
  return now_ms() - start;
}

double opencl_run(const struct problem *p, int runs, double *sum) {
  opencl_name();
  if (!cl.the_program)
    return -1;
  void *kernel = cl.kernel(cl.the_program, p->name, NULL);
  void *buffers[MAX_ARRAYS];
  uint32_t at = 0;
  float scalar = 2.0f;
  double ms[32];
  if (p->has_scalar)
    cl.argument(kernel, at++, sizeof scalar, &scalar);
  for (int i = 0; i < p->arrays; i++) {
    size_t bytes = sizeof(float) * p->count[i];
    float *fill = malloc(bytes);
    for (size_t k = 0; k < p->count[i]; k++)
      fill[k] = p->first[i];
    buffers[i] =
        cl.buffer(cl.the_context, CL_MEM_READ_WRITE, bytes, NULL, NULL);
    cl.write(cl.the_queue, buffers[i], 1, 0, bytes, fill, 0, NULL, NULL);
    free(fill);
    cl.argument(kernel, at++, sizeof buffers[i], &buffers[i]);
  }
  cl.argument(kernel, at++, sizeof p->n, &p->n);
  run_once(p, kernel);
  size_t count = p->count[p->result];
  float *result = malloc(sizeof(float) * count);
  cl.read(cl.the_queue, buffers[p->result], 1, 0, sizeof(float) * count, result,
          0, NULL, NULL);
  *sum = 0;
  for (size_t k = 0; k < count; k++)
    *sum += (double)result[k];
  free(result);
  for (int i = 0; i < runs; i++)
    ms[i] = run_once(p, kernel);
  for (int i = 0; i < p->arrays; i++)
    cl.release(buffers[i]);
  return median(ms, runs);
}
