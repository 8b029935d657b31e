// SPDX-License-Identifier: Apache-2.0
// CUPTI's library: finding it, loading it, and what its statuses mean.
#ifndef GPU_CUPTI_CUPTI_LIBRARY_H
#define GPU_CUPTI_CUPTI_LIBRARY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "gpu/cupti/cupti_types.h"

struct cupti_api {
#define API(name, symbol, argument) int (*name)(argument *);
#include "gpu/cupti/cupti_api.def"
#undef API
};

struct cupti_library {
  struct cupti_api api;
  int (*status_text)(int status, const char **text); // or NULL
  uint32_t version; // 28 of CUDA 12.9, 130001 of 13.0
  char *path;
};

enum cupti_refusal {
#define REFUSAL(name, status, text) CUPTI_##name,
#include "gpu/cupti/cupti_refusal.def"
#undef REFUSAL
  CUPTI_REFUSALS
};

// Tries the data folder's library, those beside each NVRTC, and the loader's, until one
// is whole; or that which WARPSHOP_CUPTI names alone. ERR_UNSUPPORTED says what the first lacked.
enum err cupti_library_load(struct cupti_library *l, struct err_info *e);
void cupti_library_free(struct cupti_library *l);

// ERR_UNSUPPORTED with the row's text.
enum err cupti_refuse(enum cupti_refusal why, struct err_info *e);
// What a status means here; `params` names the driver's parameters (NULL: where they
// are). ERR_OK of 0.
enum err cupti_fail(const struct cupti_library *l, int status,
                    const char *doing, const char *params, struct err_info *e);

#endif
