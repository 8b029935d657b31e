// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/fuzz.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/gpu.h"
#include "gpu/ptx/ptx.h"
#include "gpu/vgpu/code/handlers.h"

enum {
  BUFFERS = 4,
  FRESH = 2, // the buffer that every text gets anew: nothing is in it
  MAX_KERNELS = 3,
  SHAPES = 5,
  OBJECTS = 2 * SHAPES, // a texture and a surface of each
  LARGEST = 65536,
  // Slots of memory are never used again, so a device lives for so many texts.
  TEXTS_A_DEVICE = 512
};
static const uint32_t buffer_bytes[BUFFERS] = {4096, LARGEST, LARGEST, 4096};

static const struct gpu_backend *const back = &gpu_virtual_backend;

// One device runs blocks and warps by their numbers, the other in another order
// and on fewer multiprocessors.
static struct rig {
  struct gpu_device *device;
  gpu_ptr buffers[BUFFERS];
  gpu_ptr stale; // the fresh buffer of before
  gpu_handle arrays[SHAPES];
  uint64_t array_bytes[SHAPES];
  uint64_t objects[OBJECTS];
  int texts;
} rigs[2];

static uint8_t host[LARGEST];

static void must(enum err err, const struct err_info *e) {
  if (!err)
    return;
  fprintf(stderr, "fuzz_vgpu: %s: %s\n", err_kind(err), e->text);
  abort();
}

static void wait_all(struct rig *r) {
  struct err_info e;
  struct gpu_finding found[4];
  while (back->poll(r->device, GPU_ALL_STREAMS, &e) == ERR_NOT_READY)
    sched_yield();
  while (back->findings(r->device, found, 4) == 4)
    ;
}

// Shapes of all kinds, with filters and modes that differ.
static void make_objects(struct rig *r) {
  static const struct gpu_array_desc shapes[SHAPES] = {
      {5, 0, 0, GPU_FORMAT_F32, 1, GPU_ARRAY_SURFACE},
      {4, 3, 0, GPU_FORMAT_U8, 4, GPU_ARRAY_SURFACE | GPU_ARRAY_GATHER},
      {3, 2, 2, GPU_FORMAT_F16, 2, GPU_ARRAY_SURFACE},
      {4, 2, 3, GPU_FORMAT_S16, 1, GPU_ARRAY_SURFACE | GPU_ARRAY_LAYERED},
      {2, 2, 6, GPU_FORMAT_F32, 1, GPU_ARRAY_SURFACE | GPU_ARRAY_CUBEMAP}};
  for (uint32_t n = 0; n < SHAPES; n++) {
    struct err_info e;
    struct gpu_texture_desc t = {.address_mode = {n % 4, (n + 1) % 4, n % 3},
                                 .filter = n % 2,
                                 .is_normalized = n != 1};
    must(back->array_create(r->device, &shapes[n], &t.array, &e), &e);
    must(back->texture_create(r->device, &t, &r->objects[2 * n], &e), &e);
    must(back->surface_create(r->device, t.array, &r->objects[2 * n + 1], &e),
         &e);
    r->arrays[n] = t.array;
    r->array_bytes[n] = gpu_array_bytes(&shapes[n]);
  }
}

static void rig_open(struct rig *r) {
  struct err_info e;
  bool is_odd = r != rigs;
  struct gpu_options options = {.memory_bytes = 8 << 20,
                                .schedule_seed = is_odd ? 5 : 0,
                                .multiprocessors = is_odd ? 2 : 0};
  must(back->open(0, &options, &r->device, &e), &e);
  for (int i = 0; i < BUFFERS; i++)
    must(back->mem_alloc(r->device, buffer_bytes[i], 0, &r->buffers[i], &e),
         &e);
  make_objects(r);
}

// The same memory for every text, whatever those before it did.
static void rig_ready(struct rig *r) {
  static uint32_t words[LARGEST / 4];
  struct err_info e;
  if (!r->device)
    rig_open(r);
  for (uint32_t n = 0; n < LARGEST / 4; n++) {
    float f = (float)n / 8 - 100;
    words[n] = n % 37;
    if (n % 2)
      memcpy(&words[n], &f, sizeof f);
  }
  must(back->copy_in(r->device, r->buffers[0], words, buffer_bytes[0], 0, &e),
       &e);
  must(back->copy_in(r->device, r->buffers[1], words, buffer_bytes[1], 0, &e),
       &e);
  must(back->mem_set(r->device,
                     &(struct gpu_fill){.to = r->buffers[3],
                                        .width = 4,
                                        .count = buffer_bytes[3] / 4},
                     &e),
       &e);
  for (int n = 0; n < SHAPES; n++) {
    struct gpu_array_copy c = {.array = r->arrays[n],
                               .to_array = true,
                               .host = words,
                               .bytes = r->array_bytes[n]};
    must(back->array_copy(r->device, &c, &e), &e);
  }
  wait_all(r);
  r->stale = r->buffers[FRESH];
  must(back->mem_free(r->device, r->stale, &e), &e);
  must(back->mem_alloc(r->device, buffer_bytes[FRESH], 0, &r->buffers[FRESH],
                       &e),
       &e);
}

static void rig_close(struct rig *r) {
  back->close(r->device);
  *r = (struct rig){0};
}

// ---- One launch ----

// From the third parameter on a texture and a surface may take turns with the
// buffers, as the files of tests/ptx have it. Few pointers are bad.
static uint64_t wide_value(const struct rig *r, struct fuzz_plan *plan,
                           uint32_t p, uint32_t word) {
  if (p >= 2 && fuzz_pick(plan, 2))
    return r->objects[(2 * fuzz_pick(plan, SHAPES) + p) % OBJECTS];
  switch (fuzz_pick(plan, 32)) {
  case 0: return r->stale;
  case 1: return r->buffers[p % BUFFERS] + 2;
  case 2: return r->buffers[p % BUFFERS] + LARGEST;
  case 3: return 12;
  default: return r->buffers[(p + word) % BUFFERS];
  }
}

static uint32_t narrow_value(struct fuzz_plan *plan, uint32_t p) {
  static const uint32_t numbers[] = {0, 1, 1000, 4224, 0x3F800000, UINT32_MAX};
  uint32_t n = fuzz_pick(plan, 2 * sizeof numbers / sizeof *numbers);
  return n < sizeof numbers / sizeof *numbers ? numbers[n] : 3 * (p + 1);
}

// Words of 8 bytes become pointers or objects, smaller ones numbers.
static void fill_params(const struct rig *r, struct fuzz_plan *plan,
                        const struct gpu_function_info *info, uint8_t *params) {
  for (uint32_t p = 0; p < info->param_count && p < GPU_MAX_PARAMS; p++) {
    uint32_t at = info->params[p].offset, bytes = info->params[p].bytes;
    for (uint32_t o = 0; o + 4 <= bytes && at + o + 4 <= info->param_bytes;) {
      uint64_t value = bytes - o >= 8 ? wide_value(r, plan, p, o / 8)
                                      : narrow_value(plan, p);
      uint32_t step = bytes - o >= 8 ? 8 : 4;
      memcpy(params + at + o, &value, step);
      o += step;
    }
  }
}

// Mostly few threads; a row of elements, or so many that host threads share
// them, or all three dimensions.
static void choose_size(struct fuzz_plan *plan, struct gpu_launch *l) {
  static const uint32_t blocks[] = {1, 7, 32, 33, 64, 100, 128, 256};
  uint32_t few = blocks[fuzz_pick(plan, 8)];
  uint32_t more = fuzz_pick(plan, 40);
  switch (fuzz_pick(plan, 8)) {
  case 0:
    *l = (struct gpu_launch){.grid = {1 + more, 1, 1}, .block = {128, 1, 1}};
    break;
  case 1:
    *l = (struct gpu_launch){.grid = {64 + more, 1, 1}, .block = {256, 1, 1}};
    break;
  case 2:
    *l = (struct gpu_launch){.grid = {2, 2, 2}, .block = {5, 4, 3}};
    break;
  default:
    *l = (struct gpu_launch){.grid = {1 + more % 3, 1 + more % 2, 1},
                             .block = {few, 1 + more % 5 / 4, 1}};
  }
}

static void choose(struct fuzz_plan *plan, struct gpu_launch *l) {
  static const uint32_t dynamic[] = {0, 64, 1024, 4096};
  choose_size(plan, l);
  l->shared_bytes = dynamic[fuzz_pick(plan, 4)];
  l->budget = 1 << 12;
  l->grid_budget = 1 << 16;
  if (!fuzz_pick(plan, 8)) { // time to see that a wait can never end
    l->budget = UINT64_C(1) << 40;
    l->grid_budget = 1 << 19;
  }
  if (!fuzz_pick(plan, 4))
    l->flags |= GPU_LAUNCH_UNCHECKED;
  if (!fuzz_pick(plan, 4))
    l->flags |= GPU_LAUNCH_COUNT;
  if (!fuzz_pick(plan, 6))
    l->flags |= GPU_LAUNCH_COOPERATIVE;
}

// Commands for texts that have none of their own.
static void usual_commands(struct fuzz_plan *plan) {
  static const char *const all[] = {
      "run",       "step 2",        "next",     "stepi 7",   "locals",
      "where",     "warps",         "shared",   "finish",    "barrier",
      "back",      "back-continue", "thread 1", "block 1",   "lane 3",
      "continue",  "print n",       "values",   "stepi 100", "break 4 if n > 1",
      "back-next", "watch out[0]",  "up",       "until 5"};
  for (plan->commands = 0; plan->commands < FUZZ_COMMANDS; plan->commands++)
    snprintf(plan->command[plan->commands], FUZZ_COMMAND_BYTES, "%s",
             all[fuzz_pick(plan, sizeof all / sizeof *all)]);
}

// Each of many commands may run the whole launch again, so it is a short one.
static void debug(struct rig *r, struct fuzz_plan *plan,
                  const struct gpu_launch *given) {
  struct gpu_launch l = *given;
  l.grid_budget = 1 << 14;
  static char text[GPU_DEBUG_TEXT_BYTES];
  struct gpu_debug_stop stop;
  struct err_info e;
  if (back->debug_begin(r->device, &l, 0, &e))
    return;
  wait_all(r);
  for (int n = 0; n < plan->commands; n++) {
    back->debug_command(r->device, plan->command[n], &e);
    wait_all(r);
    back->debug_answer(r->device, &stop, text, n % 2 ? 100 : sizeof text, &e);
  }
  back->debug_end(r->device, &e);
  wait_all(r);
}

// What the host may do behind a launch, which sees what is undefined.
static void look(struct rig *r, struct fuzz_plan *plan) {
  struct err_info e;
  uint32_t what = fuzz_pick(plan, 4);
  if (what == 0)
    back->copy_on(r->device, r->buffers[0], r->buffers[FRESH], 4000, 0, &e);
  if (what == 1)
    back->mem_set(
        r->device,
        &(struct gpu_fill){
            .to = r->buffers[FRESH], .value = 7, .width = 2, .count = 100},
        &e);
  for (int n = 0; what < 3 && n < BUFFERS; n++)
    back->copy_out(r->device, host, r->buffers[n], buffer_bytes[n], 0, &e);
  if (what == 2) {
    uint32_t n = fuzz_pick(plan, SHAPES);
    struct gpu_array_copy c = {
        .array = r->arrays[n], .host = host, .bytes = r->array_bytes[n]};
    back->array_copy(r->device, &c, &e);
  }
  wait_all(r);
}

static void drop_records(struct rig *r) {
  struct gpu_counts counts;
  struct gpu_line_counts *lines;
  struct gpu_placement placement;
  struct gpu_block_place *places;
  struct err_info e;
  while (!back->counts(r->device, &counts, &lines, &e))
    free(lines);
  if (!back->placement(r->device, &placement, &places, &e))
    free(places);
}

static void launch(struct rig *r, struct fuzz_plan *plan, gpu_handle function,
                   const struct gpu_function_info *info) {
  uint8_t params[GPU_MAX_PARAM_BYTES] = {0};
  struct gpu_launch l;
  choose(plan, &l);
  l.function = function;
  l.params = params;
  l.param_bytes = info->param_bytes;
  struct gpu_device_info device;
  struct err_info e;
  must(back->info(r->device, &device, &e), &e);
  fill_params(r, plan, info, params);
  if (gpu_check_launch(&device, info, &l, &e))
    return;
  if (!plan->commands && !fuzz_pick(plan, 12))
    usual_commands(plan);
  if (plan->commands)
    debug(r, plan, &l);
  else if (!back->launch(r->device, &l, &e))
    wait_all(r);
  plan->commands = 0; // a second kernel runs without the debugger
  look(r, plan);
  drop_records(r);
}

// The names of the text's kernels, as the parser gives them.
static int kernel_names(const uint8_t *data, size_t size,
                        char names[MAX_KERNELS][256]) {
  struct ptx_module *m;
  struct err_info e;
  int count = 0;
  if (ptx_parse((const char *)data, size, &m, &e))
    return 0;
  for (int f = 0; f < m->func_count && count < MAX_KERNELS; f++)
    if (m->funcs[f]->is_entry)
      snprintf(names[count++], 256, "%s", m->funcs[f]->name);
  ptx_free(m);
  return count;
}

void fuzz_vgpu(const uint8_t *data, size_t size) {
  char names[MAX_KERNELS][256];
  int count = kernel_names(data, size, names);
  if (!count)
    return;
  struct fuzz_plan plan;
  fuzz_plan(data, size, &plan);
  vg_isa_limit((enum vg_isa)fuzz_pick(&plan, 3));
  struct rig *r = &rigs[!fuzz_pick(&plan, 6)];
  rig_ready(r);
  gpu_handle module, function;
  struct gpu_function_info info;
  struct err_info e;
  if (!back->module_load(r->device, data, size, &module, &e)) {
    for (int n = 0; n < count; n++)
      if (!back->function_get(r->device, module, names[n], &function, &info,
                              &e))
        launch(r, &plan, function, &info);
    back->module_unload(r->device, module, &e);
    wait_all(r);
  }
  vg_isa_limit(VG_AVX512);
  if (++r->texts >= TEXTS_A_DEVICE)
    rig_close(r);
}
