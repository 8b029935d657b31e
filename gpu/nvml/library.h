// SPDX-License-Identifier: Apache-2.0
// NVML's functions, found at run time, with declarations of our own: the header is
// not needed to build.
#ifndef GPU_NVML_LIBRARY_H
#define GPU_NVML_LIBRARY_H

#include "base/err.h"

// As the NVML API reference has them: nvmlProcessInfo_t (of the _v3 calls),
// nvmlProcessUtilizationSample_t, nvmlPciInfo_t, nvmlMemory_t, nvmlMemory_v2_t,
// nvmlUtilization_t, nvmlFieldValue_t.
struct nvml_process {
  unsigned pid;
  unsigned long long bytes;
  unsigned gpu_instance, compute_instance;
};
struct nvml_sample {
  unsigned pid;
  unsigned long long time_us;
  unsigned sm, memory, encoder, decoder; // per cent
};
struct nvml_pci {
  char legacy[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char text[32];
};
struct nvml_memory {
  unsigned long long total, free, used;
};
struct nvml_memory_v2 {
  unsigned version;
  unsigned long long total, reserved, free, used;
};
struct nvml_use {
  unsigned gpu, memory; // per cent
};
struct nvml_field {
  unsigned id, scope;
  long long time_us, latency_us;
  int type, status;
  union {
    double real;
    unsigned small;
    unsigned long large;
    unsigned long long count;
  } value;
};

// nvmlReturn_t, nvmlClockType_t, nvmlTemperatureSensors_t.
enum {
  NVML_OK = 0,
  NVML_NOT_SUPPORTED = 3,
  NVML_NOT_FOUND = 6,
  CLOCK_SM = 1,
  CLOCK_MEMORY = 2,
  SENSOR_GPU = 0,
};

struct nvml_api {
#define API(name, symbol, arguments, needed) int(*name) arguments;
#include "gpu/nvml/nvml_api.def"
#undef API
};

enum {
#define API(name, symbol, arguments, needed) NVML_SYMBOL_##name,
#include "gpu/nvml/nvml_api.def"
#undef API
  NVML_SYMBOLS
};

// As a plain array, too, so that one loop fills it.
union nvml_library {
  struct nvml_api api;
  void *pointers[NVML_SYMBOLS];
};

// Loads and starts it; `name` NULL: libnvidia-ml.so.1. It stays: other parts of
// the program may use it.
enum err nvml_library_load(union nvml_library *l, const char *name,
                           struct err_info *e);

#endif
