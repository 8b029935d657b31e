// SPDX-License-Identifier: Apache-2.0
// NVML through dlopen. A call that fails leaves "not told": what a GPU, a slice
// of one or a container does not show is no error.
#include "gpu/nvml/nvml.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"
#include "gpu/nvml/library.h"

struct nvml {
  union nvml_library library;
  void *device;
  unsigned long long last_us; // of the newest sample that was taken
  char driver[80];
};

enum err nvml_open(const char *library, struct nvml_place at, struct nvml **out,
                   struct err_info *e) {
  struct nvml *n = xcalloc(1, sizeof *n);
  char bus[40];
  snprintf(bus, sizeof bus, "%08x:%02x:%02x.0", (unsigned)at.domain,
           (unsigned)at.bus, (unsigned)at.device);
  enum err err = nvml_library_load(&n->library, library, e);
  if (!err && n->library.api.device_at(bus, &n->device))
    err = err_set(e, ERR_NOT_FOUND, "NVML knows no GPU at %s", bus);
  if (!err && n->library.api.driver &&
      n->library.api.driver(n->driver, sizeof n->driver))
    n->driver[0] = 0;
  if (err)
    nvml_close(n);
  *out = err ? NULL : n;
  return err;
}

// The library stays: other parts of the program may use it.
void nvml_close(struct nvml *n) {
  free(n);
}

const char *nvml_driver(const struct nvml *n) {
  return n->driver;
}

// ---- One look ----

static int ask(int (*call)(void *, int, unsigned *), void *device, int which) {
  unsigned value = 0;
  bool is_told = call && call(device, which, &value) == NVML_OK;
  return is_told ? (int)value : -1;
}

static void look_at_modes(struct nvml *n, struct nvml_look *out) {
  int ecc = 0, ecc_next = 0;
  unsigned mig = 0, mig_next = 0;
  if (n->library.api.ecc && !n->library.api.ecc(n->device, &ecc, &ecc_next))
    out->ecc = ecc != 0;
  if (n->library.api.mig && !n->library.api.mig(n->device, &mig, &mig_next))
    out->mig = mig != 0;
}

static void look_at_processes(struct nvml *n, struct nvml_look *out) {
  struct nvml_process list[NVML_MAX_PROCESSES];
  unsigned count = NVML_MAX_PROCESSES;
  if (!n->library.api.processes ||
      n->library.api.processes(n->device, &count, list))
    return;
  out->process_count = (int)count;
  for (unsigned i = 0; i < count; i++) {
    out->pids[i] = (int)list[i].pid;
    out->slices[i] = (int)list[i].gpu_instance;
  }
}

// Samples are taken by the driver, several a second; each look takes those since
// the one before.
static void look_at_work(struct nvml *n, struct nvml_look *out) {
  struct nvml_sample list[NVML_MAX_PROCESSES];
  unsigned count = NVML_MAX_PROCESSES;
  enum { NOT_FOUND = 6 }; // NVML_ERROR_NOT_FOUND: no samples since then
  if (!n->library.api.utilization)
    return;
  int status = n->library.api.utilization(n->device, list, &count, n->last_us);
  if (status != NVML_OK && status != NOT_FOUND)
    return;
  out->busy_count = 0;
  for (unsigned i = 0; status == NVML_OK && i < count; i++) {
    if (list[i].time_us > n->last_us)
      n->last_us = list[i].time_us;
    if (list[i].sm)
      out->busy[out->busy_count++] = (int)list[i].pid;
  }
}

void nvml_look(struct nvml *n, struct nvml_look *out) {
  unsigned power = 0;
  unsigned long long throttle = 0;
  *out = (struct nvml_look){.milliwatts = -1,
                            .throttle = -1,
                            .ecc = -1,
                            .mig = -1,
                            .process_count = -1,
                            .busy_count = -1};
  out->sm_mhz = ask(n->library.api.clock, n->device, CLOCK_SM);
  out->memory_mhz = ask(n->library.api.clock, n->device, CLOCK_MEMORY);
  out->most_sm_mhz = ask(n->library.api.most_clock, n->device, CLOCK_SM);
  out->celsius = ask(n->library.api.temperature, n->device, SENSOR_GPU);
  if (n->library.api.power && !n->library.api.power(n->device, &power))
    out->milliwatts = (int)power;
  if (n->library.api.throttle && !n->library.api.throttle(n->device, &throttle))
    out->throttle = (int64_t)throttle;
  look_at_modes(n, out);
  look_at_processes(n, out);
  look_at_work(n, out);
}

int nvml_find_process(const struct nvml_look *l, int pid) {
  for (int i = 0; i < l->process_count; i++)
    if (l->pids[i] == pid)
      return i;
  return -1;
}

// A process may hold memory in several slices. One that worked and is in no list any
// more may have been in ours.
void nvml_keep_slice(struct nvml_look *look, int pid) {
  struct nvml_look all = *look;
  int own = nvml_find_process(look, pid);
  if (own < 0)
    return;
  look->process_count = 0;
  for (int i = 0; i < all.process_count; i++)
    if (all.slices[i] == all.slices[own]) {
      look->pids[look->process_count] = all.pids[i];
      look->slices[look->process_count++] = all.slices[i];
    }
  if (all.busy_count >= 0)
    look->busy_count = 0;
  for (int i = 0; i < all.busy_count; i++)
    if (nvml_find_process(look, all.busy[i]) >= 0 ||
        nvml_find_process(&all, all.busy[i]) < 0)
      look->busy[look->busy_count++] = all.busy[i];
}

char *nvml_throttle_text(int64_t bits) {
  // NVML API reference, nvmlClocksThrottleReasons. Idle (1) is none.
  static const struct {
    int64_t bit;
    const char *text;
  } reasons[] = {
      {0x2, "clocks that an application set"},
      {0x4, "power limit"},
      {0x8, "hardware slowdown"},
      {0x10, "synchronised boost"},
      {0x20, "software's thermal limit"},
      {0x40, "hardware's thermal limit"},
      {0x80, "power brake"},
      {0x100, "display clocks"},
  };
  struct str out = STR_INIT;
  str_add(&out, "");
  for (unsigned i = 0; bits > 0 && i < sizeof reasons / sizeof *reasons; i++)
    if (bits & reasons[i].bit)
      str_addf(&out, "%s%s", out.len ? ", " : "", reasons[i].text);
  return str_take(&out);
}

// ---- Slices ----

static int slices_of(const struct nvml *n, void *gpu,
                     char (*uuids)[NVML_UUID_BYTES], int room) {
  unsigned most = 0;
  void *slice;
  int count = 0;
  if (n->library.api.most_slices(gpu, &most))
    return 0;
  for (unsigned i = 0; i < most && count < room; i++)
    if (!n->library.api.slice(gpu, i, &slice) &&
        !n->library.api.uuid(slice, uuids[count], NVML_UUID_BYTES))
      count++;
  return count;
}

int nvml_slices(const char *library, char (*uuids)[NVML_UUID_BYTES], int room) {
  struct nvml *n = xcalloc(1, sizeof *n);
  struct err_info e;
  unsigned gpus = 0;
  void *gpu;
  int count = 0;
  enum err err = nvml_library_load(&n->library, library, &e);
  bool tells = !err && n->library.api.device_count &&
               n->library.api.device_number && n->library.api.most_slices &&
               n->library.api.slice && n->library.api.uuid;
  if (tells && n->library.api.device_count(&gpus))
    gpus = 0;
  for (unsigned i = 0; i < gpus; i++)
    if (!n->library.api.device_number(i, &gpu))
      count += slices_of(n, gpu, uuids + count, room - count);
  nvml_close(n);
  return count;
}
