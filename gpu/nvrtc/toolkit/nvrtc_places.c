// SPDX-License-Identifier: Apache-2.0
// Where NVRTC may lie: toolkits, wheels, conda, the loader's folders. Layouts
// differ, so a place is a folder of libraries, and its headers are looked for
// in the folders that each layout uses.
#include "gpu/nvrtc/toolkit/nvrtc_places.h"

#include <glob.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

// ---- Headers ----

// Folders of headers, relative to the folder of the library, one layout a row.
// The first layout that has a cuda_runtime.h is taken alone, so that headers of
// two versions never mix.
enum { LAYOUTS = 4, LAYOUT_FOLDERS = 6 };
static const char *const layouts[LAYOUTS][LAYOUT_FOLDERS] = {
    // toolkits, wheels of CUDA 13
    {"../include", "../include/cccl"},
    // conda
    {"../targets/x86_64-linux/include", "../targets/x86_64-linux/include/cccl"},
    {"../targets/sbsa-linux/include", "../targets/sbsa-linux/include/cccl"},
    // wheels of CUDA 12
    {"../../cuda_runtime/include", "../../cuda_nvcc/include",
     "../../curand/include", "../../cuda_cccl/include",
     "../../cuda_cccl/include/cccl"},
};

static bool has_file(const char *folder, const char *name) {
  char *path = xasprintf("%s/%s", folder, name);
  bool is_there = !access(path, R_OK);
  free(path);
  return is_there;
}

// One file that is in each folder worth adding.
static bool has_headers(const char *folder) {
  static const char *const marks[] = {"cuda_runtime.h", "crt/host_defines.h",
                                      "curand_kernel.h", "cuda/std/cstdint",
                                      "nv/target"};
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
    if (has_file(folder, marks[i]))
      return true;
  return false;
}

static void add_include(struct nvrtc_place *p, const char *folder) {
  char real[PATH_MAX];
  if (p->include_count == NVRTC_MAX_INCLUDES || !realpath(folder, real) ||
      !has_headers(real))
    return;
  for (int i = 0; i < p->include_count; i++)
    if (!strcmp(p->includes[i], real))
      return;
  p->includes[p->include_count++] = xstrdup(real);
}

static bool add_layout(struct nvrtc_place *p, const char *const *folders) {
  int library_folder = (int)(strrchr(p->library, '/') - p->library);
  bool is_main = false;
  for (int i = 0; i < LAYOUT_FOLDERS && folders[i]; i++) {
    char *path = xasprintf("%.*s/%s", library_folder, p->library, folders[i]);
    is_main |= has_file(path, "cuda_runtime.h");
    add_include(p, path);
    free(path);
  }
  return is_main;
}

static void find_includes(struct nvrtc_place *p) {
  for (int i = 0; i < LAYOUTS; i++)
    if (add_layout(p, layouts[i]))
      return;
  // Distributions' own packages: the library among all others.
  if (!strncmp(p->library, "/usr/lib", 8))
    add_include(p, "/usr/include");
}

// ---- Libraries ----

static int major_of(const char *path) {
  const char *so = strstr(path, ".so.");
  return so ? atoi(so + 4) : 0;
}

static void add_library(struct nvrtc_places *out, const char *path) {
  char real[PATH_MAX];
  if (out->count == NVRTC_MAX_PLACES || !realpath(path, real))
    return;
  for (int i = 0; i < out->count; i++)
    if (!strcmp(out->places[i].library, real))
      return;
  struct nvrtc_place *p = &out->places[out->count++];
  *p = (struct nvrtc_place){.library = xstrdup(real), .major = major_of(real)};
  find_includes(p);
}

// Adds what lies in `folder`; "libnvrtc.alt.so" and the builtins do not match.
static void add_folder(struct nvrtc_places *out, const char *folder) {
  static const char *const names[] = {"libnvrtc.so.1[0-9]", "libnvrtc.so"};
  str_addf(&out->searched, "%s\n", folder);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char *pattern = xasprintf("%s/%s", folder, names[i]);
    glob_t g;
    if (!glob(pattern, 0, NULL, &g)) {
      for (size_t k = g.gl_pathc; k-- > 0;) // 13 before 12
        add_library(out, g.gl_pathv[k]);
      globfree(&g);
    }
    free(pattern);
  }
}

static void add_all(struct nvrtc_places *out, const char *prefix,
                    const char *const *folders) {
  if (!prefix || prefix[0] != '/')
    return;
  for (; *folders; folders++) {
    char *path = xasprintf("%s/%s", prefix, *folders);
    add_folder(out, path);
    free(path);
  }
}

static const char *const in_toolkit[] = {"lib64", "lib", NULL};
static const char *const in_wheels[] = {"nvidia/cu13/lib",
                                        "nvidia/cuda_nvrtc/lib", NULL};
static const char *const in_conda[] = {"lib", NULL};

// Toolkits and interpreters beside each other: every match of a pattern.
static void add_matches(struct nvrtc_places *out, const char *pattern,
                        const char *const *folders) {
  glob_t g;
  if (glob(pattern, 0, NULL, &g))
    return;
  for (size_t i = g.gl_pathc; i-- > 0;)
    add_all(out, g.gl_pathv[i], folders);
  globfree(&g);
}

static void add_python(struct nvrtc_places *out) {
  const char *home = getenv("HOME"), *venv = getenv("VIRTUAL_ENV");
  if (venv && venv[0] == '/') {
    char *p = xasprintf("%s/lib/python3*/site-packages", venv);
    add_matches(out, p, in_wheels);
    free(p);
  }
  if (home && home[0] == '/') {
    char *p = xasprintf("%s/.local/lib/python3*/site-packages", home);
    add_matches(out, p, in_wheels);
    free(p);
  }
  add_matches(out, "/usr/local/lib/python3*/*-packages", in_wheels);
  add_matches(out, "/usr/lib*/python3*/*-packages", in_wheels);
}

// LD_LIBRARY_PATH (environment modules set it) and the loader's usual folders.
static void add_loader(struct nvrtc_places *out) {
  const char *list = getenv("LD_LIBRARY_PATH");
  char *copy = xstrdup(list ? list : ""), *save = NULL;
  for (char *d = strtok_r(copy, ":", &save); d; d = strtok_r(NULL, ":", &save))
    if (d[0] == '/')
      add_folder(out, d);
  free(copy);
  static const char *const folders[] = {"/usr/lib/x86_64-linux-gnu",
                                        "/usr/lib/aarch64-linux-gnu",
                                        "/usr/lib64", "/usr/lib"};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
    add_folder(out, folders[i]);
}

static int by_version(const void *a, const void *b) {
  const struct nvrtc_place *p = a, *q = b;
  return q->major - p->major;
}

// A person's choice, then ours: what the set-up fetched serves a program that
// takes its lessons from another home, too; and what a user without a toolkit has
// fetched as NVRTC.txt of an installation says.
static void add_chosen(struct nvrtc_places *out) {
  add_all(out, getenv("CUDA_HOME"), in_toolkit);
  add_all(out, getenv("CUDA_PATH"), in_toolkit);
  char *deps = file_own(".deps");
  if (!deps)
    deps = file_beside_program(".deps");
  add_all(out, deps, in_wheels);
  free(deps);
  char *own = file_xdg(XDG_DATA);
  if (own) {
    char *fetched = xasprintf("%s/nvrtc", own);
    add_all(out, fetched, in_wheels);
    free(fetched);
  }
  free(own);
}

static void add_toolkits(struct nvrtc_places *out) {
  add_all(out, "/usr/local/cuda", in_toolkit);
  add_matches(out, "/usr/local/cuda-*", in_toolkit);
  add_matches(out, "/opt/cuda*", in_toolkit);
}

static void add_others(struct nvrtc_places *out) {
  add_loader(out);
  add_python(out);
  add_all(out, getenv("CONDA_PREFIX"), in_conda);
}

static const struct {
  void (*add)(struct nvrtc_places *out);
  bool by_version;
} groups[] = {{add_chosen, false}, {add_toolkits, true}, {add_others, true}};

enum { GROUPS = sizeof groups / sizeof *groups };

bool nvrtc_places_find_more(struct nvrtc_places *p) {
  int before = p->count;
  while (p->groups < GROUPS && p->count == before) {
    groups[p->groups].add(p);
    if (groups[p->groups++].by_version)
      qsort(p->places + before, (size_t)(p->count - before), sizeof *p->places,
            by_version);
  }
  return p->count > before;
}

void nvrtc_places_find(struct nvrtc_places *out) {
  *out = (struct nvrtc_places){.searched = STR_INIT};
  nvrtc_places_find_more(out);
}

void nvrtc_places_free(struct nvrtc_places *p) {
  for (int i = 0; i < p->count; i++) {
    free(p->places[i].library);
    for (int k = 0; k < p->places[i].include_count; k++)
      free(p->places[i].includes[k]);
  }
  str_free(&p->searched);
  p->count = 0;
}

bool nvrtc_places_any(bool (*try_one)(void *context, const char *library),
                      void *context) {
  struct nvrtc_places places;
  bool is_found = false;
  int next = 0;
  nvrtc_places_find(&places);
  do {
    for (; next < places.count && !is_found; next++)
      is_found = try_one(context, places.places[next].library);
  } while (!is_found && nvrtc_places_find_more(&places));
  nvrtc_places_free(&places);
  return is_found;
}
