// SPDX-License-Identifier: Apache-2.0
// What CUPTI's functions take (CUPTI's documentation, CUDA 12.6 to 13.5). `bytes` is
// how much of the structure its caller knows: newer libraries have more behind it and
// leave that alone. `none` is always NULL.
#ifndef GPU_CUPTI_CUPTI_TYPES_H
#define GPU_CUPTI_CUPTI_TYPES_H

#include <stddef.h>
#include <stdint.h>

struct cupti_plain {
  size_t bytes;
  void *none;
};

struct cupti_chip {
  size_t bytes;
  void *none;
  size_t device;
  const char *name; // out: "GH100"
};

// Each level: 0 unknown, 1 not supported, 2 switched off, 3 supported, 4 in part.
struct cupti_supported {
  size_t bytes;
  void *none;
  int device;
  int all, architecture, sli, vgpu, confidential, mining, wsl; // out
  int api;                                                     // 0: ranges
};

// Of a profiler's object on the host, which knows the metrics of a chip.
struct cupti_host {
  size_t bytes;
  void *none;
  void *host;
};

struct cupti_host_open {
  size_t bytes;
  void *none;
  int kind; // 0: ranges
  const char *chip;
  const uint8_t *available; // or NULL
  void *host;               // out
};

struct cupti_host_add {
  size_t bytes;
  void *none;
  void *host;
  const char **names;
  size_t count;
};

struct cupti_host_size {
  size_t bytes;
  void *none;
  void *host;
  size_t image_bytes; // out
};

struct cupti_host_image {
  size_t bytes;
  void *none;
  void *host;
  size_t image_bytes;
  uint8_t *image;
};

struct cupti_host_passes {
  size_t bytes;
  void *none;
  size_t image_bytes;
  uint8_t *image;
  size_t passes; // out
};

struct cupti_evaluate {
  size_t bytes;
  void *none;
  void *host;
  const uint8_t *data;
  size_t data_bytes;
  size_t range;
  const char **names;
  size_t count;
  double *values; // `count` of them
};

// Of a range profiler, which belongs to a context.
struct cupti_range {
  size_t bytes;
  void *none;
  void *profiler;
};

struct cupti_enable {
  size_t bytes;
  void *none;
  void *context;
  void *profiler; // out
  int caches;     // from CUPTI 13.4 on: enum cupti_caches
};

enum cupti_caches { CUPTI_CACHES_KEPT = 0, CUPTI_CACHES_EMPTIED = 1 };

struct cupti_data_size {
  size_t bytes;
  void *none;
  void *profiler;
  const char **names;
  size_t count;
  size_t ranges;
  uint32_t nodes;    // of the tree of ranges: as many
  size_t data_bytes; // out
};

struct cupti_data {
  size_t bytes;
  void *none;
  void *profiler;
  size_t data_bytes;
  uint8_t *data;
};

// Each kernel is a range of its own, and CUPTI runs it as often as it needs, with the
// memory that it changes put back in between.
enum cupti_ranging { CUPTI_EACH_KERNEL = 1 };
enum cupti_replay { CUPTI_REPLAY_KERNEL = 2 };

struct cupti_config {
  size_t bytes;
  void *none;
  void *profiler;
  size_t image_bytes;
  const uint8_t *image;
  size_t data_bytes;
  uint8_t *data;
  int ranging, replay;
  size_t most_ranges;
  uint16_t levels, least_level;
  size_t pass;
  uint16_t target_level;
};

struct cupti_stop {
  size_t bytes;
  void *none;
  void *profiler;
  size_t pass, level; // out
  uint8_t is_last;    // out
};

struct cupti_decode {
  size_t bytes;
  void *none;
  void *profiler;
  size_t dropped; // out
};

struct cupti_data_info {
  size_t bytes;
  void *none;
  const uint8_t *data;
  size_t data_bytes;
  size_t ranges; // out
};

// The size of a structure up to and with its last field that every CUPTI has.
#define CUPTI_BYTES(type, last)                                                \
  (offsetof(struct type, last) + sizeof(((struct type *)0)->last))

#endif
