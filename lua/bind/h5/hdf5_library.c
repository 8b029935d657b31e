// SPDX-License-Identifier: Apache-2.0
#include "lua/bind/h5/hdf5_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// As Debian and others call it, the newest first.
static const char *const names[] = {
    "libhdf5_serial.so.320",
    "libhdf5.so.320",
    "libhdf5_serial.so.310",
    "libhdf5.so.310",
    "libhdf5.so.200",
    "libhdf5_serial.so.103",
    "libhdf5.so.103",
    "libhdf5_serial.so.100",
    "libhdf5.so.101",
    "libhdf5_serial.so",
    "libhdf5.so",
};

static const struct {
  const char *symbol;
  size_t offset;
} symbols[] = {
#define API(result, name, arguments)                                           \
  {"H5" #name, offsetof(struct hdf5_library, name)},
#include "lua/bind/h5/hdf5_api.def"
#undef API
};

static void *load(struct err_info *e) {
  const char *own = getenv("WARPSHOP_HDF5");
  if (own && *own) {
    void *library = dlopen(own, RTLD_NOW | RTLD_LOCAL);
    if (!library)
      err_set(e, ERR_NOT_FOUND,
              "WARPSHOP_HDF5: %s; where it is not set, libhdf5 is looked for "
              "by its names (`apt install hdf5-tools` gets it)",
              dlerror());
    return library;
  }
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (library)
      return library;
  }
  err_set(e, ERR_NOT_FOUND,
          "HDF5 files are read and written by libhdf5, which is not here: "
          "`apt install hdf5-tools` (Fedora, Arch: hdf5) gets it, or "
          "WARPSHOP_HDF5=/path/libhdf5.so says where it is");
  return NULL;
}

static hid_t id_of(void *library, const char *name) {
  const hid_t *id = dlsym(library, name);
  return id ? *id : 0;
}

// They are there once the library is open.
static void take_ids(void *library, struct hdf5_library *l) {
  static const char *const natives[DTYPE_COUNT] = {
      [DTYPE_I8] = "H5T_NATIVE_INT8_g",    [DTYPE_I16] = "H5T_NATIVE_INT16_g",
      [DTYPE_I32] = "H5T_NATIVE_INT32_g",  [DTYPE_I64] = "H5T_NATIVE_INT64_g",
      [DTYPE_U8] = "H5T_NATIVE_UINT8_g",   [DTYPE_U16] = "H5T_NATIVE_UINT16_g",
      [DTYPE_U32] = "H5T_NATIVE_UINT32_g", [DTYPE_U64] = "H5T_NATIVE_UINT64_g",
      [DTYPE_F32] = "H5T_NATIVE_FLOAT_g",  [DTYPE_F64] = "H5T_NATIVE_DOUBLE_g",
  };
  for (int t = 0; t < DTYPE_COUNT; t++)
    l->native[t] = natives[t] ? id_of(library, natives[t]) : 0;
  l->float_type = id_of(library, "H5T_IEEE_F32LE_g");
  l->of_sets = id_of(library, "H5P_CLS_DATASET_CREATE_ID_g");
  l->of_files = id_of(library, "H5P_CLS_FILE_ACCESS_ID_g");
  l->of_links = id_of(library, "H5P_CLS_LINK_CREATE_ID_g");
}

static struct hdf5_library library;

// Its own way to close at the end what is still open reads what was freed where a file
// could not be closed, such as on a full disk.
static void end_library(void) {
  if (!library.is_spoilt)
    library.close();
}

void hdf5_library_spoil(void) {
  library.is_spoilt = true;
}

const struct hdf5_library *hdf5_library(struct err_info *e) {
  static bool is_loaded;
  unsigned major, minor, patch;
  if (is_loaded)
    return &library;
  void *handle = load(e);
  if (!handle)
    return NULL;
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
    void *f = dlsym(handle, symbols[i].symbol);
    if (!f) {
      err_set(e, ERR_NOT_FOUND, "this libhdf5 has no %s: 1.10 or newer does",
              symbols[i].symbol);
      return NULL;
    }
    memcpy((char *)&library + symbols[i].offset, &f, sizeof f);
  }
  library.dont_atexit();
  if (library.open() < 0 ||
      library.get_libversion(&major, &minor, &patch) < 0 ||
      (major == 1 && minor < 10)) {
    err_set(e, ERR_NOT_FOUND, "this libhdf5 is older than 1.10");
    return NULL;
  }
  take_ids(handle, &library);
  library.Eset_auto2(0, NULL, NULL); // it prints nothing
  is_loaded = true;
  atexit(end_library);
  return &library;
}

// Of a system's error its text, and not the addresses and times around it.
static int take_reason(unsigned n, const struct hdf5_error *error, void *data) {
  static const char before[] = "error message = '";
  const char *text = error->text;
  if (n || !text)
    return 0;
  const char *own = strstr(text, before);
  text = own ? own + sizeof before - 1 : text;
  snprintf(data, 200, "%.*s", (int)strcspn(text, own ? "'" : "\n"), text);
  return 0;
}

enum err hdf5_fail(const struct hdf5_library *l, enum err err, const char *what,
                   struct err_info *e) {
  char reason[200] = "";
  l->Ewalk2(0, 0, take_reason, reason);
  l->Eclear2(0);
  return err_set(e, err, "%s%s%s", what, *reason ? ": " : "", reason);
}
