// SPDX-License-Identifier: Apache-2.0
// Launches the kernels of kernels.cu, each once, in this very process: on the
// virtual GPU, whose counters are printed ("kernel metric value", with Nsight
// Compute's names), or on the real one, for a profiler to look at.
// Usage: driver count FILE.ptx FILE.cubin | driver launch FILE.cubin
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "gpu/gpu.h"
#include "gpu/nvrtc/image/nvrtc_cubin.h"
#include "gpu/occupancy.h"

enum { ELEMENTS = 1 << 20, N = 1 << 16, MAX_FILE = 16 << 20 };

static const struct {
  const char *name;
  uint32_t grid[3], block[3], shared;
} cases[] = {
#define CASE(name, gx, gy, bx, by, shared)                                     \
  {#name, {gx, gy, 1}, {bx, by, 1}, shared},
#include "tests/gpu/counters/cases.def"
#undef CASE
};
enum { CASES = sizeof cases / sizeof *cases };

struct driver {
  const struct gpu_backend *back;
  struct gpu_device *device;
  gpu_handle module;
  gpu_ptr in, out, index;
  bool counts;
};

static struct err_info info;

static void must(enum err err, const char *what) {
  if (!err)
    return;
  fprintf(stderr, "driver: %s: %s\n", what, info.text);
  exit(3);
}

static void finish(struct driver *d, const char *what) {
  must(gpu_synchronize(d->device, GPU_ALL_STREAMS, &info), what);
}

// ---- Arrays ----

static gpu_ptr upload(struct driver *d, const void *data) {
  gpu_ptr p;
  must(d->back->mem_alloc(d->device, ELEMENTS * 4, 0, &p, &info), "memory");
  must(d->back->copy_in(d->device, p, data, ELEMENTS * 4, 0, &info), "copy");
  finish(d, "copy");
  return p;
}

static void make_arrays(struct driver *d) {
  float *in = xcalloc(ELEMENTS, sizeof *in);
  int32_t *index = xcalloc(ELEMENTS, sizeof *index);
  uint32_t x = 1;
  for (int i = 0; i < ELEMENTS; i++) {
    x = x * 1664525 + 1013904223; // Numerical Recipes' generator
    in[i] = (float)(i % 97) / 97;
    index[i] = (int32_t)(x >> 16);
  }
  d->in = upload(d, in);
  d->out = upload(d, in);
  d->index = upload(d, index);
  free(in);
  free(index);
}

// ---- Launches ----

static void launch(struct driver *d, int c) {
  struct gpu_function_info f;
  char params[GPU_MAX_PARAM_BYTES];
  int32_t n = N;
  struct gpu_launch l = {.shared_bytes = cases[c].shared,
                         .flags = d->counts ? GPU_LAUNCH_COUNT : 0,
                         .params = params};
  must(d->back->function_get(d->device, d->module, cases[c].name, &l.function,
                             &f, &info),
       cases[c].name);
  const void *const values[] = {&d->in, &d->out, &d->index, &n};
  for (int i = 0; i < 4; i++)
    memcpy(params + f.params[i].offset, values[i], i < 3 ? 8 : 4);
  l.param_bytes = f.param_bytes;
  memcpy(l.grid, cases[c].grid, sizeof l.grid);
  memcpy(l.block, cases[c].block, sizeof l.block);
  must(d->back->launch(d->device, &l, &info), cases[c].name);
  finish(d, cases[c].name);
}

static void *read_image(const char *path, size_t *bytes) {
  char *data;
  must(file_read(path, MAX_FILE, &data, bytes, &info), path);
  return data;
}

static void open_on(struct driver *d, const struct gpu_backend *back,
                    const char *path) {
  size_t bytes;
  void *image = read_image(path, &bytes);
  d->back = back;
  must(back->open(0, NULL, &d->device, &info), "open");
  must(back->module_load(d->device, image, bytes, &d->module, &info), path);
  free(image);
  make_arrays(d);
}

// ---- Counters ----

static void print_value(int c, enum gpu_metric m, double value) {
  if (*gpu_metrics[m].nsight && !isnan(value))
    printf("%s\t%s\t%.17g\n", cases[c].name, gpu_metrics[m].nsight, value);
}

// Limits of the real GPU where there is one, else the virtual one's.
static void find_limits(struct driver *d, struct gpu_occupancy_limits *out) {
  struct gpu_device *gpu;
  struct gpu_device_info i;
  if (!gpu_cuda_backend.open(0, NULL, &gpu, &info)) {
    must(gpu_cuda_backend.info(gpu, &i, &info), "info");
    gpu_cuda_backend.close(gpu);
  } else {
    must(d->back->info(d->device, &i, &info), "info");
  }
  gpu_occupancy_limits(i.attributes, out);
}

static void print_counts(struct driver *d, int c, const void *cubin,
                         size_t bytes, const struct gpu_occupancy_limits *on) {
  struct gpu_counts counts;
  struct gpu_line_counts *lines;
  struct gpu_occupancy o;
  struct cubin_kernel k;
  must(d->back->counts(d->device, &counts, &lines, &info), cases[c].name);
  bool is_there = cubin_find(cubin, bytes, cases[c].name, &k);
  struct gpu_occupancy_need need = {.shared_static = counts.shared_static,
                                    .shared_dynamic = counts.shared_dynamic,
                                    .registers = is_there ? k.registers : -1,
                                    .spill_bytes =
                                        is_there ? k.local_bytes : -1};
  memcpy(need.grid, counts.grid, sizeof need.grid);
  memcpy(need.block, counts.block, sizeof need.block);
  gpu_occupancy_compute(on, &need, &o);
  for (int m = 0; m < GPU_METRIC_COUNT; m++)
    print_value(c, (enum gpu_metric)m,
                gpu_metrics[m].source == GPU_FROM_SHAPE
                    ? gpu_occupancy_value(&o, (enum gpu_metric)m)
                    : gpu_metric_value((enum gpu_metric)m, counts.count));
  free(lines);
}

static void count_all(const char *ptx, const char *cubin_path) {
  struct driver d = {.counts = true};
  struct gpu_occupancy_limits limits;
  size_t bytes;
  void *cubin = read_image(cubin_path, &bytes);
  open_on(&d, &gpu_virtual_backend, ptx);
  find_limits(&d, &limits);
  for (int c = 0; c < CASES; c++) {
    launch(&d, c);
    print_counts(&d, c, cubin, bytes, &limits);
  }
  d.back->close(d.device);
  free(cubin);
}

static void launch_all(const char *cubin) {
  struct driver d = {0};
  open_on(&d, &gpu_cuda_backend, cubin);
  for (int c = 0; c < CASES; c++)
    launch(&d, c);
  d.back->close(d.device);
}

// One metric a line, as ncu takes them.
static void print_metrics(void) {
  for (int m = 0; m < GPU_METRIC_COUNT; m++)
    if (*gpu_metrics[m].nsight)
      puts(gpu_metrics[m].nsight);
}

int main(int argc, char **argv) {
  if (argc == 4 && !strcmp(argv[1], "count"))
    count_all(argv[2], argv[3]);
  else if (argc == 3 && !strcmp(argv[1], "launch"))
    launch_all(argv[2]);
  else if (argc == 2 && !strcmp(argv[1], "metrics"))
    print_metrics();
  else
    return fprintf(stderr, "usage: driver count PTX CUBIN | launch CUBIN | "
                           "metrics\n"),
           2;
  return 0;
}
