// SPDX-License-Identifier: Apache-2.0
// The arrays and textures of one case, on the device: filled, and afterwards
// copied back and compared with what was there before.
#ifndef GRADE_RUNNER_RUNNER_IMAGE_H
#define GRADE_RUNNER_RUNNER_IMAGE_H

#include "grade/runner/runner.h"

struct image { // on the device: zone | data | zone
  gpu_ptr at;
  gpu_handle picture; // of a texture, in place of memory
  uint64_t texture;
  size_t zone, bytes; // of one zone, of the data
  const char *before; // the data as they were: of the case, or `drawn`
  char *drawn;        // poison, or NULL
  char *after;        // the data that came back
  char *zones;        // both as they were, both that came back
  char *shared;       // zone | data | zone on their way, in the arena
};

struct run_images {
  struct gpu_device *d;
  const struct run_request *q;
  struct arena *arena;
  bool has_zones;
  bool is_coming; // what is copied back may still be written
  struct image of[EXERCISE_MAX_PARAMS];
};

enum err run_images_make(struct run_images *m, struct err_info *e);
// Fills array `i` as it was before the first launch.
enum err run_images_fill(const struct run_images *m, int i, struct err_info *e);
// Copies all back, waits and looks at them, once: what came back is handed on. ERR_UNINITIALISED is about what has
// come all the same.
enum err run_images_look(struct run_images *m, struct run_result *out,
                         struct err_info *e);
void run_images_drop(struct run_images *m);

#endif
