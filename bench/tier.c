// SPDX-License-Identifier: Apache-2.0
// What the virtual GPU's compiled tier costs and how soon it helps, with the kernels of
// tests/fixtures/tier.ptx, run from the checkout:
//   build/bench/tier          all of it, a few minutes
//   build/bench/tier NAME     compile, first or late
// compile  ms for each kernel, checked: made anew, also in processor time, and found in
//          the cache: from its text to its code, in processor time of the device's
//          thread for it, the keeper and the worker, the median of 15; and what its
//          text's digest takes, which the launch makes with the text
// first    a kernel's first launch, with the tier and without it, in turns: what it
//          costs more
// late     one checked launch of seconds: when its code is there, how long it takes,
//          and how long the interpreter alone
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/median.h"
#include "base/mem.h"
#include "gpu/vgpu/device/device.h"
#include "gpu/vgpu/tier/tier_kernel.h"

enum { MOST_ARRAYS = 4, MATRIX = 1024 * 1024, MI = 1 << 20 };

struct problem {
  const char *name;
  uint32_t grid[2], block[2];
  int n, arrays;
  size_t words[MOST_ARRAYS];
};

// Seconds for the interpreter on one core.
static const struct problem problems[] = {
    {"naive", {64, 64}, {16, 16}, 1024, 3, {MATRIX, MATRIX, MATRIX}},
    {"tiled", {64, 64}, {16, 16}, 1024, 3, {MATRIX, MATRIX, MATRIX}},
    {"nbody", {56, 1}, {256, 1}, 14336, 2, {57344, 43008}},
    {"convolution", {256, 256}, {16, 16}, 4096, 3, {16 * MI, 25, 16 * MI}},
    {"reduce", {1 << 18, 1}, {256, 1}, 64 * MI, 2, {64 * MI, 1 << 18}},
    {"scan", {1 << 16, 1}, {256, 1}, 16 * MI, 2, {16 * MI, 16 * MI}},
    {"bitonic", {1 << 14, 1}, {256, 1}, 4 * MI, 2, {4 * MI, 4 * MI}},
    {"radix", {1 << 14, 1}, {256, 1}, 4 * MI, 2, {4 * MI, 4 * MI}},
    {"fft", {1 << 15, 1}, {128, 1}, 8 * MI, 3, {16 * MI, 256, 16 * MI}},
    {"stencil2d", {256, 256}, {16, 16}, 4096, 2, {16 * MI, 16 * MI}},
    {"histogram", {1 << 12, 1}, {256, 1}, MI, 2, {MI, 256}},
};
enum { COUNT = sizeof problems / sizeof *problems };

static const struct gpu_backend *const back = &gpu_virtual_backend;
static char *text;
static size_t text_bytes;

static void must(enum err err, const struct err_info *e) {
  if (!err)
    return;
  fprintf(stderr, "bench/tier: %s\n", e->text);
  exit(2);
}

// ---- A device, and one kernel on it ----

struct bench {
  struct gpu_device *d;
  gpu_handle function;
  const struct problem *p;
  gpu_ptr at[MOST_ARRAYS];
};

static void make_arrays(struct bench *b) {
  struct err_info e;
  for (int n = 0; n < b->p->arrays; n++) {
    size_t bytes = b->p->words[n] * sizeof(float);
    float *words = xmalloc(bytes);
    for (size_t k = 0; k < b->p->words[n]; k++)
      words[k] = (float)(k % 1000) / 1000;
    must(back->mem_alloc(b->d, bytes, 0, &b->at[n], &e), &e);
    must(back->copy_in(b->d, b->at[n], words, bytes, 0, &e), &e);
    while (back->poll(b->d, GPU_ALL_STREAMS, &e) == ERR_NOT_READY)
      ;
    free(words);
  }
}

// Its function, of a module of its own, whose kernels nobody has looked at.
static void load(struct bench *b) {
  struct err_info e;
  gpu_handle module;
  must(back->module_load(b->d, text, text_bytes, &module, &e), &e);
  must(back->function_get(b->d, module, b->p->name, &b->function, NULL, &e),
       &e);
}

static struct bench begin_on(struct gpu_device *d, const struct problem *p) {
  struct bench b = {.d = d, .p = p};
  load(&b);
  make_arrays(&b);
  return b;
}

static struct bench begin(const struct problem *p, const char *tier) {
  struct gpu_device *d;
  struct err_info e;
  setenv("WARPSHOP_TIER", tier, 1);
  must(back->open(0, NULL, &d, &e), &e);
  return begin_on(d, p);
}

static void end(struct bench *b) {
  back->close(b->d);
}

static const struct vg_tier_kernel *kernel_of(const struct bench *b) {
  return vg_own(b->d)->functions[b->function - 1].code->tier;
}

// Seconds of one checked launch; and when its kernel was compiled, or -1.
static double launch(struct bench *b, uint32_t blocks, double *ready) {
  struct err_info e;
  uint8_t params[64];
  size_t bytes = sizeof *b->at * (size_t)b->p->arrays;
  memcpy(params, b->at, bytes);
  memcpy(params + bytes, &b->p->n, sizeof b->p->n);
  struct gpu_launch l = {
      .function = b->function,
      .grid = {blocks ? blocks : b->p->grid[0], blocks ? 1 : b->p->grid[1], 1},
      .block = {b->p->block[0], b->p->block[1], 1},
      .params = params,
      .param_bytes = (uint32_t)(bytes + sizeof b->p->n)};
  double from = clock_s();
  enum err err = back->launch(b->d, &l, &e);
  *ready = -1;
  must(err, &e);
  while ((err = back->poll(b->d, GPU_ALL_STREAMS, &e)) == ERR_NOT_READY) {
    const struct vg_tier_kernel *k = kernel_of(b);
    if (*ready < 0 && k && atomic_load(&k->state) == TIER_RUNS)
      *ready = clock_s() - from;
  }
  must(err, &e);
  return clock_s() - from;
}

// ---- What is measured ----

// Processor time of the tier's processes that have ended.
static double children_ms(void) {
  struct rusage u;
  getrusage(RUSAGE_CHILDREN, &u);
  return 1e3 * (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
         1e-3 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

// On a device where another kernel has had LLVM loaded.
static struct bench begin_loaded(const struct problem *p) {
  double ready;
  static const struct problem other = {"naive", {1, 1}, {32, 8},
                                       64,      3,      {4096, 4096, 4096}};
  struct bench b = begin(&other, "always");
  launch(&b, 1, &ready);
  return begin_on(b.d, p);
}

static const struct vg_tier_kernel *launch_compiled(struct bench *b) {
  double ready;
  launch(b, 1, &ready);
  const struct vg_tier_kernel *k = kernel_of(b);
  if (k && k->code.run)
    return k;
  fprintf(stderr, "bench/tier: the tier is not there\n");
  exit(2);
}

// `spent`: processor time, with what loading LLVM takes.
static double compile_ms(const struct problem *p, double *spent) {
  *spent = -children_ms();
  struct bench b = begin_loaded(p);
  double ms = (double)launch_compiled(&b)->compile_ns / 1e6;
  end(&b);
  *spent += children_ms();
  return ms;
}

static double clock_ms(clockid_t clock) {
  struct timespec t = {0};
  clock_gettime(clock, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static double process_ms(pid_t pid) {
  clockid_t clock;
  return clock_getcpuclockid(pid, &clock) ? 0 : clock_ms(clock);
}

// The keeper's only child.
static pid_t worker_of(pid_t keeper) {
  char *path = xasprintf("/proc/%d/task/%d/children", (int)keeper, (int)keeper);
  FILE *f = fopen(path, "r");
  int pid = 0;
  if (!f || fscanf(f, "%d", &pid) != 1) {
    fprintf(stderr, "bench/tier: no worker\n");
    exit(2);
  }
  fclose(f);
  free(path);
  return pid;
}

// Processor time of all who take part in finding an object.
static double finders_ms(const struct vg_tier *t) {
  clockid_t clock;
  pthread_getcpuclockid(t->thread, &clock);
  return clock_ms(clock) + process_ms(t->pid) + process_ms(worker_of(t->pid));
}

struct found {
  double asked, digest; // ms
  size_t bytes;         // of the text
};

static double digest_ms(const struct vg_tier_kernel *k) {
  unsigned char digest[TIER_DIGEST_BYTES];
  double from = clock_ms(CLOCK_THREAD_CPUTIME_ID);
  tier_cache_digest(k->text, k->text_bytes, digest);
  return clock_ms(CLOCK_THREAD_CPUTIME_ID) - from;
}

static struct found find(const struct problem *p) {
  enum { ROUNDS = 15 };
  double asked[ROUNDS], digest[ROUNDS];
  struct found all = {0};
  struct bench b = begin_loaded(p);
  const struct vg_tier *t = vg_own(b.d)->tier;
  for (int n = 0; n < ROUNDS; n++) {
    asked[n] = -finders_ms(t);
    const struct vg_tier_kernel *k = launch_compiled(&b);
    asked[n] += finders_ms(t);
    digest[n] = digest_ms(k);
    all.bytes = k->text_bytes;
    load(&b);
  }
  end(&b);
  all.asked = median_of(asked, ROUNDS);
  all.digest = median_of(digest, ROUNDS);
  return all;
}

static void measure_compiles(void) {
  char home[] = "/tmp/warpshop-bench-XXXXXX";
  if (!mkdtemp(home))
    exit(2);
  setenv("XDG_CACHE_HOME", home, 1);
  double made, found[COUNT], spent[COUNT], loading;
  for (int n = 0; n < COUNT; n++) {
    made = compile_ms(&problems[n], &spent[n]);
    compile_ms(&problems[n], &loading);
    spent[n] -= loading;
    struct found f = find(&problems[n]);
    found[n] = f.asked;
    printf("compile  %-12s %7.1f ms, %7.1f ms of processor, from the cache "
           "%.2f ms, digest %.2f ms of %4zu KB\n",
           problems[n].name, made, spent[n], f.asked, f.digest, f.bytes / 1000);
    fflush(stdout);
  }
  median_sort(spent, COUNT);
  median_sort(found, COUNT);
  printf("compile  median %.1f ms, worst %.1f ms of processor, from the cache "
         "%.2f and %.2f ms\n",
         median_of(spent, COUNT), spent[COUNT - 1], median_of(found, COUNT),
         found[COUNT - 1]);
}

// Of small arrays, so that it is the launch that takes time.
static void measure_first(const struct problem *p) {
  enum { ROUNDS = 15, BLOCKS = 8 };
  double with[ROUNDS], without[ROUNDS], ratio[ROUNDS], ready;
  for (int n = 0; n < ROUNDS; n++) {
    struct bench b = begin(p, "0");
    without[n] = launch(&b, BLOCKS, &ready);
    end(&b);
    b = begin(p, "1");
    with[n] = launch(&b, BLOCKS, &ready);
    end(&b);
    ratio[n] = with[n] / without[n];
  }
  printf("first    %-12s %8.3f ms, without the tier %8.3f ms, ratio %.3f\n",
         p->name, 1e3 * median_of(with, ROUNDS),
         1e3 * median_of(without, ROUNDS), median_of(ratio, ROUNDS));
}

static void measure_late(const struct problem *p) {
  double ready, none;
  struct bench b = begin(p, "0");
  double without = launch(&b, 0, &none);
  end(&b);
  b = begin(p, "1");
  double with = launch(&b, 0, &ready);
  end(&b);
  printf("late     %-12s there after %.2f s, took %.2f s, interpreted %.2f s\n",
         p->name, ready, with, without);
  fflush(stdout);
}

static bool is_asked(int argc, char **argv, const char *name) {
  return argc < 2 || !strcmp(argv[1], name);
}

int main(int argc, char **argv) {
  struct err_info e;
  must(file_read("tests/fixtures/tier.ptx", 1 << 20, &text, &text_bytes, &e),
       &e);
  if (is_asked(argc, argv, "compile"))
    measure_compiles();
  for (int n = 0; n < 2 && is_asked(argc, argv, "first"); n++)
    measure_first(&problems[n]);
  for (int n = 0; n < COUNT && is_asked(argc, argv, "late"); n++)
    measure_late(&problems[n]);
  free(text);
  return 0;
}
