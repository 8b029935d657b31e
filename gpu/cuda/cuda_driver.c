// SPDX-License-Identifier: Apache-2.0
// Finds libcuda.so.1 and fills the table of its functions.
#include "gpu/cuda/cuda_driver.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "base/mem.h"

static const struct {
  int number;
  enum err code;
  bool is_sticky;
} statuses[] = {
#define STATUS(number, name, code, sticky) {number, code, sticky},
#include "gpu/cuda/cuda_errors.def"
#undef STATUS
};

static const struct {
  const char *symbol;
  bool is_needed;
} symbols[] = {
#define API(name, symbol, arguments, needed) {symbol, needed},
#include "gpu/cuda/cuda_api.def"
#undef API
};

enum { SYMBOL_COUNT = sizeof symbols / sizeof *symbols };

// The table as a plain array of pointers, so that one loop fills it.
union table {
  struct cuda_driver api;
  void *pointers[SYMBOL_COUNT];
};
_Static_assert(sizeof(struct cuda_driver) == SYMBOL_COUNT * sizeof(void *),
               "the table holds function pointers and nothing else");

static int find_status(int number) {
  for (unsigned i = 0; i < sizeof statuses / sizeof *statuses; i++)
    if (statuses[i].number == number)
      return (int)i;
  return -1;
}

bool cuda_is_sticky(int status) {
  int i = find_status(status);
  return i >= 0 && statuses[i].is_sticky;
}

enum err cuda_fail(const struct cuda_driver *cu, int status, const char *doing,
                   struct err_info *e) {
  if (status == CUDA_OK)
    return ERR_OK;
  const char *text = NULL;
  if (cu->error_string)
    cu->error_string(status, &text);
  int i = find_status(status);
  enum err code = i >= 0 ? statuses[i].code : ERR_INTERNAL;
  return err_set(e, code, "%s: %s (CUDA error %d)", doing,
                 text ? text : "unknown error", status);
}

static enum err load(union table *t, struct err_info *e) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return err_set(e, ERR_NOT_FOUND,
                   "no NVIDIA driver: %s (virtual:0 needs none)", dlerror());
  for (int i = 0; i < SYMBOL_COUNT; i++) {
    t->pointers[i] = dlsym(library, symbols[i].symbol);
    if (!t->pointers[i] && symbols[i].is_needed)
      return err_set(e, ERR_UNSUPPORTED,
                     "the NVIDIA driver is too old: it has no %s; a driver for "
                     "CUDA 12.4 or newer is needed",
                     symbols[i].symbol);
  }
  return cuda_fail(&t->api, t->api.init(0), "starting the driver", e);
}

enum err cuda_driver_open(struct cuda_driver **out, struct err_info *e) {
  union table *t = xcalloc(1, sizeof *t);
  enum err err = load(t, e);
  *out = err ? NULL : &t->api;
  if (err)
    free(t);
  return err;
}
