// SPDX-License-Identifier: Apache-2.0
// Finds libnccl.so.2 and fills the table of its functions. Toolkits have it beside
// NVRTC, NVIDIA's wheels in a folder of its own.
#include "gpu/nccl/nccl_library.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "gpu/nvrtc/toolkit/nvrtc_places.h"

static const char *const symbols[] = {
#define API(name, symbol, result, arguments) symbol,
#include "gpu/nccl/nccl_api.def"
#undef API
};

enum { SYMBOL_COUNT = sizeof symbols / sizeof *symbols };
enum { LEAST = 21800, TOO_NEW = 30000 }; // ours are NCCL 2's numbers

// The table as a plain array of pointers, so that one loop fills it.
union table {
  struct nccl_api api;
  void *pointers[SYMBOL_COUNT];
};
_Static_assert(sizeof(struct nccl_api) == SYMBOL_COUNT * sizeof(void *),
               "the table holds function pointers and nothing else");

// ---- Loading ----

// What NCCL reads when it is loaded or first used. What the user has set stays.
//
// NVLS multicasts through NVLink switches: a process that dies while it uses them
// can leave a host's GPUs unusable until somebody resets the host's fabric, and
// servers are killed here as a matter of course. All ranks are on this host, so the
// loopback interface is where they find each other, and no other network is looked
// at. All ways of each operation are connected at the start: later there are no
// sockets any more, so NCCL's own watch over ranks, which connects at times, is off.
static void set_environment(void) {
  static const char *const settings[][2] = {
      {"NCCL_NVLS_ENABLE", "0"}, {"NCCL_SOCKET_IFNAME", "lo"},
      {"NCCL_IB_DISABLE", "1"},  {"NCCL_RUNTIME_CONNECT", "0"},
      {"NCCL_RAS_ENABLE", "0"},
  };
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
    setenv(settings[i][0], settings[i][1], 0);
  unsetenv("NCCL_COMM_ID"); // the ranks' own way to each other
}

static enum err check_version(const struct nccl_api *api, const char *path,
                              int *version, struct err_info *e) {
  if (!api->version(version) && *version >= LEAST && *version < TOO_NEW)
    return ERR_OK;
  return err_set(e, ERR_UNSUPPORTED,
                 "%s is NCCL %d.%d.%d; from 2.18 on it can be used", path,
                 *version / 10000, *version / 100 % 100, *version % 100);
}

static enum err load(struct nccl_api *out, const char *path, int *version,
                     struct err_info *e) {
  union table t;
  enum err err = ERR_OK;
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return err_set(e, ERR_UNSUPPORTED, "NCCL does not load: %s", dlerror());
  for (int i = 0; i < SYMBOL_COUNT && !err; i++) {
    t.pointers[i] = dlsym(library, symbols[i]);
    if (!t.pointers[i])
      err = err_set(e, ERR_UNSUPPORTED,
                    "%s has no %s: it is too old an NCCL; from 2.18 on it can "
                    "be used",
                    path, symbols[i]);
  }
  if (!err)
    err = check_version(&t.api, path, version, e);
  if (!err)
    *out = t.api;
  else
    dlclose(library);
  return err;
}

// ---- Finding ----

#define NAME "libnccl.so.2"

struct search {
  struct nccl_api *out;
  int *version;
  struct err_info first; // that library is the one that was meant
};

static bool try_one(struct search *s, const char *path) {
  struct err_info e = {0};
  if (!load(s->out, path, s->version, &e))
    return true;
  if (!s->first.code)
    s->first = e;
  return false;
}

static bool try_beside(void *context, const char *nvrtc) {
  struct search *s = context;
  static const char *const folders[] = {".", "../../nccl/lib"};
  int bytes = (int)(strrchr(nvrtc, '/') - nvrtc);
  bool is_loaded = false;
  for (size_t i = 0; i < sizeof folders / sizeof *folders && !is_loaded; i++) {
    char *path = xasprintf("%.*s/%s/" NAME, bytes, nvrtc, folders[i]);
    is_loaded = !access(path, R_OK) && try_one(s, path);
    free(path);
  }
  return is_loaded;
}

// What the loader does not find is no failure.
static bool try_loader(struct search *s) {
  void *library = dlopen(NAME, RTLD_NOW | RTLD_LOCAL);
  return library && try_one(s, NAME);
}

enum err nccl_library_load(struct nccl_api *out, int *version,
                           struct err_info *e) {
  const char *named = getenv("WARPSHOP_NCCL");
  struct search s = {.out = out, .version = version};
  set_environment();
  if (named && *named ? try_one(&s, named)
                      : nvrtc_places_any(try_beside, &s) || try_loader(&s))
    return ERR_OK;
  if (!s.first.code)
    return err_set(e, ERR_UNSUPPORTED,
                   "NCCL is not here: pip install nvidia-nccl-cu13 brings it, "
                   "or WARPSHOP_NCCL names the library");
  *e = s.first;
  return s.first.code;
}
