// SPDX-License-Identifier: Apache-2.0
// The peer that warpshop is measured against: a program that does nothing but
// call the driver and NVRTC. It reads requests from standard input, one a
// line, and answers each with one number, so that bench/run can take turns
// between it and warpshop in one run.
//
//   first CUBIN    (argument, not a request) init, load, launch, check, exit
//   launches N     microseconds for each of N launches in a row, and the wait
//   calls N        the same, without the wait: what the caller pays
//   wait N         microseconds of launch and wait, one after the other
//   kernel SEED    milliseconds from a text never seen to its first result
//   cubin FILE     writes the cubin of the add kernel
//   copy BYTES     GB/s from pinned memory to the device; `back`: the other way
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpu/cuda/cuda_driver.h"

enum { COUNT = 4096 };

static const char source[] =
    "extern \"C\" __global__ void add(const float *x, const float *y,\n"
    "                               float *out, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) out[i] = x[i] + y[i] + %s;\n"
    "}\n";

static struct cuda_driver *cu;
static char arch[32];

static void check(int status, const char *doing) {
  struct err_info e;
  if (cuda_fail(cu, status, doing, &e)) {
    fprintf(stderr, "bare: %s\n", e.text);
    exit(3);
  }
}

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

// ---- NVRTC ----

static struct {
  int (*create)(void **, const char *, const char *, int, const char *const *,
                const char *const *);
  int (*compile)(void *, int, const char *const *);
  int (*cubin_size)(void *, size_t *);
  int (*cubin)(void *, char *);
  int (*destroy)(void **);
} nvrtc;

static void *symbol(void *library, const char *name) {
  void *p = library ? dlsym(library, name) : NULL;
  if (!p) {
    fprintf(stderr, "bare: no %s: set NVRTC to the path of libnvrtc\n", name);
    exit(3);
  }
  return p;
}

static void load_nvrtc(void) {
  if (nvrtc.create)
    return;
  const char *path = getenv("NVRTC");
  void *library = dlopen(path ? path : "libnvrtc.so.13", RTLD_NOW);
  *(void **)&nvrtc.create = symbol(library, "nvrtcCreateProgram");
  *(void **)&nvrtc.compile = symbol(library, "nvrtcCompileProgram");
  *(void **)&nvrtc.cubin_size = symbol(library, "nvrtcGetCUBINSize");
  *(void **)&nvrtc.cubin = symbol(library, "nvrtcGetCUBIN");
  *(void **)&nvrtc.destroy = symbol(library, "nvrtcDestroyProgram");
}

static char *compile(const char *text, size_t *bytes) {
  load_nvrtc();
  void *program;
  const char *options[] = {arch, "-lineinfo"};
  check(nvrtc.create(&program, text, "add.cu", 0, NULL, NULL), "nvrtc");
  check(nvrtc.compile(program, 2, options), "nvrtc");
  check(nvrtc.cubin_size(program, bytes), "nvrtc");
  char *code = malloc(*bytes);
  check(nvrtc.cubin(program, code), "nvrtc");
  nvrtc.destroy(&program);
  return code;
}

// ---- The kernel ----

static uint64_t x, y, out;

static void open_device(void) {
  struct err_info e;
  void *context;
  int device, major, minor;
  if (cuda_driver_open(&cu, &e)) {
    fprintf(stderr, "bare: %s\n", e.text);
    exit(3);
  }
  check(cu->device_get(&device, 0), "device");
  check(cu->ctx_retain(&context, device), "context");
  check(cu->ctx_set_current(context), "context");
  check(cu->device_attribute(&major, 75, device), "attribute");
  check(cu->device_attribute(&minor, 76, device), "attribute");
  snprintf(arch, sizeof arch, "-arch=sm_%d%d", major, minor);
}

static void fill(void) {
  float host[COUNT];
  for (int i = 0; i < COUNT; i++)
    host[i] = (float)i;
  check(cu->mem_alloc(&x, sizeof host), "alloc");
  check(cu->mem_alloc(&y, sizeof host), "alloc");
  check(cu->mem_alloc(&out, sizeof host), "alloc");
  check(cu->copy_in_now(x, host, sizeof host), "copy");
  check(cu->copy_in_now(y, host, sizeof host), "copy");
}

static void *load(const void *code) {
  void *module, *function;
  check(cu->module_load(&module, code), "load");
  check(cu->module_function(&function, module, "add"), "function");
  return function;
}

static void launch(void *function) {
  int n = COUNT;
  void *arguments[] = {&x, &y, &out, &n};
  check(cu->launch(function, COUNT / 128, 1, 1, 128, 1, 1, 0, NULL, arguments,
                   NULL),
        "launch");
}

static void check_result(double extra) {
  float host[COUNT];
  check(cu->copy_out_now(host, out, sizeof host), "copy");
  for (int i = 0; i < COUNT; i++)
    if (host[i] != (float)(2 * i + extra)) {
      fprintf(stderr, "bare: wrong result\n");
      exit(1);
    }
}

static char *read_file(const char *path) {
  FILE *f = fopen(path, "rb");
  char *code = malloc(1 << 20);
  if (!f || !fread(code, 1, 1 << 20, f)) {
    fprintf(stderr, "bare: cannot read %s\n", path);
    exit(3);
  }
  fclose(f);
  return code;
}

// ---- Requests ----

static double time_launches(void *function, int n, int with_wait) {
  launch(function); // nobody sleeps any more
  check(cu->ctx_synchronize(), "wait");
  double start = now_us();
  for (int i = 0; i < n; i++)
    launch(function);
  double queued = now_us();
  check(cu->ctx_synchronize(), "wait");
  return ((with_wait ? now_us() : queued) - start) / n;
}

static double time_waits(void *function, int n) {
  double start = now_us();
  for (int i = 0; i < n; i++) {
    launch(function);
    check(cu->ctx_synchronize(), "wait");
  }
  return (now_us() - start) / n;
}

static double time_kernel(int seed) {
  char text[sizeof source + 32], extra[32];
  size_t bytes;
  snprintf(extra, sizeof extra, "%d", seed);
  snprintf(text, sizeof text, source, extra);
  double start = now_us();
  char *code = compile(text, &bytes);
  launch(load(code));
  check(cu->ctx_synchronize(), "wait");
  double end = now_us();
  check_result(seed);
  free(code);
  return (end - start) / 1e3;
}

static double time_copy(size_t bytes, int back) {
  static void *host;
  static uint64_t device;
  static size_t size;
  if (size < bytes) {
    host = aligned_alloc(4096, bytes);
    memset(host, 1, bytes);
    check(cu->host_register(host, bytes, 0), "register");
    check(cu->mem_alloc(&device, bytes), "alloc");
    size = bytes;
  }
  double start = now_us();
  check(back ? cu->copy_out(host, device, bytes, NULL)
             : cu->copy_in(device, host, bytes, NULL),
        "copy");
  check(cu->ctx_synchronize(), "wait");
  return (double)bytes / (now_us() - start) / 1e3;
}

static void write_cubin(const char *path) {
  char text[sizeof source + 32];
  size_t bytes;
  snprintf(text, sizeof text, source, "0");
  char *code = compile(text, &bytes);
  FILE *f = fopen(path, "wb");
  if (!f || fwrite(code, 1, bytes, f) != bytes || fclose(f)) {
    fprintf(stderr, "bare: cannot write %s\n", path);
    exit(3);
  }
  free(code);
}

static void serve(void) {
  char line[512], what[32], value[400];
  void *function = NULL;
  while (fgets(line, sizeof line, stdin)) {
    if (sscanf(line, "%31s %399s", what, value) != 2)
      continue;
    long n = atol(value);
    if (!function && strcmp(what, "cubin") != 0) {
      char text[sizeof source + 32];
      size_t bytes;
      snprintf(text, sizeof text, source, "0");
      function = load(compile(text, &bytes));
    }
    double answer = 0;
    if (!strcmp(what, "launches"))
      answer = time_launches(function, (int)n, 1);
    else if (!strcmp(what, "calls"))
      answer = time_launches(function, (int)n, 0);
    else if (!strcmp(what, "wait"))
      answer = time_waits(function, (int)n);
    else if (!strcmp(what, "kernel"))
      answer = time_kernel((int)n);
    else if (!strcmp(what, "cubin"))
      write_cubin(value);
    else if (!strcmp(what, "copy") || !strcmp(what, "back"))
      answer = time_copy((size_t)n, !strcmp(what, "back"));
    printf("%.4f\n", answer);
    fflush(stdout);
  }
}

int main(int argc, char **argv) {
  open_device();
  fill();
  if (argc == 3 && !strcmp(argv[1], "first")) {
    launch(load(read_file(argv[2])));
    check_result(0);
    puts("right");
    return 0;
  }
  serve();
  return 0;
}
