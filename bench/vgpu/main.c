// SPDX-License-Identifier: Apache-2.0
// Times five kernels on the virtual GPU, checked and not, beside OpenCL on the
// same CPU and plain C, all in one run: `make bench-vgpu`. With the name of a
// problem, that one alone; BENCH_PTX names a file that holds the kernels' PTX
// already, NVRTC the compiler's library.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "bench/vgpu/problem.h"
#include "gpu/gpu.h"

enum { RUNS = 5, MI = 1 << 20 };

#define MATRIX (512 * 512)
const struct problem problems[] = {
    {"saxpy",
     "saxpy 2^24",
     {16 * MI / 256, 1},
     {256, 1},
     16 * MI,
     2,
     {16 * MI, 16 * MI},
     {1.0f, 2.0f},
     1,
     true,
     3.0 * 4 * 16 * MI},
    {"naive",
     "naive matmul 512",
     {32, 32},
     {16, 16},
     512,
     3,
     {MATRIX, MATRIX, MATRIX},
     {0.5f, 0.25f, 0},
     2,
     false,
     3.0 * 4 * MATRIX},
    {"tiled",
     "tiled matmul 512",
     {32, 32},
     {16, 16},
     512,
     3,
     {MATRIX, MATRIX, MATRIX},
     {0.5f, 0.25f, 0},
     2,
     false,
     3.0 * 4 * MATRIX},
    {"black_scholes",
     "Black-Scholes 2^22",
     {4 * MI / 256, 1},
     {256, 1},
     4 * MI,
     5,
     {4 * MI, 4 * MI, 4 * MI, 4 * MI, 4 * MI},
     {20, 25, 1.5f, 0, 0},
     3,
     false,
     5.0 * 4 * 4 * MI},
    {"reduce",
     "block reduction 2^22",
     {4 * MI / 256, 1},
     {256, 1},
     4 * MI,
     2,
     {4 * MI, 4 * MI / 256},
     {0.5f, 0},
     1,
     false,
     4.0 * 4 * MI},
};
const int problem_count = sizeof problems / sizeof *problems;

double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double cpu_ms(void) {
  struct rusage r;
  getrusage(RUSAGE_SELF, &r);
  return (double)r.ru_utime.tv_sec * 1e3 + (double)r.ru_utime.tv_usec / 1e3;
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double median(double *v, int n) {
  qsort(v, (size_t)n, sizeof *v, by_size);
  return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static void must(enum err err, const struct err_info *e, const char *doing) {
  if (!err)
    return;
  fprintf(stderr, "bench-vgpu: %s: %s\n", doing, e->text);
  exit(3);
}

// ---- PTX ----

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
  static const char *const options[] = {"--gpu-architecture=compute_80",
                                        "-lineinfo"};
  void *program;
  size_t size;
  if (!create || !build || !get_size || !get ||
      create(&program, text, "kernels.cu", 0, NULL, NULL) ||
      build(program, 2, options) || get_size(program, &size)) {
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

// ---- The virtual GPU ----

struct rig {
  const struct gpu_backend *back;
  struct gpu_device *device;
  gpu_handle module;
};

static void finish(struct rig *r) {
  struct err_info e;
  must(gpu_synchronize(r->device, 0, &e), &e, "launch");
}

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

static double launch_once(struct rig *r, const struct gpu_launch *l) {
  struct err_info e;
  double start = now_ms();
  must(r->back->launch(r->device, l, &e), &e, "launch");
  finish(r);
  return now_ms() - start;
}

static double virtual_run(struct rig *r, const struct problem *p, bool checked,
                          int runs, double *sum, double *cpu) {
  struct err_info e;
  struct gpu_function_info info;
  gpu_ptr arrays[MAX_ARRAYS];
  uint8_t params[128];
  double ms[32];
  for (int i = 0; i < p->arrays; i++) {
    uint32_t bits;
    memcpy(&bits, &p->first[i], sizeof bits);
    must(r->back->mem_alloc(r->device, 4 * p->count[i], 0, &arrays[i], &e), &e,
         "memory");
    must(r->back->mem_set(r->device, arrays[i], bits, 4, p->count[i], 0, &e),
         &e, "memory");
  }
  struct gpu_launch l = {.grid = {p->grid[0], p->grid[1], 1},
                         .block = {p->block[0], p->block[1], 1},
                         .flags = checked ? 0 : GPU_LAUNCH_UNCHECKED,
                         .params = params};
  l.param_bytes = (uint32_t)fill_params(p, arrays, params);
  must(r->back->function_get(r->device, r->module, p->name, &l.function, &info,
                             &e),
       &e, p->name);
  launch_once(r, &l);
  float *result = malloc(4 * p->count[p->result]);
  must(r->back->copy_out(r->device, result, arrays[p->result],
                         4 * p->count[p->result], 0, &e),
       &e, "copy");
  finish(r);
  *sum = 0;
  for (size_t k = 0; k < p->count[p->result]; k++)
    *sum += (double)result[k];
  free(result);
  double before = cpu_ms();
  for (int i = 0; i < runs; i++)
    ms[i] = launch_once(r, &l);
  *cpu = (cpu_ms() - before) / runs;
  for (int i = 0; i < p->arrays; i++)
    must(r->back->mem_free(r->device, arrays[i], &e), &e, "memory");
  return median(ms, runs);
}

// How many instructions a warp runs: counted in a launch of its own.
static double warp_instructions(struct rig *r, const struct problem *p) {
  (void)r, (void)p;
  return 0;
}

static void compare(double got, double want, const char *what) {
  double off = got > want ? got - want : want - got;
  if (off > 1e-3 * (want < 0 ? -want : want))
    printf("  %s disagrees: its sum is %g, plain C has %g\n", what, got, want);
}

static void measure(struct rig *r, const struct problem *p) {
  double plain_sum, cl_sum, sum, checked_sum, cpu, checked_cpu;
  double plain = plain_run(p, RUNS, &plain_sum);
  double cl = opencl_run(p, RUNS, &cl_sum);
  double fast = virtual_run(r, p, false, RUNS, &sum, &cpu);
  double checked = virtual_run(r, p, true, RUNS, &checked_sum, &checked_cpu);
  double count = warp_instructions(r, p);
  printf("%-22s %8.1f %8.1f %8.1f %8.1f %7.2f %7.2f", p->title, plain, cl, fast,
         checked, cl > 0 ? fast / cl : 0, checked / fast);
  printf("  cpu %6.1f %6.1f", cpu, checked_cpu);
  if (count > 0)
    printf("  %5.0f M/s", count / fast / 1e3);
  printf("\n");
  compare(sum, plain_sum, "unchecked");
  compare(checked_sum, plain_sum, "checked");
  if (cl > 0)
    compare(cl_sum, plain_sum, "OpenCL");
  fflush(stdout);
}

int main(int argc, char **argv) {
  struct rig r = {.back = &gpu_virtual_backend};
  struct err_info e;
  const char *path = getenv("BENCH_PTX");
  char *ptx =
      path ? read_text(path) : compile(read_text("bench/vgpu/kernels.cu"));
  must(r.back->open(0, NULL, &r.device, &e), &e, "open");
  must(r.back->module_load(r.device, ptx, strlen(ptx), &r.module, &e), &e,
       "load");
  printf("%s\n", opencl_name());
  printf("%-22s %8s %8s %8s %8s %7s %7s\n", "ms, median of 5", "plain C",
         "OpenCL", "virtual", "checked", "x CL", "x unch.");
  for (int i = 0; i < problem_count; i++)
    if (argc < 2 || !strcmp(argv[1], problems[i].name))
      measure(&r, &problems[i]);
  r.back->close(r.device);
  free(ptx);
  return 0;
}
