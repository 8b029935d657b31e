// SPDX-License-Identifier: Apache-2.0
// What NVIDIA's management library (NVML) tells of a GPU: clocks, temperature,
// power, and who else uses it. It is found at run time, and nothing is ever set.
#ifndef GPU_NVML_NVML_H
#define GPU_NVML_NVML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "gpu/nvml/survey.h"
#include "gpu/nvml/watch.h"

enum { NVML_MAX_PROCESSES = 64 };

// A GPU at one moment. A number that this GPU or driver does not tell is -1.
struct nvml_look {
  int sm_mhz, memory_mhz;
  int most_sm_mhz; // that its clock can be
  int celsius;
  int milliwatts;
  int64_t throttle; // NVML's bits, nvmlClocksThrottleReasons
  int ecc, mig;     // 0 off, 1 on
  // Processes that hold memory there; -1: they cannot be seen.
  int process_count;
  int pids[NVML_MAX_PROCESSES];
  int slices[NVML_MAX_PROCESSES]; // of each: its GPU instance (MIG), or -1
  // Of those, which worked since the look before; -1: it cannot be told.
  int busy_count;
  int busy[NVML_MAX_PROCESSES];
};

struct nvml;

// The GPU at that place on the bus. `library` NULL: libnvidia-ml.so.1.
// ERR_NOT_FOUND without the library or the GPU, ERR_UNSUPPORTED with one that is
// too old. `driver` gets its version, or "".
struct nvml_place {
  int domain, bus, device;
};
enum err nvml_open(const char *library, struct nvml_place at, struct nvml **out,
                   struct err_info *e);
void nvml_close(struct nvml *n);
const char *nvml_driver(const struct nvml *n);
void nvml_look(struct nvml *n, struct nvml_look *out);

// Where that process stands in the look's list, or -1.
int nvml_find_process(const struct nvml_look *l, int pid);

// On a GPU that is cut into slices (MIG): without the processes of other slices than
// that process's own. Nothing where that one is not to be seen, or there are no slices.
void nvml_keep_slice(struct nvml_look *look, int pid);

// "power limit, hot", or "": what holds the clocks back (idle is no reason).
// The caller frees it.
char *nvml_throttle_text(int64_t bits);

// The UUIDs ("MIG-...") of the slices that somebody has cut this machine's GPUs
// into, at most `room`; how many. 0 also where NVML is missing or does not tell.
enum { NVML_UUID_BYTES = 96 };
int nvml_slices(const char *library, char (*uuids)[NVML_UUID_BYTES], int room);

// ---- nodes.c: which there are, without NVIDIA's library ----

// Device nodes only: opening the driver takes a quarter of a second, and only
// the device server may load it. The first counts /dev/nvidia0 and on, to the
// first that is missing; the second all that there are, or as
// many as CUDA_VISIBLE_DEVICES names where those are fewer.
int nvml_count_nodes(void);
int nvml_count_visible(void);
// "NVIDIA H200", from the driver's own text files; false without them.
bool nvml_read_name(int ordinal, char *out, size_t bytes);

#endif
