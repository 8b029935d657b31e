// SPDX-License-Identifier: Apache-2.0
// NVIDIA's driver as Python's libraries have loaded it: we work in their contexts.
#ifndef PYTHON_DRIVER_H
#define PYTHON_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/gpu.h"

// CALL(name, symbol, arguments). (CUDA driver API.)
#define DRIVER_CALLS                                                           \
  CALL(init, "cuInit", (unsigned))                                             \
  CALL(device_count, "cuDeviceGetCount", (int *))                              \
  CALL(device_get, "cuDeviceGet", (int *, int))                                \
  CALL(device_uuid, "cuDeviceGetUuid_v2", (unsigned char *, int))              \
  CALL(context_retain, "cuDevicePrimaryCtxRetain", (void **, int))             \
  CALL(context_release, "cuDevicePrimaryCtxRelease_v2", (int))                 \
  CALL(push, "cuCtxPushCurrent_v2", (void *))                                  \
  CALL(pop, "cuCtxPopCurrent_v2", (void **))                                   \
  CALL(synchronize, "cuCtxSynchronize", (void))                                \
  CALL(copy_out, "cuMemcpyDtoH_v2", (void *, uint64_t, size_t))                \
  CALL(of_pointer, "cuPointerGetAttribute", (void *, int, uint64_t))           \
  CALL(range_of, "cuMemGetAddressRange_v2", (uint64_t *, size_t *, uint64_t))  \
  CALL(ipc_of, "cuIpcGetMemHandle", (struct gpu_ipc *, uint64_t))              \
  CALL(retain, "cuMemRetainAllocationHandle", (uint64_t *, void *))            \
  CALL(release, "cuMemRelease", (uint64_t))                                    \
  CALL(export_file, "cuMemExportToShareableHandle",                            \
       (int *, uint64_t, int, uint64_t))                                       \
  CALL(import_file, "cuMemImportFromShareableHandle",                          \
       (uint64_t *, void *, int))                                              \
  CALL(reserve, "cuMemAddressReserve",                                         \
       (uint64_t *, size_t, size_t, uint64_t, uint64_t))                       \
  CALL(unreserve, "cuMemAddressFree", (uint64_t, size_t))                      \
  CALL(map, "cuMemMap", (uint64_t, size_t, size_t, uint64_t, uint64_t))        \
  CALL(unmap, "cuMemUnmap", (uint64_t, size_t))                                \
  CALL(set_access, "cuMemSetAccess",                                           \
       (uint64_t, size_t, const struct driver_access *, size_t))               \
  CALL(event_open, "cuIpcOpenEventHandle", (void **, struct gpu_ipc))          \
  CALL(event_record, "cuEventRecord", (void *, void *))                        \
  CALL(stream_wait, "cuStreamWaitEvent", (void *, void *, unsigned))

struct driver_access { // CUmemAccessDesc
  int location, ordinal, flags;
};
enum {
  DRIVER_FILE = 1,              // CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
  DRIVER_ON_DEVICE = 1,         // CU_MEM_LOCATION_TYPE_DEVICE
  DRIVER_READ_WRITE = 3,        // CU_MEM_ACCESS_FLAGS_PROT_READWRITE
  DRIVER_ORDINAL_OF_POINTER = 9 // CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
};

struct driver {
#define CALL(name, symbol, arguments) int(*name) arguments;
  DRIVER_CALLS
#undef CALL
};

// NULL: no library of theirs has loaded one. Any thread.
const struct driver *driver_open(void);
// The number of the device with that UUID ("GPU-..."), or -1.
int driver_find(const struct driver *d, const char *uuid);
// The UUID of a device, as nvidia-smi writes it. False: there is none.
bool driver_uuid(const struct driver *d, int ordinal, char out[48]);

#endif
