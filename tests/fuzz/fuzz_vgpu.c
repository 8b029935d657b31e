// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/fuzz.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/gpu.h"
#include "gpu/ptx/ptx.h"

enum {
  BUFFERS = 4,
  BUFFER_BYTES = 4096,
  MAX_KERNELS = 3,
  SHAPES = 5,
  OBJECTS = 2 * SHAPES, // a texture and a surface of each
  // Slots of memory are never used again, so a device lives for so many texts.
  TEXTS_A_DEVICE = 512
};

static const struct gpu_backend *const back = &gpu_virtual_backend;

static struct {
  struct gpu_device *device;
  gpu_ptr buffers[BUFFERS];
  uint64_t objects[OBJECTS];
  int texts;
} rig;

static void must(enum err err, const struct err_info *e) {
  if (!err)
    return;
  fprintf(stderr, "fuzz_vgpu: %s: %s\n", err_kind(err), e->text);
  abort();
}

// Shapes of all kinds, with filters and modes that differ.
static void make_objects(void) {
  static const struct gpu_array_desc shapes[SHAPES] = {
      {5, 0, 0, GPU_FORMAT_F32, 1, GPU_ARRAY_SURFACE},
      {4, 3, 0, GPU_FORMAT_U8, 4, GPU_ARRAY_SURFACE},
      {3, 2, 2, GPU_FORMAT_F16, 2, GPU_ARRAY_SURFACE},
      {4, 2, 3, GPU_FORMAT_S16, 1, GPU_ARRAY_SURFACE | GPU_ARRAY_LAYERED},
      {2, 2, 6, GPU_FORMAT_F32, 1, GPU_ARRAY_SURFACE | GPU_ARRAY_CUBEMAP}};
  for (uint32_t n = 0; n < SHAPES; n++) {
    struct err_info e;
    struct gpu_texture_desc t = {.address_mode = {n % 4, (n + 1) % 4, n % 3},
                                 .filter = n % 2,
                                 .is_normalized = n != 1};
    must(back->array_create(rig.device, &shapes[n], &t.array, &e), &e);
    must(back->texture_create(rig.device, &t, &rig.objects[2 * n], &e), &e);
    must(back->surface_create(rig.device, t.array, &rig.objects[2 * n + 1], &e),
         &e);
  }
}

static void rig_open(void) {
  struct err_info e;
  struct gpu_options options = {.memory_bytes = 8 << 20};
  must(back->open(0, &options, &rig.device, &e), &e);
  for (int i = 0; i < BUFFERS; i++)
    must(back->mem_alloc(rig.device, BUFFER_BYTES, 0, &rig.buffers[i], &e), &e);
  make_objects();
}

static void rig_close(void) {
  back->close(rig.device);
  rig.device = NULL;
  rig.texts = 0;
}

static uint32_t hash(const uint8_t *data, size_t size) {
  uint32_t h = 2166136261u; // FNV-1a
  for (size_t i = 0; i < size; i++)
    h = (h ^ data[i]) * 16777619u;
  return h;
}

static void wait_all(void) {
  struct err_info e;
  struct gpu_finding found[4];
  while (back->poll(rig.device, GPU_ALL_STREAMS, &e) == ERR_NOT_READY)
    ;
  while (back->findings(rig.device, found, 4) == 4)
    ;
}

// From the third parameter on a texture and a surface may take turns with the
// buffers, as the files of tests/ptx have it.
static uint64_t wide_value(uint32_t p, uint32_t word, uint32_t h) {
  if (p < 2 || !(h >> 20 & 1))
    return rig.buffers[(p + word) % BUFFERS];
  return rig.objects[(2 * (h >> 21 & 7) + p) % OBJECTS];
}

// Words of 8 bytes become pointers or objects, smaller ones small numbers.
static void fill_params(const struct gpu_function_info *info, uint32_t h,
                        uint8_t *params) {
  for (uint32_t p = 0; p < info->param_count && p < GPU_MAX_PARAMS; p++) {
    uint32_t at = info->params[p].offset, bytes = info->params[p].bytes;
    for (uint32_t o = 0; o + 4 <= bytes && at + o + 4 <= info->param_bytes;) {
      uint64_t value = bytes - o >= 8 ? wide_value(p, o / 8, h) : 3 * (p + 1);
      uint32_t step = bytes - o >= 8 ? 8 : 4;
      memcpy(params + at + o, &value, step);
      o += step;
    }
  }
}

static void drop_counts(void) {
  struct gpu_counts counts;
  struct gpu_line_counts *lines;
  struct err_info e;
  while (!back->counts(rig.device, &counts, &lines, &e))
    free(lines);
}

static void launch(gpu_handle function, const struct gpu_function_info *info,
                   uint32_t h) {
  static const uint32_t blocks[] = {1, 7, 32, 33, 64, 100, 128, 256};
  static const uint32_t dynamic[] = {0, 64, 1024, 4096};
  uint8_t params[GPU_MAX_PARAM_BYTES] = {0};
  struct gpu_launch l = {.function = function,
                         .grid = {1 + (h >> 4) % 3, 1 + (h >> 6) % 2, 1},
                         .block = {blocks[h & 7], 1, 1},
                         .shared_bytes = dynamic[h >> 8 & 3],
                         .flags = (h >> 10 & 3) == 3 ? GPU_LAUNCH_UNCHECKED : 0,
                         .budget = 1 << 12,
                         .grid_budget = 1 << 17,
                         .params = params,
                         .param_bytes = info->param_bytes};
  if ((h >> 14 & 3) == 0)
    l.flags |= GPU_LAUNCH_COUNT;
  if (h >> 12 & 1)
    l.block[1] = 1 + (h >> 13 & 1);
  struct gpu_device_info device;
  struct err_info e;
  must(back->info(rig.device, &device, &e), &e);
  fill_params(info, h, params);
  if (!gpu_check_launch(&device, info, &l, &e) &&
      !back->launch(rig.device, &l, &e))
    wait_all();
  drop_counts();
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
  if (!rig.device)
    rig_open();
  gpu_handle module, function;
  struct gpu_function_info info;
  struct err_info e;
  uint32_t h = hash(data, size);
  if (!back->module_load(rig.device, data, size, &module, &e)) {
    for (int n = 0; n < count; n++)
      if (!back->function_get(rig.device, module, names[n], &function, &info,
                              &e))
        launch(function, &info, h + (uint32_t)n * 2654435761u);
    back->module_unload(rig.device, module, &e);
    wait_all();
  }
  if (++rig.texts >= TEXTS_A_DEVICE)
    rig_close();
}
