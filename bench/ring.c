// SPDX-License-Identifier: Apache-2.0
// What the ring itself costs: a device server (this program started anew) over
// a device that does nothing. Prints a table; needs no GPU.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/median.h"
#include "gpu/remote/remote.h"
#include "gpu/remote/ring.h"

// ---- A device that does nothing ----

static const struct gpu_backend null_backend;
static struct gpu_device null_device = {&null_backend};

static enum err null_open(int ordinal, const struct gpu_options *options,
                          struct gpu_device **out, struct err_info *e) {
  (void)ordinal, (void)options, (void)e;
  *out = &null_device;
  return ERR_OK;
}

static enum err null_info(struct gpu_device *d, struct gpu_device_info *out,
                          struct err_info *e) {
  (void)d, (void)e;
  memset(out, 0, sizeof *out);
  return ERR_OK;
}

static enum err null_module_load(struct gpu_device *d, const void *image,
                                 size_t bytes, gpu_handle *out,
                                 struct err_info *e) {
  (void)d, (void)image, (void)bytes, (void)e;
  *out = 1;
  return ERR_OK;
}

static enum err null_function_get(struct gpu_device *d, gpu_handle module,
                                  const char *name, gpu_handle *out,
                                  struct gpu_function_info *info,
                                  struct err_info *e) {
  (void)d, (void)module, (void)name, (void)e;
  memset(info, 0, sizeof *info);
  *out = 1;
  return ERR_OK;
}

static enum err null_launch(struct gpu_device *d, const struct gpu_launch *l,
                            struct err_info *e) {
  (void)d, (void)l, (void)e;
  return ERR_OK;
}

static enum err null_poll(struct gpu_device *d, gpu_handle stream,
                          struct err_info *e) {
  (void)d, (void)stream, (void)e;
  return ERR_OK;
}

static int null_findings(struct gpu_device *d, struct gpu_finding *out,
                         int max) {
  (void)d, (void)out, (void)max;
  return 0;
}

static const struct gpu_backend null_backend = {
    .name = "null",
    .open = null_open,
    .info = null_info,
    .module_load = null_module_load,
    .function_get = null_function_get,
    .launch = null_launch,
    .poll = null_poll,
    .findings = null_findings,
};

// ---- Measuring ----

static void check(enum err err, const struct err_info *e) {
  if (!err)
    return;
  fprintf(stderr, "ring: %s\n", e->text);
  exit(1);
}

static void row(const char *what, const char *unit, double *values, int n) {
  median_sort(values, (size_t)n);
  printf("%-44s %9.3f %9.3f %9.3f  %s\n", what, values[n / 10], values[n / 2],
         values[n - 1 - n / 10], unit);
}

enum { ROUNDS = 101, LAUNCHES = 1000, CALLS = 200 };

static struct gpu_device *device;
static gpu_handle function;
static struct err_info e;
static double values[ROUNDS * CALLS];

static void launch(void) {
  uint64_t params[4] = {1, 2, 3, 4};
  struct gpu_launch l = {.function = function,
                         .grid = {32, 1, 1},
                         .block = {128, 1, 1},
                         .param_bytes = sizeof params,
                         .params = params};
  check(device->backend->launch(device, &l, &e), &e);
}

static void wait_for_all(void) {
  check(remote_wait(device, 0, &e), &e);
}

static double ns_since(uint64_t since) {
  return (double)(clock_ns() - since);
}

static void measure_start(const char *self, struct arena *arena) {
  struct gpu_device_info info;
  for (int i = 0; i < 21; i++) {
    uint64_t since = clock_ns();
    struct remote_options options = {
        .program = self, .device = "null:0", .arena = arena};
    check(remote_open(&options, &device, &e), &e);
    values[i] = ns_since(since) / 1e6;
    check(device->backend->info(device, &info, &e), &e);
    values[100 + i] = ns_since(since) / 1e6;
    if (i < 20)
      device->backend->close(device);
  }
  row("remote_open", "ms", values, 21);
  row("  until the server has answered", "ms", values + 100, 21);
}

static void measure_launches(void) {
  static double waited[ROUNDS];
  for (int i = 0; i < ROUNDS; i++) {
    wait_for_all();
    uint64_t since = clock_ns();
    for (int k = 0; k < LAUNCHES; k++)
      launch();
    values[i] = ns_since(since) / LAUNCHES;
    wait_for_all();
    waited[i] = ns_since(since) / LAUNCHES;
  }
  row("launch, 1000 in a row, of the caller", "ns each", values, ROUNDS);
  row("  and the wait", "ns each", waited, ROUNDS);
}

static void measure_waits(void) {
  for (int i = 0; i < CALLS; i++) {
    uint64_t since = clock_ns();
    launch();
    wait_for_all();
    values[i] = ns_since(since) / 1e3;
  }
  row("launch and wait", "us", values, CALLS);
}

static void measure_calls(void) {
  struct gpu_device_info info;
  for (int i = 0; i < CALLS; i++) {
    uint64_t since = clock_ns();
    check(device->backend->info(device, &info, &e), &e);
    values[i] = ns_since(since) / 1e3;
  }
  row("round trip", "us", values, CALLS);
}

// The server sleeps by then, so this pays for waking it.
static void measure_sleepers(void) {
  for (int i = 0; i < 50; i++) {
    usleep(2000);
    uint64_t since = clock_ns();
    launch();
    values[100 + i] = ns_since(since) / 1e3;
    wait_for_all();
    values[i] = ns_since(since) / 1e3;
  }
  row("launch to a server asleep, of the caller", "us", values + 100, 50);
  row("  and the wait", "us", values, 50);
}

int main(int argc, char **argv) {
  static const struct remote_device_kind kinds[] = {{"null", &null_backend},
                                                    {NULL}};
  if (argc > 2 && !strcmp(argv[1], "--server"))
    return remote_serve_kinds(atoi(argv[2]), kinds, NULL);
  char self[4096] = "";
  if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
    return 1;
  struct arena *arena;
  struct gpu_function_info info;
  gpu_handle module;
  check(arena_new(&arena, &e), &e);
  printf("%-44s %9s %9s %9s\n", "the ring, with a device that does nothing",
         "p10", "median", "p90");
  measure_start(self, arena);
  check(device->backend->module_load(device, "", 1, &module, &e), &e);
  check(
      device->backend->function_get(device, module, "f", &function, &info, &e),
      &e);
  measure_launches();
  measure_waits();
  measure_calls();
  measure_sleepers();
  device->backend->close(device);
  arena_free(arena);
  return 0;
}
