// SPDX-License-Identifier: Apache-2.0
// The line between two machines: messages over two byte streams, such as the
// standard input and output of srun. What the shared memory holds here goes over
// it there: commands, answers, and the bytes of host arrays, in order. At its
// near end a process stands in for the server (line_near.c), at its far end
// another one for the program (line_far.c).
#ifndef GPU_REMOTE_LINE_H
#define GPU_REMOTE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/remote/protocol.h"

enum line_kind {
  // Both ways; the first one first of all: who speaks.
  LINE_HELLO,
  LINE_PING,
  // To the far end.
  LINE_START,   // a remote_hello: a server for this device; an earlier one ends
  LINE_KILL,    // the server is ended; answered with GONE
  LINE_COMMAND, // a record of the ring
  LINE_DATA_IN, // bytes of host arrays, at arena offset a
  LINE_EXPECT,  // a line_expected: the device will write there
  LINE_FORGET,  // b bytes at arena offset a are of no use any more
  LINE_CANCEL,
  LINE_PAUSE, // a: no ranked turns now
  // To the near end.
  LINE_STATE,    // a line_state
  LINE_ANSWER,   // a: slot; a remote_slot as far as it is filled
  LINE_DATA_OUT, // what was written at offset a by command b; nothing: none was
  LINE_PROGRESS, // a: done_seq; b: bytes of commands that the server took
  LINE_PRINT,
  LINE_TURN, // a line_turn
  LINE_GONE, // server number a has ended: why
  LINE_KIND_COUNT
};

// Seconds of silence after which one end takes the other for dead.
#define LINE_QUIET 45

enum {
  LINE_MAGIC = 0x4c535057,
  LINE_PING_S = 10, // at least so often each end says something
  LINE_QUIET_S = LINE_QUIET,
  LINE_MARK_BYTES = 64,
  LINE_SMALL_BYTES = 256 << 10, // of a message that is no bytes of host arrays
};

struct line_head {
  uint32_t magic, kind;
  uint64_t bytes; // behind it; if any, 8 more follow, which check them
  uint64_t a, b;
  uint64_t check; // of what stands in front of it
};

struct line_hello {
  uint32_t version, layout;
  uint64_t build; // of the program: line_build()
  char text[64];  // its version, for people
  // From the far end: where it runs, and in what job until when.
  char node[64], job[32];
  int64_t left_s; // -1: no end is known
};

enum line_out {
  LINE_MARKED, // bytes that nobody knows are put there, to see whether it came
  LINE_KEPT,   // what stands there, perhaps such a mark, stays
  LINE_ALWAYS, // both ends hold the same there now: it is sent back anyhow
};

struct line_expected {
  uint64_t offset, bytes, seq;
  gpu_handle stream;
  uint32_t how;    // enum line_out
  uint32_t is_map; // replaces what was expected there
};

struct line_state {
  uint32_t state; // enum remote_state
  uint32_t is_shared;
  char gpu[48];
  struct err_info open_error;
};

struct line_turn {
  uint32_t is_waiting, is_ranked, place, waiting, wait_ms;
};

// ---- One end ----

struct line {
  int in, out;
  bool is_patient;   // the other end may take for ever
  const char *wrong; // why nothing more comes; NULL: it is fine
  char odd[48];      // what came in place of a message, as far as it is text
  struct line_part *parts; // bytes of host arrays to be sent
  size_t part_count, part_room;
  unsigned char *small; // all else, as it goes out
  size_t small_bytes, small_room;
};

// Adds a message to those to be sent. `data` of DATA messages is read when they
// are sent, all other is copied.
void line_put(struct line *l, enum line_kind kind, uint64_t a, uint64_t b,
              const void *data, size_t bytes);
// Moves them to `to`, which has none: so they can be sent while others are added.
void line_move(struct line *from, struct line *to);
// Sends them; false when the other end is gone.
bool line_send(struct line *l);

// Waits for the next message; false, and `wrong` says why: the other end is
// gone, tore a message, or what came is none.
bool line_next(struct line *l, struct line_head *h);
// What stands behind it, all of it.
bool line_take(struct line *l, const struct line_head *h, void *to);

// A number that another build of the running program has not.
uint64_t line_build(void);
// Our hello but for where this is.
void line_introduce(struct line_hello *h);
// Are they of one build? ERR_PROTOCOL says what the other one is.
enum err line_check_hello(const struct line_hello *ours,
                          const struct line_hello *theirs, struct err_info *e);

#endif
