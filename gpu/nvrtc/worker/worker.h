// SPDX-License-Identifier: Apache-2.0
// The compile worker as the program sees it: a child that is started, spoken to,
// and found out about when it dies; and which options it may be given.
#ifndef GPU_NVRTC_WORKER_WORKER_H
#define GPU_NVRTC_WORKER_WORKER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "gpu/nvrtc/worker/nvrtc_result.h"
#include "gpu/nvrtc/worker/nvrtc_wire.h"

// ---- nvrtc_process.c ----

struct nvrtc_process {
  pid_t pid; // 0: none
  int fd;    // to the worker
  int words; // what it says on standard error, such as an abort's reason
  bool is_ready;
  struct ready_head ready;
};

// Starts `program --compile FD` and sends it WIRE_HELLO; does not wait.
enum err nvrtc_process_start(struct nvrtc_process *p, const char *program,
                             const struct wire_part *hello, uint32_t count,
                             struct err_info *e);

// Waits for WIRE_READY, if it has not come yet. ERR_NOT_FOUND: the library
// that the hello named cannot be used.
enum err nvrtc_process_ready(struct nvrtc_process *p, wire_wait wait,
                             void *context, struct err_info *e);

// Why a worker that is gone died, as an error; ERR_NOT_READY when it had left
// by itself because it was idle. Reaps it.
enum err nvrtc_process_autopsy(struct nvrtc_process *p, struct err_info *e);

// That a compile needed more than CONFINE_MEMORY_GIB, as an error.
enum err nvrtc_process_no_memory(struct err_info *e);

// Notices a worker that died while nobody asked it anything (idle, or killed by
// a machine short of memory); `pid` is 0 then.
void nvrtc_process_check(struct nvrtc_process *p);

// Kills and reaps; fine when there is none.
void nvrtc_process_stop(struct nvrtc_process *p);

// ---- nvrtc_options.c ----

// A learner's compiler options, checked against a list: the others read or
// write files, or change what the rest of warpshop relies on.

enum { NVRTC_MAX_OPTIONS = 256, NVRTC_MAX_OPTION_BYTES = 4096 };

// ERR_ARGUMENT names the option that is not allowed and lists those that are.
enum err nvrtc_check_options(const char *const *options, int count,
                             struct err_info *e);

#endif
