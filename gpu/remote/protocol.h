// SPDX-License-Identifier: Apache-2.0
// What the program and a device server say to each other: one hello on the
// control socket, then commands in a ring of shared memory and answers in
// slots beside it. Both are built from one source; the version and the sizes
// in the hello catch a mixture of two.
#ifndef GPU_REMOTE_PROTOCOL_H
#define GPU_REMOTE_PROTOCOL_H

#include <stdatomic.h>
#include <stdint.h>

#include "gpu/gpu.h"

enum {
  REMOTE_MAGIC = 0x57534456,
  REMOTE_VERSION = 1,
  REMOTE_RING_BYTES = 2 << 20,
  REMOTE_MAX_RECORD = 128 << 10,
  REMOTE_FINDINGS = 32, // in one answer
  REMOTE_SLOTS = 8,
  REMOTE_NO_SLOT = 0xffff,
  REMOTE_EXIT_PROTOCOL = 76, // exit codes of the server
  REMOTE_EXIT_SYSTEM = 71,
  REMOTE_EXIT_LINE = 69, // of a line to another machine
};

// Slot 0 answers round trips, slot 1 waits, the others polls.
enum { REMOTE_SLOT_CALL, REMOTE_SLOT_WAIT, REMOTE_SLOT_POLL };

enum remote_op {
  REMOTE_OP_PAD, // the rest of the ring up to its end is not used
#define OP(name, handler, answer, turn, tail) REMOTE_OP_##name,
#include "gpu/remote/protocol.def"
#undef OP
  REMOTE_OP_COUNT
};

// Sent with the files of REMOTE_FILE_COUNT: the segment, the arena, and one end for
// other files (handles.h), which a line to another machine does not get.
enum {
  REMOTE_FILE_SEGMENT,
  REMOTE_FILE_ARENA,
  REMOTE_FILE_HANDLES,
  REMOTE_FILE_COUNT
};
struct remote_hello {
  uint32_t magic;
  uint32_t version;
  uint32_t layout; // remote_layout()
  uint32_t generation;
  uint64_t arena_bytes;
  uint64_t first_seq; // all work up to it belongs to servers that are gone
  uint64_t memory_bytes;
  uint64_t schedule_seed;
  int64_t limit_s;  // of a server on another machine; 0: none is known
  uint64_t idle_ns; // after which a server that holds nothing leaves
  uint32_t multiprocessors;
  uint32_t capability;
  uint32_t counts_hardware, shares_events;
  uint32_t rank, ranks; // of a group that it is to join; 0 ranks: none
  char device[32];
};

// One command; `bytes` counts the tail behind it and is a multiple of 16.
struct remote_command {
  uint32_t bytes;
  uint16_t op;
  uint16_t slot;
  uint64_t seq;
  uint64_t args[6];
};

struct remote_launch {
  gpu_handle function;
  gpu_handle stream;
  uint64_t budget;
  uint64_t grid_budget;
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t shared_bytes;
  uint32_t flags;
  uint32_t param_bytes;
  uint32_t node;
};

// In the arena: too long for a slot.
struct remote_debug_answer {
  struct gpu_debug_stop stop;
  char text[GPU_DEBUG_TEXT_BYTES];
};

struct remote_slot {
  _Atomic uint64_t done; // number of the command whose answer this is
  uint32_t error;        // enum err
  uint32_t is_spoiled;   // the device is of no use any more; the server leaves
  uint32_t finding_count;
  uint64_t values[2];
  double ms;
  struct err_info info;
  struct gpu_device_info device;
  struct gpu_function_info function;
  struct gpu_counts counts;
  struct gpu_hardware hardware;
  struct gpu_work work;
  struct gpu_placement placement;
  struct gpu_requests requests;
  struct gpu_ipc ipc;
  struct gpu_finding findings[REMOTE_FINDINGS];
};

enum remote_state {
  REMOTE_STARTING,
  REMOTE_READY,
  REMOTE_FAILED, // the device did not open: `open_error`
  REMOTE_LEFT,   // idle and without anything of the program's; it exits
};

// What the server says of its place in the queue of a shared GPU.
struct remote_turn {
  char gpu[48];                // its UUID; set before the state is READY
  uint32_t is_shared;          // there is a queue at all
  _Atomic uint32_t is_waiting; // for a turn: the rest holds then
  _Atomic uint32_t is_ranked;  // it wants to be alone
  _Atomic uint32_t place, waiting, wait_ms;
  _Atomic uint32_t is_paused; // the program: no ranked turns now
};

// Of a server on another machine (line.h); written by what stands in for it.
struct remote_far {
  _Atomic uint32_t is_asked; // there is no node yet
  _Atomic uint32_t is_gone;  // the server over there has ended: `why`
  char why[512];
  char node[64], job[32];
  int64_t ends_s; // of the realtime clock; 0: no end is known
};

// Of a server that is a rank of a group.
struct remote_comm {
  _Atomic uint32_t
      has_id; // `id` is there: rank 0's server or the program put it
  unsigned char id[GPU_COMM_ID_BYTES];
  uint32_t version;        // of the library, 22809 of 2.28.9
  _Atomic uint32_t aborts; // how often the program ended the group
  _Atomic uint32_t obeyed; // the server: the last of these that it has seen
};

// Words that are written often lie on cache lines of their own.
#define REMOTE_OWN_LINE _Alignas(128)

struct remote_segment {
  REMOTE_OWN_LINE _Atomic uint64_t head; // bytes ever written; the program's
  REMOTE_OWN_LINE _Atomic uint64_t tail; // bytes ever read; the server's
  _Atomic uint64_t done_seq;             // all work up to it is done
  REMOTE_OWN_LINE _Atomic uint32_t server_asleep;
  _Atomic uint32_t server_bell; // futex; rung by the program
  REMOTE_OWN_LINE _Atomic uint32_t client_asleep;
  _Atomic uint32_t client_bell; // futex; rung by the server
  REMOTE_OWN_LINE _Atomic uint32_t state;
  _Atomic uint64_t begun_blocks, all_blocks; // gpu.h, progress
  _Atomic uint32_t cancels; // how often the program asked to stop
  uint32_t can_register;    // the backend pins host memory
  struct remote_turn turn;
  struct remote_far far;
  struct remote_comm comm;
  struct err_info open_error;
  struct remote_slot slots[REMOTE_SLOTS];
  _Alignas(4096) unsigned char ring[REMOTE_RING_BYTES];
};

// Differs between builds whose structures differ.
static inline uint32_t remote_layout(void) {
  const uint32_t sizes[] = {sizeof(struct remote_segment),
                            sizeof(struct gpu_finding),
                            sizeof(struct gpu_function_info),
                            sizeof(struct gpu_line_counts),
                            sizeof(struct gpu_block_place),
                            sizeof(struct gpu_requests),
                            sizeof(struct gpu_request),
                            sizeof(struct gpu_device_info),
                            sizeof(struct remote_debug_answer),
                            sizeof(struct gpu_texture_desc),
                            sizeof(struct gpu_collective),
                            sizeof(struct err_info),
                            REMOTE_OP_COUNT,
                            ERR_COUNT};
  uint32_t hash = 0;
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
    hash = (hash ^ sizes[i]) * 16777619u;
  return hash;
}

#endif
