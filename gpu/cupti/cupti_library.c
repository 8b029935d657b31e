// SPDX-License-Identifier: Apache-2.0
// Finds libcupti and fills the table of its functions. Toolkits have it beside NVRTC
// or in a folder of its own (extras/CUPTI), wheels of CUDA 12 in another package's. One
// in warpshop's data folder goes first: it was fetched because another would not do.
#include "gpu/cupti/cupti_library.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "gpu/nvrtc/toolkit/nvrtc_places.h"

static const char *const symbols[] = {
#define API(name, symbol, argument) symbol,
#include "gpu/cupti/cupti_api.def"
#undef API
};

enum { SYMBOL_COUNT = sizeof symbols / sizeof *symbols };

// The table as a plain array of pointers, so that one loop fills it.
union table {
  struct cupti_api api;
  void *pointers[SYMBOL_COUNT];
};
_Static_assert(sizeof(struct cupti_api) == SYMBOL_COUNT * sizeof(void *),
               "the table holds function pointers and nothing else");

// ---- Why not ----

#define CUPTI_PIP                                                              \
  "pip install --upgrade --target ~/.local/share/warpshop/cupti "              \
  "nvidia-cuda-cupti"

static const struct {
  int status;
  const char *text;
} refusals[CUPTI_REFUSALS] = {
#define REFUSAL(name, status, text) {status, text},
#include "gpu/cupti/cupti_refusal.def"
#undef REFUSAL
};

enum err cupti_refuse(enum cupti_refusal why, struct err_info *e) {
  return err_set(e, ERR_UNSUPPORTED, "%s", refusals[why].text);
}

// Does a line of a file begin with `name`, and have `value` in it?
static bool has_line(const char *path, const char *name, const char *value) {
  FILE *f = fopen(path, "r");
  char line[400];
  bool is_found = false;
  while (f && !is_found && fgets(line, sizeof line, f))
    is_found = !strncmp(line, name, strlen(name)) && strstr(line, value);
  if (f)
    fclose(f);
  return is_found;
}

// CUPTI often calls it an unknown error. Administrators may; CAP_SYS_ADMIN is
// capability 21.
static bool is_restricted(const char *params) {
  enum { SYS_ADMIN = 21 };
  unsigned long long mask = 0;
  char line[200];
  FILE *f = fopen("/proc/self/status", "r");
  while (f && fgets(line, sizeof line, f))
    if (sscanf(line, "CapEff: %llx", &mask) == 1)
      break;
  if (f)
    fclose(f);
  return !(mask >> SYS_ADMIN & 1) &&
         has_line(params ? params : "/proc/driver/nvidia/params",
                  "RmProfilingAdminOnly:", " 1");
}

// gVisor's kernel gives itself this version, of that day, always.
static bool is_sandboxed(void) {
  return has_line("/proc/version", "Linux version 4.4.0",
                  "Sun Jan 10 15:06:54 PST 2016");
}

enum err cupti_fail(const struct cupti_library *l, int status,
                    const char *doing, const char *params, struct err_info *e) {
  enum { UNKNOWN = 999 };
  const char *text = NULL;
  if (!status)
    return ERR_OK;
  if (is_sandboxed())
    return cupti_refuse(CUPTI_SANDBOX, e);
  if (status == UNKNOWN && is_restricted(params))
    return cupti_refuse(CUPTI_NOT_PERMITTED, e);
  for (int i = 0; i < CUPTI_REFUSALS; i++)
    if (refusals[i].status == status)
      return cupti_refuse((enum cupti_refusal)i, e);
  if (l->status_text)
    l->status_text(status, &text);
  return err_set(e, ERR_UNSUPPORTED, "%s does not go with %s: %s (error %d)",
                 doing, l->path, text ? text : "unknown error", status);
}

// ---- Loading ----

// What libcupti opens by its bare name later.
static void load_its_own(const char *path) {
  static const char *const names[] = {"libnvperf_host.so",
                                      "libnvperf_target.so"};
  const char *slash = strrchr(path, '/');
  for (size_t i = 0; slash && i < sizeof names / sizeof *names; i++) {
    char *beside = xasprintf("%.*s/%s", (int)(slash - path), path, names[i]);
    dlopen(beside, RTLD_NOW | RTLD_GLOBAL);
    free(beside);
  }
}

static enum err load(struct cupti_library *l, const char *path,
                     struct err_info *e) {
  union table t;
  load_its_own(path);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return err_set(e, ERR_UNSUPPORTED, "CUPTI does not load: %s", dlerror());
  int (*version)(uint32_t *) = dlsym(library, "cuptiGetVersion");
  l->status_text = dlsym(library, "cuptiGetResultString");
  if (!version || version(&l->version))
    l->version = 0;
  for (int i = 0; i < SYMBOL_COUNT; i++) {
    t.pointers[i] = dlsym(library, symbols[i]);
    if (!t.pointers[i]) {
      dlclose(library);
      return err_set(e, ERR_UNSUPPORTED, "%s %s", path,
                     refusals[CUPTI_TOO_OLD].text);
    }
  }
  l->api = t.api;
  l->path = xstrdup(path);
  return ERR_OK;
}

// ---- Finding ----

// Keeps the first failure: that library is the one that was meant.
static bool try_one(struct cupti_library *l, const char *path,
                    struct err_info *first) {
  struct err_info e = {0};
  if (!load(l, path, &e))
    return true;
  if (!first->code)
    *first = e;
  return false;
}

// The newest first.
static bool try_folder(struct cupti_library *l, const char *folder,
                       struct err_info *first) {
  char *pattern = xasprintf("%s/libcupti.so.1[2-9]", folder);
  bool is_loaded = false;
  glob_t g;
  if (!glob(pattern, 0, NULL, &g)) {
    for (size_t i = g.gl_pathc; i-- > 0 && !is_loaded;)
      is_loaded = try_one(l, g.gl_pathv[i], first);
    globfree(&g);
  }
  free(pattern);
  return is_loaded;
}

// What a user has fetched for this alone.
static bool try_own(struct cupti_library *l, struct err_info *first) {
  static const char *const wheels[] = {"cu13", "cuda_cupti"};
  char *data = file_xdg(XDG_DATA);
  bool is_loaded = false;
  for (size_t i = 0; data && i < 2 && !is_loaded; i++) {
    char *folder = xasprintf("%s/cupti/nvidia/%s/lib", data, wheels[i]);
    is_loaded = try_folder(l, folder, first);
    free(folder);
  }
  free(data);
  return is_loaded;
}

struct search {
  struct cupti_library *out;
  struct err_info *first;
};

static bool try_beside(void *context, const char *nvrtc) {
  struct search *s = context;
  static const char *const folders[] = {
      ".", "../../cu13/lib", "../../cuda_cupti/lib", "../extras/CUPTI/lib64",
      "../../../extras/CUPTI/lib64"};
  int bytes = (int)(strrchr(nvrtc, '/') - nvrtc);
  bool is_loaded = false;
  for (size_t i = 0; i < sizeof folders / sizeof *folders && !is_loaded; i++) {
    char *folder = xasprintf("%.*s/%s", bytes, nvrtc, folders[i]);
    is_loaded = try_folder(s->out, folder, s->first);
    free(folder);
  }
  return is_loaded;
}

// Names that only the loader knows: what it does not find is no failure.
static bool try_loader(struct cupti_library *l, struct err_info *first) {
  static const char *const names[] = {"libcupti.so.13", "libcupti.so.12"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (library && try_one(l, names[i], first))
      return true;
  }
  return false;
}

enum err cupti_library_load(struct cupti_library *l, struct err_info *e) {
  struct err_info first = {0};
  const char *named = getenv("WARPSHOP_CUPTI");
  *l = (struct cupti_library){0};
  if (named && *named
          ? try_one(l, named, &first)
          : try_own(l, &first) ||
                nvrtc_places_any(try_beside, &(struct search){l, &first}) ||
                try_loader(l, &first))
    return ERR_OK;
  if (!first.code)
    return cupti_refuse(CUPTI_NOT_INSTALLED, e);
  *e = first;
  return first.code;
}

void cupti_library_free(struct cupti_library *l) {
  free(l->path);
  l->path = NULL;
}
