// SPDX-License-Identifier: Apache-2.0
// Fatbins through nvFatbin (docs.nvidia.com/cuda/nvfatbin). The library is
// NVIDIA's, so only warpshop-device loads it; the members travel to it in one
// file: for each a struct head, then its bytes. What it prints is the fatbin,
// or one line that says why there is none.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "gpu/nvrtc/image/nvrtc_tool.h"
#include "gpu/nvrtc/nvrtc.h"
#include "gpu/nvrtc/toolkit/nvrtc_places.h"

struct head {
  uint64_t bytes;
  int32_t is_ptx, arch;
};

enum { EXIT_FAILED = 1, EXIT_LACKING = 3, MAX_BYTES = 512 << 20 };

// ---- In the program ----

enum err nvrtc_make_fatbin(const struct nvrtc_member *members, int count,
                           struct str *out, struct err_info *e) {
  struct str input = STR_INIT;
  for (int i = 0; i < count; i++) {
    struct head h = {members[i].bytes, members[i].is_ptx, members[i].arch};
    str_add_bytes(&input, (const char *)&h, sizeof h);
    str_add_bytes(&input, members[i].data, members[i].bytes);
  }
  char *program = file_device_program();
  enum err err = ERR_NOT_FOUND;
  if (!program)
    err_set(e, err,
            "warpshop-device is missing beside the program: reinstall "
            "warpshop");
  else if ((err = nvrtc_run_tool(program, "--fatbin", input.data, input.len,
                                 out, e)))
    err = err_set(e, ERR_NOT_FOUND, "%.*s",
                  (int)strcspn(out->data ? out->data : "", "\n"),
                  out->data ? out->data : e->text);
  free(program);
  str_free(&input);
  return err;
}

// ---- In warpshop-device ----

typedef int (*create_function)(void **handle, const char **options, size_t n);
typedef int (*add_ptx_function)(void *handle, const char *code, size_t bytes,
                                const char *arch, const char *name,
                                const char *options);
typedef int (*add_cubin_function)(void *handle, const void *code, size_t bytes,
                                  const char *arch, const char *name);
typedef int (*size_function)(void *handle, size_t *bytes);
typedef int (*get_function)(void *handle, void *out);

// Beside NVRTC, else where the loader looks.
static void *open_library(void) {
  static const char *const names[] = {"libnvfatbin.so.13", "libnvfatbin.so.12"};
  struct nvrtc_places places;
  void *library = NULL;
  nvrtc_places_find(&places);
  for (int i = 0; i <= places.count && !library; i++) {
    const char *beside = i < places.count ? places.places[i].library : "";
    const char *slash = strrchr(beside, '/');
    for (size_t n = 0; n < sizeof names / sizeof *names && !library; n++) {
      char *path = xasprintf("%.*s%s", slash ? (int)(slash - beside + 1) : 0,
                             beside, names[n]);
      library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
      free(path);
    }
  }
  nvrtc_places_free(&places);
  return library;
}

static int add_members(void *library, void *handle, const char *data,
                       size_t bytes) {
  add_ptx_function add_ptx = (add_ptx_function)dlsym(library, "nvFatbinAddPTX");
  add_cubin_function add_cubin =
      (add_cubin_function)dlsym(library, "nvFatbinAddCubin");
  struct head h;
  for (size_t at = 0; bytes - at > sizeof h; at += h.bytes) {
    char arch[16];
    memcpy(&h, data + at, sizeof h);
    at += sizeof h;
    if (!add_ptx || !add_cubin || h.bytes > bytes - at)
      return -1;
    snprintf(arch, sizeof arch, "%d", h.arch);
    // PTX goes with the zero behind it, as strings of the library's samples do.
    char *ptx = h.is_ptx ? xstrndup(data + at, h.bytes) : NULL;
    int rc = ptx ? add_ptx(handle, ptx, h.bytes + 1, arch, "kernels", "")
                 : add_cubin(handle, data + at, h.bytes, arch, "kernels");
    free(ptx);
    if (rc)
      return rc;
  }
  return 0;
}

static int print_fatbin(void *library, const char *data, size_t bytes) {
  create_function create = (create_function)dlsym(library, "nvFatbinCreate");
  size_function size = (size_function)dlsym(library, "nvFatbinSize");
  get_function get = (get_function)dlsym(library, "nvFatbinGet");
  void *handle = NULL;
  size_t n = 0;
  int rc = create && size && get ? create(&handle, NULL, 0) : -1;
  rc = rc ? rc : add_members(library, handle, data, bytes);
  rc = rc ? rc : size(handle, &n);
  char *out = rc ? NULL : xmalloc(n);
  rc = rc ? rc : get(handle, out);
  if (!rc && fwrite(out, 1, n, stdout) != n)
    rc = -1;
  free(out);
  if (rc)
    printf("nvFatbin refused the code (error %d)\n", rc);
  return rc ? EXIT_FAILED : 0;
}

int nvrtc_serve_fatbin(const char *path) {
  struct err_info e;
  char *data;
  size_t bytes;
  void *library = open_library();
  if (!library) {
    printf("NVIDIA's nvFatbin library is not on this machine: it comes with "
           "the CUDA toolkit, or with pip install nvidia-nvfatbin\n");
    return EXIT_LACKING;
  }
  if (file_read(path, MAX_BYTES, &data, &bytes, &e)) {
    printf("%s\n", e.text);
    return EXIT_FAILED;
  }
  int rc = print_fatbin(library, data, bytes);
  free(data);
  return rc;
}
