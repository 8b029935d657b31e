// SPDX-License-Identifier: Apache-2.0
// Where NVRTC may lie on a machine, found without loading it.
#ifndef GPU_NVRTC_TOOLKIT_NVRTC_PLACES_H
#define GPU_NVRTC_TOOLKIT_NVRTC_PLACES_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

enum { NVRTC_MAX_INCLUDES = 12, NVRTC_MAX_PLACES = 16 };

struct nvrtc_place {
  char *library; // libnvrtc.so.13, links followed
  int major;     // from the file's name; 0 when it does not say
  int include_count;
  char *includes[NVRTC_MAX_INCLUDES]; // folders of CUDA's headers
};

struct nvrtc_places {
  int count;
  int groups;                                  // that were searched
  struct nvrtc_place places[NVRTC_MAX_PLACES]; // the one to try first is first
  struct str searched;                         // one folder a line
};

// Looks through CUDA_HOME and CUDA_PATH, warpshop's own .deps folder, toolkits,
// and then the loader's folders, Python's wheels and conda, each group newest
// first. Stops behind the first group that has one; most starts need no more.
void nvrtc_places_find(struct nvrtc_places *out);

// Searches the groups that were left out; false when that brought nothing.
bool nvrtc_places_find_more(struct nvrtc_places *p);
void nvrtc_places_free(struct nvrtc_places *p);

// try_one(context, library) of all of them, those left out last, until it is true of
// one: whether it was. For libraries that lie beside NVRTC.
bool nvrtc_places_any(bool (*try_one)(void *context, const char *library),
                      void *context);

#endif
