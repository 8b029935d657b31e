// SPDX-License-Identifier: Apache-2.0
// One profiler for one context.
//
// Theory of operation: CUPTI's host half knows the metrics of a chip. It makes of
// their names an image that says what is counted in which pass, and later of what was
// counted their values. Its other half puts that image to work on a context: from
// start to stop each kernel is a range of its own, which CUPTI runs once for each
// pass, putting back the memory that the kernel changed.
//
// All is set up once, at the open, and proved with a kernel of one warp: CUPTI opens
// the driver's files at its first start, and a machine that hides its counters says so
// there or reads zeros.
#include "gpu/cupti/cupti.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/cupti/cupti_library.h"

enum { FIRST_THAT_EMPTIES_CACHES = 130400 };

struct cupti {
  struct cupti_library library;
  char *params;
  void *context;
  void *host;     // NULL: not made
  void *profiler; // likewise
  bool is_cold;
  const char *names[GPU_HARDWARE_COUNT]; // of what this chip counts
  int rows[GPU_HARDWARE_COUNT];          // whose those are
  size_t count;
  uint8_t *image, *data;
  size_t image_bytes, data_bytes;
  size_t passes;
};

static enum err check(const struct cupti *c, int status, const char *doing,
                      struct err_info *e) {
  return cupti_fail(&c->library, status, doing, c->params, e);
}
#define CALL(name, argument) (c->library.api.name(argument))

// ---- The chip's metrics ----

static enum err host_open(struct cupti *c, const char *chip, void **out,
                          struct err_info *e) {
  struct cupti_host_open open = {.bytes = sizeof open, .chip = chip};
  enum err err =
      check(c, CALL(host_open, &open), "opening the list of counters", e);
  *out = err ? NULL : open.host;
  return err;
}

static void host_close(struct cupti *c, void *host) {
  struct cupti_host argument = {.bytes = sizeof argument, .host = host};
  if (host)
    CALL(host_close, &argument);
}

static int host_add(struct cupti *c, void *host, const char **names,
                    size_t count) {
  struct cupti_host_add add = {
      .bytes = sizeof add, .host = host, .names = names, .count = count};
  return CALL(host_add, &add);
}

// Which of hardware.def this chip has. Each is tried by itself: what is added in one
// call shares passes, so that those that are there are added together later.
static enum err choose(struct cupti *c, const char *chip, struct err_info *e) {
  for (int m = 0; m < GPU_HARDWARE_COUNT; m++) {
    const char *name = gpu_hardware_metrics[m].nsight;
    void *host;
    enum err err = host_open(c, chip, &host, e);
    if (err)
      return err;
    if (!host_add(c, host, &name, 1)) {
      c->rows[c->count] = m;
      c->names[c->count++] = name;
    }
    host_close(c, host);
  }
  return c->count ? ERR_OK : cupti_refuse(CUPTI_UNKNOWN_CHIP, e);
}

static enum err plan(struct cupti *c, struct err_info *e) {
  struct cupti_host_size size = {.bytes = sizeof size, .host = c->host};
  enum err err = check(c, host_add(c, c->host, c->names, c->count),
                       "choosing counters", e);
  if (!err)
    err = check(c, CALL(host_size, &size), "planning the passes", e);
  if (err)
    return err;
  c->image_bytes = size.image_bytes;
  c->image = xcalloc(1, c->image_bytes + 1);
  struct cupti_host_image image = {.bytes = sizeof image,
                                   .host = c->host,
                                   .image_bytes = c->image_bytes,
                                   .image = c->image};
  struct cupti_host_passes passes = {
      .bytes = sizeof passes, .image_bytes = c->image_bytes, .image = c->image};
  err = check(c, CALL(host_image, &image), "planning the passes", e);
  if (!err)
    err = check(c, CALL(host_passes, &passes), "planning the passes", e);
  c->passes = passes.passes;
  return err;
}

// ---- The profiler ----

static enum err look_at_device(struct cupti *c, int ordinal, const char **chip,
                               struct err_info *e) {
  enum { NO = 1, SWITCHED_OFF = 2 };
  struct cupti_plain plain = {.bytes = sizeof plain};
  struct cupti_supported s = {.bytes = CUPTI_BYTES(cupti_supported, api),
                              .device = ordinal};
  struct cupti_chip name = {.bytes = sizeof name, .device = (size_t)ordinal};
  enum err err = check(c, CALL(initialize, &plain), "starting CUPTI", e);
  if (!err && !CALL(supported, &s)) {
    const struct {
      int level;
      enum cupti_refusal why;
    } levels[] = {{s.architecture, CUPTI_ARCHITECTURE},
                  {s.sli, CUPTI_LINKED},
                  {s.vgpu, s.vgpu == SWITCHED_OFF ? CUPTI_VIRTUAL_NOT_PERMITTED
                                                  : CUPTI_VIRTUAL},
                  {s.confidential, CUPTI_CONFIDENTIAL},
                  {s.mining, CUPTI_MINING},
                  {s.wsl, CUPTI_WSL}};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
      if (levels[i].level == NO || levels[i].level == SWITCHED_OFF)
        return cupti_refuse(levels[i].why, e);
  }
  if (!err)
    err = check(c, CALL(chip_name, &name), "asking for the chip", e);
  *chip = name.name;
  return err;
}

static enum err enable(struct cupti *c, struct err_info *e) {
  bool is_new = c->library.version >= FIRST_THAT_EMPTIES_CACHES;
  struct cupti_enable enable = {
      .bytes = is_new ? CUPTI_BYTES(cupti_enable, caches)
                      : CUPTI_BYTES(cupti_enable, profiler),
      .context = c->context,
      .caches = is_new ? CUPTI_CACHES_EMPTIED : CUPTI_CACHES_KEPT,
  };
  enum err err =
      check(c, CALL(enable, &enable), "putting the profiler to work", e);
  if (err)
    return err;
  c->profiler = enable.profiler;
  c->is_cold = is_new;
  struct cupti_data_size size = {.bytes = sizeof size,
                                 .profiler = c->profiler,
                                 .names = c->names,
                                 .count = c->count,
                                 .ranges = 1,
                                 .nodes = 1};
  err = check(c, CALL(data_size, &size), "asking for the counters' size", e);
  if (err)
    return err;
  c->data_bytes = size.data_bytes;
  c->data = xcalloc(1, c->data_bytes + 1);
  return ERR_OK;
}

// ---- One launch ----

enum err cupti_begin(struct cupti *c, struct err_info *e) {
  struct cupti_data data = {.bytes = sizeof data,
                            .profiler = c->profiler,
                            .data_bytes = c->data_bytes,
                            .data = c->data};
  struct cupti_config config = {
      .bytes = CUPTI_BYTES(cupti_config, target_level),
      .profiler = c->profiler,
      .image_bytes = c->image_bytes,
      .image = c->image,
      .data_bytes = c->data_bytes,
      .data = c->data,
      .ranging = CUPTI_EACH_KERNEL,
      .replay = CUPTI_REPLAY_KERNEL,
      .most_ranges = 1,
      .levels = 1,
      .least_level = 1,
  };
  struct cupti_range range = {.bytes = sizeof range, .profiler = c->profiler};
  enum err err = check(c, CALL(data_clear, &data), "clearing the counters", e);
  if (!err)
    err = check(c, CALL(configure, &config), "setting the counters", e);
  return err ? err : check(c, CALL(start, &range), "starting to count", e);
}

static enum err read_values(struct cupti *c, double *values,
                            struct err_info *e) {
  struct cupti_data_info info = {
      .bytes = sizeof info, .data = c->data, .data_bytes = c->data_bytes};
  struct cupti_evaluate evaluate = {.bytes = sizeof evaluate,
                                    .host = c->host,
                                    .data = c->data,
                                    .data_bytes = c->data_bytes,
                                    .names = c->names,
                                    .count = c->count,
                                    .values = values};
  enum err err = check(c, CALL(data_info, &info), "reading the counters", e);
  if (!err && info.ranges != 1)
    err = cupti_refuse(CUPTI_BLIND, e);
  return err ? err
             : check(c, CALL(host_evaluate, &evaluate), "reading the counters",
                     e);
}

enum err cupti_end(struct cupti *c, struct gpu_hardware *out,
                   struct err_info *e) {
  struct cupti_stop stop = {.bytes = CUPTI_BYTES(cupti_stop, is_last),
                            .profiler = c->profiler};
  struct cupti_decode decode = {.bytes = sizeof decode,
                                .profiler = c->profiler};
  double values[GPU_HARDWARE_COUNT] = {0};
  enum err err = check(c, CALL(stop, &stop), "ending the count", e);
  if (!err)
    err = check(c, CALL(decode, &decode), "reading the counters", e);
  if (!err)
    err = read_values(c, values, e);
  if (err)
    return err;
  for (int m = 0; m < GPU_HARDWARE_COUNT; m++)
    out->value[m] = NAN;
  for (size_t i = 0; i < c->count; i++)
    out->value[c->rows[i]] = values[i];
  out->passes = (uint32_t)c->passes;
  out->is_cold = c->is_cold;
  out->launches = 1;
  return ERR_OK;
}

// ---- Open and close ----

// One warp ran: what counts warps or instructions has seen it.
static enum err prove(struct cupti *c, const struct cupti_target *t,
                      struct err_info *e) {
  struct gpu_hardware seen;
  struct err_info other;
  enum err err = cupti_begin(c, e);
  if (err)
    return err;
  err = t->try_one(t->target, e);
  if (err)
    cupti_end(c, &seen, &other);
  else
    err = cupti_end(c, &seen, e);
  if (!err && !(seen.value[GPU_HARDWARE_INST] > 0))
    err = cupti_refuse(CUPTI_ZEROS, e);
  return err;
}

static enum err set_up(struct cupti *c, const struct cupti_target *t,
                       struct err_info *e) {
  const char *chip = NULL;
  enum err err = cupti_library_load(&c->library, e);
  if (!err)
    err = look_at_device(c, t->ordinal, &chip, e);
  if (!err)
    err = choose(c, chip, e);
  if (!err)
    err = host_open(c, chip, &c->host, e);
  if (!err)
    err = plan(c, e);
  if (!err)
    err = enable(c, e);
  return err ? err : prove(c, t, e);
}

enum err cupti_open(const struct cupti_target *target, struct cupti **out,
                    struct err_info *e) {
  struct cupti *c = xcalloc(1, sizeof *c);
  c->context = target->context;
  c->params = target->driver_params ? xstrdup(target->driver_params) : NULL;
  enum err err = set_up(c, target, e);
  *out = err ? NULL : c;
  if (err)
    cupti_close(c);
  return err;
}

void cupti_close(struct cupti *c) {
  if (!c)
    return;
  struct cupti_range range = {.bytes = sizeof range, .profiler = c->profiler};
  if (c->profiler)
    CALL(disable, &range);
  host_close(c, c->host);
  cupti_library_free(&c->library);
  free(c->params);
  free(c->image);
  free(c->data);
  free(c);
}

const char *cupti_library(const struct cupti *c) {
  return c->library.path;
}
