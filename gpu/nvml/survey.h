// SPDX-License-Identifier: Apache-2.0
// All GPUs of this machine at one moment, and who uses them. A survey has no
// pointers: it travels from the process that asks NVML to the one that shows it.
#ifndef GPU_NVML_SURVEY_H
#define GPU_NVML_SURVEY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum nvml_metric {
#define METRIC(name, field) NVML_##name,
#include "gpu/nvml/metric.def"
#undef METRIC
  NVML_METRICS
};

// A value, or why there is none: 0 it is told, a status of NVML's, or one of these.
enum {
  NVML_NO_CALL = -1,   // this driver's library has no such call
  NVML_NEEDS_TWO = -2, // a rate, of which this is the first look
};
struct nvml_value {
  int64_t is;
  int32_t why;
};

enum {
  SURVEY_GPUS = 32,
  SURVEY_SLICES = 128,
  SURVEY_USERS = 512,
  SURVEY_TEXT = 96,
};

struct survey_gpu {
  char name[SURVEY_TEXT], uuid[SURVEY_TEXT], bus[32];
  struct nvml_value is[NVML_METRICS];
  int32_t users_why; // its processes: 0, or why they are not told
};

struct survey_slice { // of MIG
  int32_t gpu, gpu_instance, compute_instance;
  char name[SURVEY_TEXT], uuid[SURVEY_TEXT];
  struct nvml_value used, total; // bytes
};

// A process that holds memory of a GPU.
struct survey_user {
  int32_t gpu, pid;
  int32_t slice; // its GPU instance (MIG), or -1
  bool computes, draws;
  struct nvml_value bytes;
  struct nvml_value use; // per cent of the GPU's time, in the last second or so
};

struct survey {
  uint32_t bytes; // of this struct: both sides are one build
  int32_t err;    // enum err; then nothing but `text` is there
  char text[512]; // why there is nothing
  char driver[80];
  bool is_cut; // there are more than the tables below hold
  int32_t gpu_count, slice_count, user_count;
  struct survey_gpu gpus[SURVEY_GPUS];
  struct survey_slice slices[SURVEY_SLICES];
  struct survey_user users[SURVEY_USERS];
};

// "not supported", "no permission": why a value is not told.
const char *nvml_why_text(int why);
// A metric's field in JSON.
const char *nvml_metric_field(enum nvml_metric m);

// ---- In the process that asks ----

struct surveyor;

// `library` NULL: libnvidia-ml.so.1. Never fails: the surveys say what is missing.
struct surveyor *surveyor_open(const char *library);
void surveyor_close(struct surveyor *s);
// Looks; what is a rate is since the look before.
void surveyor_look(struct surveyor *s, struct survey *out);

#endif
