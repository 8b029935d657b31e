// SPDX-License-Identifier: Apache-2.0
// What tests/ptx files say of textures. A kernel of such a file takes
// test(in, out, texture, surface):
//
//   // array: U8 4 x 2 x 0, 1 channel, flags 2: 1 2 3 4 5 6 7 8
//   // linear: S32 4, 1 channel: 4 5 8 -16
//   // sample: linear normalized element srgb wrap mirror border
//
// The texture lies over an array or over linear memory. The flags are enum
// gpu_array_flags; the values fill the channels in order, floats as numbers. Words that are not there: point, elements counted
// from 0, normalized floats, clamp in all directions.
#ifndef TESTS_UNIT_PTX_TEXTURE_H
#define TESTS_UNIT_PTX_TEXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/gpu.h"

struct ptx_texture {
  bool is_there;
  bool is_linear;
  struct gpu_array_desc array;
  struct gpu_texture_desc sample;
  uint8_t data[4096];
  uint64_t texture, surface; // once made
};

static uint32_t ptx_format(const char *name) {
  static const struct {
    const char *name;
    uint32_t format;
  } formats[] = {{"U8", GPU_FORMAT_U8},   {"U16", GPU_FORMAT_U16},
                 {"U32", GPU_FORMAT_U32}, {"S8", GPU_FORMAT_S8},
                 {"S16", GPU_FORMAT_S16}, {"S32", GPU_FORMAT_S32},
                 {"F16", GPU_FORMAT_F16}, {"F32", GPU_FORMAT_F32}};
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (!strcmp(formats[i].name, name))
      return formats[i].format;
  return 0;
}

// The values behind the colon; f16 ones are given as their bits.
static void ptx_array_values(struct ptx_texture *t, const char *text,
                             const char *end) {
  size_t at = 0, bytes = gpu_format_bytes(t->array.format);
  while (text < end && at + bytes <= sizeof t->data) {
    char *after;
    double v = strtod(text, &after);
    if (after == text || after > end)
      break;
    text = after;
    float f = (float)v;
    int64_t n = (int64_t)v;
    memcpy(t->data + at, t->array.format == GPU_FORMAT_F32 ? (void *)&f : &n,
           bytes);
    at += bytes;
  }
}

static void ptx_sample_words(struct gpu_texture_desc *s, const char *line,
                             const char *end) {
  char text[200];
  snprintf(text, sizeof text, "%.*s", (int)(end - line), line);
  s->filter = strstr(text, "linear") ? GPU_FILTER_LINEAR : GPU_FILTER_POINT;
  s->is_normalized = strstr(text, "normalized");
  s->reads_elements = strstr(text, "element");
  s->is_srgb = strstr(text, "srgb");
  uint32_t mode = strstr(text, "wrap")     ? GPU_ADDRESS_WRAP
                  : strstr(text, "mirror") ? GPU_ADDRESS_MIRROR
                  : strstr(text, "border") ? GPU_ADDRESS_BORDER
                                           : GPU_ADDRESS_CLAMP;
  for (int i = 0; i < 3; i++)
    s->address_mode[i] = mode;
}

static void ptx_texture_line(struct ptx_texture *t, const char *line,
                             const char *end) {
  char format[8];
  int values = 0;
  struct gpu_array_desc *a = &t->array;
  if (sscanf(line,
             "// array: %7[A-Z0-9] %u x %u x %u, %u channel%*[s,] flags %u:%n",
             format, &a->width, &a->height, &a->depth, &a->channels, &a->flags,
             &values) == 6 ||
      sscanf(line, "// linear: %7[A-Z0-9] %u, %u channel%*[s:]%n", format,
             &a->width, &a->channels, &values) == 3) {
    t->is_there = true;
    t->is_linear = line[3] == 'l';
    a->format = ptx_format(format);
    for (int i = 0; i < 3; i++)
      t->sample.address_mode[i] = GPU_ADDRESS_CLAMP;
    ptx_array_values(t, line + values, end);
  } else if (!strncmp(line, "// sample: ", 11)) {
    ptx_sample_words(&t->sample, line, end);
  }
}

static enum err ptx_linear_make(struct ptx_texture *t,
                                const struct gpu_backend *back,
                                struct gpu_device *d, struct err_info *e) {
  size_t bytes = gpu_array_bytes(&t->array);
  struct gpu_texture_desc *s = &t->sample;
  s->resource = GPU_RESOURCE_LINEAR;
  s->width = t->array.width;
  s->format = t->array.format;
  s->channels = t->array.channels;
  enum err err = back->mem_alloc(d, bytes, 0, &s->address, e);
  if (!err)
    err = back->copy_in(d, s->address, t->data, bytes, 0, e);
  return err ? err : back->texture_create(d, s, &t->texture, e);
}

// Makes the array and both objects; a surface only where the flags allow it.
static enum err ptx_texture_make(struct ptx_texture *t,
                                 const struct gpu_backend *back,
                                 struct gpu_device *d, struct err_info *e) {
  gpu_handle array;
  if (t->is_linear)
    return ptx_linear_make(t, back, d, e);
  enum err err = back->array_create(d, &t->array, &array, e);
  if (err)
    return err;
  struct gpu_array_copy c = {.array = array,
                             .to_array = true,
                             .host = t->data,
                             .bytes = gpu_array_bytes(&t->array)};
  t->sample.array = array;
  err = back->array_copy(d, &c, e);
  if (!err)
    err = back->texture_create(d, &t->sample, &t->texture, e);
  if (!err && (t->array.flags & GPU_ARRAY_SURFACE))
    err = back->surface_create(d, array, &t->surface, e);
  return err;
}

#endif
