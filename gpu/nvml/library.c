// SPDX-License-Identifier: Apache-2.0
#include "gpu/nvml/library.h"

#include <dlfcn.h>
#include <stdbool.h>

#include "gpu/nvml/nvml.h"

static const struct {
  const char *symbol;
  bool is_needed;
} symbols[] = {
#define API(name, symbol, arguments, needed) {symbol, needed},
#include "gpu/nvml/nvml_api.def"
#undef API
};

enum err nvml_library_load(union nvml_library *l, const char *name,
                           struct err_info *e) {
  if (!name)
    name = "libnvidia-ml.so.1";
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return err_set(e, ERR_NOT_FOUND,
                   "no NVML, the driver's library that tells of GPUs: %s",
                   dlerror());
  for (int i = 0; i < NVML_SYMBOLS; i++) {
    l->pointers[i] = dlsym(library, symbols[i].symbol);
    if (!l->pointers[i] && symbols[i].is_needed)
      return err_set(e, ERR_UNSUPPORTED, "%s has no %s: it is too old", name,
                     symbols[i].symbol);
  }
  int status = l->api.init();
  return status
             ? err_set(e, ERR_NOT_FOUND, "NVML does not start: %s (error %d)",
                       nvml_why_text(status), status)
             : ERR_OK;
}
