// SPDX-License-Identifier: Apache-2.0
// The server's state, shared by its loop (server.c) and its commands
// (serve.c).
#ifndef GPU_REMOTE_SERVER_H
#define GPU_REMOTE_SERVER_H

#include <sys/types.h>

#include "gpu/remote/protocol.h"

// What a handle stands for; the program never sees a backend's own handles.
enum handle_kind {
  HANDLE_NONE,
  HANDLE_MODULE,
  HANDLE_FUNCTION,
  HANDLE_STREAM,
  HANDLE_EVENT,
  HANDLE_ARRAY,
  HANDLE_GRAPH,
};

struct server {
  const struct gpu_backend *backend;
  struct gpu_device *device;
  struct remote_segment *segment;
  char *arena;
  uint64_t arena_bytes;
  int handles_end; // for files (handles.h), or -1
  uint32_t generation;
  bool is_real_gpu;
  uint64_t idle_ns;
  uint64_t known_head;        // of the ring
  uint64_t spin_ns, yield_ns; // of looking again before sleeping, yielding
  int64_t owned;              // allocations and handles that the program holds

  // Handles by number; a number is used once, so that a stale one is known.
  struct {
    enum handle_kind kind;
    gpu_handle backend;
  } * handles;
  uint32_t handle_count, handle_capacity, stream_count;

  struct turn *turn; // at a shared GPU; NULL: this one is not

  char *count; // behind the last digit of the launches in our command line

  bool has_work;     // queued on the device since it was last seen idle
  uint64_t executed; // last command given to the device
  // Between CAPTURE_BEGIN and its END the device is not asked anything.
  bool is_capturing;
  struct err_info capture_failure; // the first of that time
  uint32_t cancels_seen;

  // As a rank of a group (server_comm.c): is there work with the others on the
  // device, and what is wrong with it, to be said once that has ended.
  bool has_joined, has_comm_work;
  uint32_t aborts_seen;
  struct err_info comm_failure;

  // The first failure of queued work and its findings, for the next wait.
  struct err_info failure;
  bool is_spoiled;
  struct gpu_finding findings[REMOTE_FINDINGS];
  int finding_count;

  // What is fetched next, of what was asked for last.
  struct kept {
    void *data;
    uint64_t bytes;
  } places, lines, requests;

  struct {
    bool is_active;
    gpu_handle stream; // the backend's
    uint64_t seq;
  } waits[REMOTE_SLOTS];
};

// What the program sends on the control socket: a hello with its files, -1 for what
// is not there, or something else. Bytes, as of recvmsg.
ssize_t server_receive(int fd, struct remote_hello *hello,
                       int fds[REMOTE_FILE_COUNT]);
// The first one, checked; false, and it was said why.
bool server_hear_hello(int fd, struct remote_hello *hello,
                       int fds[REMOTE_FILE_COUNT]);
// Maps so much of a file and closes it; NULL: there is not so much.
void *server_map(int fd, uint64_t bytes);

// ---- server_comm.c ----

// Makes the server the rank that the hello says, before it is confined.
enum err server_join(struct server *s, const struct remote_hello *hello,
                     struct err_info *e);
enum err server_collective(struct server *s, struct gpu_collective *list,
                           int count, struct err_info *e);
// Ends the group where the program says so.
void server_obey_abort(struct server *s);
// While the device works: ends a group that has failed.
void server_watch_comm(struct server *s);
// Once `stream` is done: what was wrong with the group's work, told once.
enum err server_end_comm(struct server *s, gpu_handle stream,
                         struct err_info *e);

// ---- server.c ----

// Gives an answer out.
void server_answer(struct server *s, struct remote_slot *slot, uint64_t seq,
                   enum err error, const struct err_info *e);

// Remembers a failure of queued work, if it is the first.
void server_fail(struct server *s, const struct err_info *e);

// Asks the device about `stream`, and collects failures and findings.
// ERR_NOT_READY while it works.
enum err server_poll(struct server *s, gpu_handle stream);

#endif
