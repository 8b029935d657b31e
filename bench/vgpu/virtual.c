// SPDX-License-Identifier: Apache-2.0
// The problems on the virtual GPU. NVRTC names the compiler's library.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "bench/vgpu/problem.h"
#include "gpu/counters.h"
#include "gpu/gpu.h"

static void must(enum err err, const struct err_info *e, const char *doing) {
  if (!err)
    return;
  fprintf(stderr, "bench-vgpu: %s: %s\n", doing, e->text);
  exit(3);
}

// ---- PTX ----

// What the kernels include lies beside the library.
static void add_includes(const char *library, char *option, size_t room) {
  const char *slash = strrchr(library, '/');
  snprintf(option, room, "--include-path=%.*s../include",
           slash ? (int)(slash + 1 - library) : 0, library);
}

static char *compile(const char *text) {
  const char *path = getenv("NVRTC");
  void *library = dlopen(path ? path : "libnvrtc.so.13", RTLD_NOW);
  int (*create)(void **, const char *, const char *, int, void *, void *) =
      library ? dlsym(library, "nvrtcCreateProgram") : NULL;
  int (*build)(void *, int, const char *const *) =
      library ? dlsym(library, "nvrtcCompileProgram") : NULL;
  int (*get_size)(void *, size_t *) =
      library ? dlsym(library, "nvrtcGetPTXSize") : NULL;
  int (*get)(void *, char *) = library ? dlsym(library, "nvrtcGetPTX") : NULL;
  char includes[512] = "";
  add_includes(path ? path : "", includes, sizeof includes);
  const char *const options[] = {"--gpu-architecture=compute_80", "-lineinfo",
                                 includes};
  void *program;
  size_t size;
  if (!create || !build || !get_size || !get ||
      create(&program, text, "kernels.cu", 0, NULL, NULL) ||
      build(program, 3, options) || get_size(program, &size)) {
    fprintf(stderr, "bench-vgpu: NVRTC is not here or does not compile: set "
                    "NVRTC to the path of libnvrtc\n");
    exit(3);
  }
  char *ptx = malloc(size);
  get(program, ptx);
  return ptx;
}

static char *read_text(const char *path) {
  char *text;
  size_t bytes;
  struct err_info e;
  must(file_read(path, 1 << 22, &text, &bytes, &e), &e, path);
  return text;
}

// ---- Launches ----

static const struct gpu_backend *const back = &gpu_virtual_backend;
static struct gpu_device *device;
static gpu_handle modules[2]; // of kernels.cu and untuned.cu

static void load(const char *path, gpu_handle *out) {
  struct err_info e;
  char *source = read_text(path), *ptx = compile(source);
  must(back->module_load(device, ptx, strlen(ptx), out, &e), &e, path);
  free(source);
  free(ptx);
}

void virtual_open(void) {
  struct err_info e;
  must(back->open(0, NULL, &device, &e), &e, "open");
  load("bench/vgpu/kernels.cu", &modules[0]);
  load("bench/vgpu/untuned.cu", &modules[1]);
}

void virtual_close(void) {
  back->close(device);
}

struct launched {
  struct gpu_launch launch;
  gpu_ptr arrays[MAX_ARRAYS];
  int array_count;
  uint8_t params[128];
};

static size_t fill_params(const struct problem *p, const gpu_ptr *arrays,
                          uint8_t *params) {
  size_t at = 0;
  float scalar = 2.0f;
  if (p->has_scalar) {
    memcpy(params, &scalar, sizeof scalar);
    at = 8;
  }
  memcpy(params + at, arrays, sizeof *arrays * (size_t)p->arrays);
  at += sizeof *arrays * (size_t)p->arrays;
  memcpy(params + at, &p->n, sizeof p->n);
  return at + sizeof p->n;
}

// Where processor time counts, asking without a pause would count as the device's.
static enum err wait_for(struct err_info *e) {
  enum err err = ERR_NOT_READY;
  while (counts_cpu_time && err == ERR_NOT_READY) {
    nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
    err = back->poll(device, 0, e);
  }
  return counts_cpu_time ? err : gpu_synchronize(device, 0, e);
}

static double run(void *state) {
  struct launched *x = state;
  struct err_info e;
  double start = spent_ms();
  must(back->launch(device, &x->launch, &e), &e, "launch");
  must(wait_for(&e), &e, "launch");
  return spent_ms() - start;
}

static struct launched *prepare(const struct problem *p, uint32_t flags) {
  struct err_info e;
  struct gpu_function_info info;
  struct launched *x = calloc(1, sizeof *x);
  x->array_count = p->arrays;
  for (int i = 0; i < p->arrays; i++) {
    uint32_t *words = first_words(p, i);
    must(back->mem_alloc(device, 4 * p->count[i], 0, &x->arrays[i], &e), &e,
         "memory");
    must(back->copy_in(device, x->arrays[i], words, 4 * p->count[i], 0, &e), &e,
         "copy");
    must(gpu_synchronize(device, 0, &e), &e, "copy");
    free(words);
  }
  x->launch = (struct gpu_launch){.grid = {p->grid[0], p->grid[1], 1},
                                  .block = {p->block[0], p->block[1], 1},
                                  .flags = flags,
                                  .params = x->params};
  x->launch.param_bytes = (uint32_t)fill_params(p, x->arrays, x->params);
  must(back->function_get(device, modules[p->is_untuned], p->name,
                          &x->launch.function, &info, &e),
       &e, p->name);
  return x;
}

static void *begin(const struct problem *p, uint32_t flags, uint32_t *result) {
  struct err_info e;
  struct launched *x = prepare(p, flags);
  run(x);
  must(back->copy_out(device, result, x->arrays[p->result],
                      4 * p->count[p->result], 0, &e),
       &e, "copy");
  must(gpu_synchronize(device, 0, &e), &e, "copy");
  return x;
}

static void *begin_unchecked(const struct problem *p, uint32_t *result) {
  return begin(p, GPU_LAUNCH_UNCHECKED, result);
}

static void *begin_checked(const struct problem *p, uint32_t *result) {
  return begin(p, 0, result);
}

static void end(void *state) {
  struct launched *x = state;
  struct err_info e;
  for (int i = 0; i < x->array_count; i++)
    must(back->mem_free(device, x->arrays[i], &e), &e, "memory");
  free(x);
}

const struct contender virtual_unchecked = {begin_unchecked, run, end};
const struct contender virtual_checked = {begin_checked, run, end};

// ---- Small launches ----

void *virtual_small_begin(size_t bytes) {
  static const struct problem scan = {.name = "scan",
                                      .grid = {VIRTUAL_SMALL_WORDS / 256, 1},
                                      .block = {256, 1},
                                      .n = VIRTUAL_SMALL_WORDS,
                                      .is_untuned = true,
                                      .arrays = 2};
  struct err_info e;
  struct launched *x = prepare(&scan, 0);
  x->array_count = 2;
  for (int i = 0; i < 2; i++) {
    must(back->mem_free(device, x->arrays[i], &e), &e, "memory");
    must(back->mem_alloc(device, bytes, 0, &x->arrays[i], &e), &e, "memory");
  }
  struct gpu_fill fill = {
      .to = x->arrays[0], .width = 4, .count = VIRTUAL_SMALL_WORDS};
  must(back->mem_set(device, &fill, &e), &e, "set");
  fill_params(&scan, x->arrays, x->params);
  run(x);
  return x;
}

double virtual_small_run(void *state, int count) {
  double ms = 0;
  for (int n = 0; n < count; n++)
    ms += run(state);
  return ms / count;
}

void virtual_small_end(void *state) {
  end(state);
}

// ---- Counted ----

struct work_done virtual_count(const struct problem *p) {
  struct err_info e;
  struct gpu_counts counts;
  struct gpu_line_counts *lines = NULL;
  struct launched *x = prepare(p, GPU_LAUNCH_UNCHECKED | GPU_LAUNCH_COUNT);
  run(x);
  must(back->counts(device, &counts, &lines, &e), &e, "counters");
  free(lines);
  end(x);
  const uint64_t *c = counts.count;
  return (struct work_done){.instructions = (double)c[GPU_COUNT_INST],
                            .flops =
                                (double)(c[GPU_COUNT_FADD] + c[GPU_COUNT_FMUL] +
                                         2 * c[GPU_COUNT_FFMA]),
                            .special = 32.0 * (double)c[GPU_COUNT_SPECIAL]};
}
