// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/cuda_comm.h"

#include <time.h>

#include "base/clock.h"
#include "gpu/cuda/cuda.h"
#include "gpu/nccl/nccl.h"

enum { TRIAL_BYTES = 16 << 20, TRIAL_LIMIT_S = 40 };

static enum err start(struct gpu_device *d, int *version, struct err_info *e) {
  struct cuda_device *c = DEVICE(d);
  return nccl_open(&c->nccl, version, e);
}

static enum err make_id(struct gpu_device *d,
                        unsigned char id[GPU_COMM_ID_BYTES],
                        struct err_info *e) {
  return nccl_make_id(DEVICE(d)->nccl, id, e);
}

// ---- Joining ----

static enum err finish(void *context, struct err_info *e) {
  struct cuda_device *c = context;
  uint64_t limit = clock_ns() + (uint64_t)TRIAL_LIMIT_S * 1000000000;
  int status;
  while ((status = c->cu->stream_query(NULL)) == CUDA_NOT_READY) {
    enum err err = nccl_check(c->nccl, e);
    if (err)
      return err;
    if (clock_ns() > limit)
      return err_set(e, ERR_TIMEOUT, "the other ranks did not come");
    nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
  }
  return cuda_device_fail(c, status, "joining a group", e);
}

static enum err join(struct gpu_device *d, int rank, int size,
                     const unsigned char id[GPU_COMM_ID_BYTES],
                     struct err_info *e) {
  struct cuda_device *c = DEVICE(d);
  gpu_ptr memory = 0;
  int status = c->cu->mem_alloc(&memory, 2 * (size_t)TRIAL_BYTES);
  if (!status)
    status = c->cu->set_32(memory, 0, 2 * TRIAL_BYTES / 4, NULL);
  enum err err = cuda_device_fail(c, status, "joining a group", e);
  if (!err)
    err = nccl_join(
        c->nccl, rank, size, id,
        &(struct nccl_device){.context = c,
                              .from = (void *)(uintptr_t)memory,
                              .to = (void *)(uintptr_t)(memory + TRIAL_BYTES),
                              .bytes = TRIAL_BYTES,
                              .finish = finish},
        e);
  if (!err)
    err = cuda_device_fail(c, c->cu->mem_free(memory), "joining a group", e);
  return err;
}

// ---- Work ----

static enum err queue(struct gpu_device *d, const struct gpu_collective *list,
                      int count, struct err_info *e) {
  struct cuda_device *c = DEVICE(d);
  void *stream;
  enum err err = cuda_get_stream(c, list[0].stream, &stream, e);
  if (err)
    return err;
  for (int i = 0; i < count; i++) {
    const gpu_ptr touched[] = {list[i].from, list[i].to};
    cuda_memory_touch(&c->memory, touched, sizeof touched);
  }
  c->is_busy = true;
  return nccl_queue(c->nccl, list, count, stream, e);
}

static enum err check(struct gpu_device *d, struct err_info *e) {
  return nccl_check(DEVICE(d)->nccl, e);
}

static void end(struct gpu_device *d) {
  nccl_abort(DEVICE(d)->nccl);
}

const struct gpu_comms cuda_comms = {
    .start = start,
    .make_id = make_id,
    .join = join,
    .queue = queue,
    .check = check,
    .abort = end,
};
