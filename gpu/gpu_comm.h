// SPDX-License-Identifier: Apache-2.0
// Groups of devices that send to each other and reduce together without the host:
// each device server is one rank.
#ifndef GPU_GPU_COMM_H
#define GPU_GPU_COMM_H

#include <stdint.h>

#include "base/err.h"
#include "gpu/gpu_handle.h"

struct gpu_device;

enum { GPU_MAX_RANKS = 16, GPU_COMM_ID_BYTES = 128 };

enum gpu_comm_kind {
  GPU_COMM_ALL_REDUCE,
  GPU_COMM_REDUCE,
  GPU_COMM_BROADCAST,
  GPU_COMM_ALL_GATHER,
  GPU_COMM_REDUCE_SCATTER,
  GPU_COMM_SEND,
  GPU_COMM_RECEIVE,
  GPU_COMM_KINDS
};

enum gpu_comm_type {
  GPU_COMM_I8,
  GPU_COMM_U8,
  GPU_COMM_I32,
  GPU_COMM_U32,
  GPU_COMM_I64,
  GPU_COMM_U64,
  GPU_COMM_F16,
  GPU_COMM_F32,
  GPU_COMM_F64,
  GPU_COMM_BF16,
  GPU_COMM_TYPES
};

enum gpu_comm_op {
  GPU_COMM_SUM,
  GPU_COMM_PROD,
  GPU_COMM_MAX,
  GPU_COMM_MIN,
  GPU_COMM_AVG,
  GPU_COMM_OPS
};

// One rank's part in what all ranks do, or in what two of them do.
struct gpu_collective {
  gpu_handle stream;
  gpu_ptr from, to;
  // Elements: of an all-gather what each brings, of a reduce-scatter what each gets.
  uint64_t count;
  uint32_t kind, type, op; // enums gpu_comm_...
  int32_t peer;            // the root; whom it is sent to or received from
};

struct gpu_comms {
  // Loads what is needed; ERR_UNSUPPORTED says why there is none. `version` is
  // 22809 of 2.28.9.
  enum err (*start)(struct gpu_device *d, int *version, struct err_info *e);
  // What rank 0 makes and all ranks are given.
  enum err (*make_id)(struct gpu_device *d, unsigned char id[GPU_COMM_ID_BYTES],
                      struct err_info *e);
  // Blocks until all ranks have joined and each has used every operation with
  // every other one: nothing needs a file or a socket any more.
  enum err (*join)(struct gpu_device *d, int rank, int size,
                   const unsigned char id[GPU_COMM_ID_BYTES],
                   struct err_info *e);
  // Queued, all of them at once: what one rank sends and receives need not be in
  // the order that the other one does it.
  enum err (*queue)(struct gpu_device *d, const struct gpu_collective *list,
                    int count, struct err_info *e);
  // What the group has found wrong with itself since it was joined; ERR_OK: nothing.
  enum err (*check)(struct gpu_device *d, struct err_info *e);
  // Ends the group here, and what is queued with it: its results are undefined.
  // Never blocks; `poll` says when the device is done.
  void (*abort)(struct gpu_device *d);
};

#endif
