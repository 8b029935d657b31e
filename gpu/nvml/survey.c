// SPDX-License-Identifier: Apache-2.0
// A survey of all GPUs. Each call of NVML may be missing, refused or not supported;
// its status goes into the value, for whoever shows it.
#include "gpu/nvml/survey.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/nvml/library.h"

struct counted { // what a rate is made of
  long long time_us;
  unsigned long long count;
  bool is_there;
};

struct surveyor {
  union nvml_library library;
  enum err err;
  struct err_info e;
  struct counted nvlink[SURVEY_GPUS][2];
  unsigned long long sample_us[SURVEY_GPUS]; // of the newest that was taken
};

// ---- Words ----

const char *nvml_why_text(int why) {
  // NVML API reference, nvmlReturn_t.
  static const struct {
    int why;
    const char *text;
  } texts[] = {
      {NVML_NO_CALL, "this driver does not tell"},
      {NVML_NEEDS_TWO, "needs two looks"},
      {2, "refused"},
      {3, "not supported"},
      {4, "no permission"},
      {6, "not found"},
      {7, "too many to list"},
      {9, "the driver is not loaded"},
      {10, "NVML timed out"},
      {13, "this driver does not tell"},
      {15, "the GPU is lost"},
      {16, "the GPU needs a reset"},
      {18, "driver and library are of different versions"},
  };
  for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
    if (texts[i].why == why)
      return texts[i].text;
  return "unknown error";
}

const char *nvml_metric_field(enum nvml_metric m) {
  static const char *const fields[] = {
#define METRIC(name, field) field,
#include "gpu/nvml/metric.def"
#undef METRIC
  };
  return fields[m];
}

// ---- Values ----

static struct nvml_value told(int status, int64_t value) {
  return (struct nvml_value){status ? 0 : value, status};
}

// A call that gives one unsigned number: its status comes first.
#define ASK(call, ...)                                                         \
  (api->call ? api->call(__VA_ARGS__, &number) : NVML_NO_CALL)

#define TELL(unit, ...)                                                        \
  (status = ASK(__VA_ARGS__), told(status, (int64_t)number * (unit)))

static void look_at_clocks(const struct nvml_api *api, void *gpu,
                           struct nvml_value *is) {
  static const struct {
    enum nvml_metric now, most;
    int clock;
  } clocks[] = {{NVML_SM_CLOCK, NVML_SM_CLOCK_MOST, CLOCK_SM},
                {NVML_MEMORY_CLOCK, NVML_MEMORY_CLOCK_MOST, CLOCK_MEMORY}};
  unsigned number = 0;
  int status;
  for (int i = 0; i < 2; i++) {
    is[clocks[i].now] = TELL(1, clock, gpu, clocks[i].clock);
    is[clocks[i].most] = TELL(1, most_clock, gpu, clocks[i].clock);
  }
}

static void look_at_heat(const struct nvml_api *api, void *gpu,
                         struct nvml_value *is) {
  unsigned number = 0;
  unsigned long long bits = 0;
  int status;
  is[NVML_POWER] = TELL(1, power, gpu);
  is[NVML_POWER_LIMIT] = TELL(1, power_limit, gpu);
  is[NVML_TEMPERATURE] = TELL(1, temperature, gpu, SENSOR_GPU);
  is[NVML_FAN] = TELL(1, fan, gpu);
  status = api->throttle ? api->throttle(gpu, &bits) : NVML_NO_CALL;
  is[NVML_THROTTLE] = told(status, (int64_t)bits);
}

// What the driver keeps for itself is no use of anybody's: the newer call leaves it
// out, as nvidia-smi does.
static int memory_of(const struct nvml_api *api, void *gpu, int64_t *used,
                     int64_t *total) {
  struct nvml_memory_v2 newer = {.version = sizeof newer | 2u << 24};
  struct nvml_memory m = {0};
  if (api->memory_v2 && !api->memory_v2(gpu, &newer)) {
    *used = (int64_t)newer.used;
    *total = (int64_t)newer.total;
    return NVML_OK;
  }
  int status = api->memory ? api->memory(gpu, &m) : NVML_NO_CALL;
  *used = (int64_t)m.used;
  *total = (int64_t)m.total;
  return status;
}

static void look_at_work(const struct nvml_api *api, void *gpu,
                         struct nvml_value *is) {
  struct nvml_use use = {0};
  int64_t used = 0, total = 0;
  int status = api->use ? api->use(gpu, &use) : NVML_NO_CALL;
  is[NVML_GPU_USE] = told(status, use.gpu);
  is[NVML_CONTROLLER_USE] = told(status, use.memory);
  status = memory_of(api, gpu, &used, &total);
  is[NVML_MEMORY_USED] = told(status, used);
  is[NVML_MEMORY_TOTAL] = told(status, total);
}

static void look_at_modes(const struct nvml_api *api, void *gpu,
                          struct nvml_value *is) {
  int ecc = 0, ecc_next = 0;
  unsigned mig = 0, mig_next = 0;
  unsigned long long errors = 0;
  int status = api->ecc ? api->ecc(gpu, &ecc, &ecc_next) : NVML_NO_CALL;
  is[NVML_ECC] = told(status, ecc != 0);
  // Since the driver was loaded (NVML_VOLATILE_ECC).
  for (int kind = 0; kind < 2; kind++) {
    status =
        api->ecc_errors ? api->ecc_errors(gpu, kind, 0, &errors) : NVML_NO_CALL;
    is[kind ? NVML_ECC_UNCORRECTED : NVML_ECC_CORRECTED] =
        told(status, (int64_t)errors);
  }
  status = api->mig ? api->mig(gpu, &mig, &mig_next) : NVML_NO_CALL;
  is[NVML_MIG] = told(status, mig != 0);
}

// ---- Traffic ----

static struct nvml_value rate_of(const struct nvml_field *f,
                                 struct counted *before) {
  struct counted now = {f->time_us, f->value.count, !f->status};
  struct counted old = *before;
  *before = now;
  if (f->status)
    return told(f->status, 0);
  if (!old.is_there || now.time_us <= old.time_us || now.count < old.count)
    return told(NVML_NEEDS_TWO, 0);
  double kib = (double)(now.count - old.count);
  double us = (double)(now.time_us - old.time_us);
  return told(NVML_OK, (int64_t)(kib * 1024 * 1e6 / us + 0.5));
}

// PCIe is told as a rate (of 20 ms, in KB/s), NVLink as a count of KiB: fields
// NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX and _RX, of all links together.
static void look_at_traffic(struct surveyor *s, int i, void *gpu,
                            struct nvml_value *is) {
  const struct nvml_api *api = &s->library.api;
  unsigned number = 0;
  int status;
  enum { PCIE_TX = 0, PCIE_RX = 1, DATA_TX = 138, DATA_RX = 139 };
  is[NVML_PCIE_IN] = TELL(1000, pcie, gpu, PCIE_RX);
  is[NVML_PCIE_OUT] = TELL(1000, pcie, gpu, PCIE_TX);
  struct nvml_field fields[2] = {{.id = DATA_RX, .scope = UINT_MAX},
                                 {.id = DATA_TX, .scope = UINT_MAX}};
  status = api->fields ? api->fields(gpu, 2, fields) : NVML_NO_CALL;
  for (int k = 0; k < 2; k++) {
    if (status)
      fields[k].status = status;
    is[NVML_NVLINK_IN + k] = rate_of(&fields[k], &s->nvlink[i][k]);
  }
}

// ---- Processes ----

static struct survey_user *user_of(struct survey *out, int gpu,
                                   const struct nvml_process *p) {
  for (int i = 0; i < out->user_count; i++)
    if (out->users[i].gpu == gpu && out->users[i].pid == (int)p->pid &&
        out->users[i].slice == (int)p->gpu_instance)
      return &out->users[i];
  if (out->user_count == SURVEY_USERS) {
    out->is_cut = true;
    return NULL;
  }
  struct survey_user *u = &out->users[out->user_count++];
  *u = (struct survey_user){.gpu = gpu,
                            .pid = (int)p->pid,
                            .slice = (int)p->gpu_instance,
                            .bytes = {0, NVML_NOT_SUPPORTED},
                            .use = {0, NVML_NO_CALL}};
  return u;
}

// One that computes and draws is in both lists, with the same memory.
static int add_users(int (*call)(void *, unsigned *, struct nvml_process *),
                     bool draws, void *device, int gpu, struct survey *out) {
  struct nvml_process list[SURVEY_USERS];
  unsigned count = SURVEY_USERS;
  int status = call ? call(device, &count, list) : NVML_NO_CALL;
  for (unsigned i = 0; !status && i < count && i < SURVEY_USERS; i++) {
    struct survey_user *u = user_of(out, gpu, &list[i]);
    if (!u)
      break;
    u->draws |= draws;
    u->computes |= !draws;
    if (list[i].bytes != ULLONG_MAX) // NVML_VALUE_NOT_AVAILABLE
      u->bytes = told(NVML_OK, (int64_t)list[i].bytes);
  }
  return status;
}

// Samples are taken by the driver; the newest of each process counts, and one that
// has none since the look before did nothing.
static void add_use(struct surveyor *s, void *device, int gpu, int first,
                    struct survey *out) {
  struct nvml_sample list[SURVEY_USERS];
  unsigned long long newest = s->sample_us[gpu];
  unsigned count = SURVEY_USERS;
  int status = s->library.api.utilization
                   ? s->library.api.utilization(device, list, &count, newest)
                   : NVML_NO_CALL;
  bool is_told = status == NVML_OK || status == NVML_NOT_FOUND;
  if (status)
    count = 0;
  for (int i = first; i < out->user_count; i++) {
    struct survey_user *u = &out->users[i];
    unsigned long long at = 0;
    u->use = told(is_told ? NVML_OK : status, 0);
    for (unsigned k = 0; k < count && k < SURVEY_USERS; k++)
      if ((int)list[k].pid == u->pid && list[k].time_us >= at) {
        at = list[k].time_us;
        u->use.is = list[k].sm;
      }
  }
  for (unsigned k = 0; k < count && k < SURVEY_USERS; k++)
    if (list[k].time_us > s->sample_us[gpu])
      s->sample_us[gpu] = list[k].time_us;
}

static void look_at_users(struct surveyor *s, void *device, int gpu,
                          struct survey *out) {
  const struct nvml_api *api = &s->library.api;
  int first = out->user_count;
  out->gpus[gpu].users_why = add_users(api->processes, false, device, gpu, out);
  add_users(api->graphics, true, device, gpu,
            out); // one that cannot draw: none
  add_use(s, device, gpu, first, out);
}

// ---- GPUs and slices ----

static void add_slices(const struct nvml_api *api, void *device, int gpu,
                       struct survey *out) {
  unsigned most = 0, number = 0;
  void *slice;
  if (!api->most_slices || !api->slice || api->most_slices(device, &most))
    return;
  for (unsigned i = 0; i < most; i++) {
    if (api->slice(device, i, &slice))
      continue;
    if (out->slice_count == SURVEY_SLICES) {
      out->is_cut = true;
      return;
    }
    struct survey_slice *to = &out->slices[out->slice_count++];
    int64_t used = 0, total = 0;
    *to = (struct survey_slice){
        .gpu = gpu, .gpu_instance = -1, .compute_instance = -1};
    if (!ASK(gpu_instance, slice))
      to->gpu_instance = (int)number;
    if (!ASK(compute_instance, slice))
      to->compute_instance = (int)number;
    if (!api->name || api->name(slice, to->name, sizeof to->name))
      to->name[0] = 0;
    if (!api->uuid || api->uuid(slice, to->uuid, sizeof to->uuid))
      to->uuid[0] = 0;
    int status = memory_of(api, slice, &used, &total);
    to->used = told(status, used);
    to->total = told(status, total);
  }
}

static void look_at_gpu(struct surveyor *s, int i, struct survey *out) {
  const struct nvml_api *api = &s->library.api;
  struct survey_gpu *gpu = &out->gpus[i];
  struct nvml_pci pci;
  void *device;
  *gpu = (struct survey_gpu){0};
  int status = api->device_number((unsigned)i, &device);
  if (status) { // fallen off its bus, or another's
    for (int m = 0; m < NVML_METRICS; m++)
      gpu->is[m] = told(status, 0);
    gpu->users_why = status;
    return;
  }
  if (!api->name || api->name(device, gpu->name, sizeof gpu->name))
    gpu->name[0] = 0;
  if (!api->uuid || api->uuid(device, gpu->uuid, sizeof gpu->uuid))
    gpu->uuid[0] = 0;
  if (api->pci && !api->pci(device, &pci))
    snprintf(gpu->bus, sizeof gpu->bus, "%.31s", pci.text);
  look_at_work(api, device, gpu->is);
  look_at_clocks(api, device, gpu->is);
  look_at_heat(api, device, gpu->is);
  look_at_modes(api, device, gpu->is);
  look_at_traffic(s, i, device, gpu->is);
  add_slices(api, device, i, out);
  look_at_users(s, device, i, out);
}

struct surveyor *surveyor_open(const char *library) {
  struct surveyor *s = xcalloc(1, sizeof *s);
  s->err = nvml_library_load(&s->library, library, &s->e);
  if (!s->err &&
      (!s->library.api.device_count || !s->library.api.device_number))
    s->err = err_set(&s->e, ERR_UNSUPPORTED, "NVML is too old to list GPUs");
  return s;
}

void surveyor_close(struct surveyor *s) {
  free(s);
}

void surveyor_look(struct surveyor *s, struct survey *out) {
  unsigned count = 0;
  memset(out, 0, sizeof *out);
  out->bytes = sizeof *out;
  out->err = s->err;
  int status = s->err ? 0 : s->library.api.device_count(&count);
  if (status)
    out->err = err_set(&s->e, ERR_NOT_FOUND, "NVML lists no GPUs: %s",
                       nvml_why_text(status));
  if (out->err) {
    snprintf(out->text, sizeof out->text, "%.500s", s->e.text);
    return;
  }
  if (!s->library.api.driver ||
      s->library.api.driver(out->driver, sizeof out->driver))
    out->driver[0] = 0;
  out->is_cut = count > SURVEY_GPUS;
  out->gpu_count = count > SURVEY_GPUS ? SURVEY_GPUS : (int)count;
  for (int i = 0; i < out->gpu_count; i++)
    look_at_gpu(s, i, out);
}
