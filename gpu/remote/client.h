// SPDX-License-Identifier: Apache-2.0
// The program's side of a device server: the process (process.c), waiting for
// it (client_wait.c), and the device interface over it (client.c).
#ifndef GPU_REMOTE_CLIENT_H
#define GPU_REMOTE_CLIENT_H

#include <sys/types.h>

#include "gpu/remote/protocol.h"
#include "gpu/remote/remote.h"

// Devices that are ranks of one group; each has it until the first of them ends.
struct remote_group {
  struct remote *members[GPU_MAX_RANKS];
  int size;
};

struct remote {
  struct gpu_device base;
  struct remote_options options; // strings are owned
  char **command;                // options.command, owned
  bool is_cuda;                  // a hung kernel is ended by a kill alone
  uint64_t generation;
  uint32_t starts;            // of any kind; what handles carry
  struct remote_group *group; // or NULL
  uint64_t left_ns;     // its server was told then that the group has ended
  uint32_t rank, ranks; // of the group that its next server joins

  // The process. `pid` is 0 when there is none left to reap.
  pid_t pid;
  pid_t line; // what reaches another machine, while it has no server; or 0
  int socket, pipe;    // -1 when closed
  int handles_end;     // for files (handles.h), or -1
  uint64_t files;      // asked for or sent, ever
  uint64_t checked_ns; // when has_died was last made sure of
  bool has_died;
  bool was_stopped; // work was told to stop since remote_was_stopped
  bool has_left;    // by itself, holding nothing: the next call starts another
  char reason[sizeof(((struct err_info *)0)->text)];
  char last_output[256]; // the end of what it printed, for the reason

  struct remote_segment *segment;
  uint64_t tail;     // the server's place in the ring, as last seen
  uint64_t seq;      // of the last command queued
  uint64_t work_seq; // of the last one that was no wait
  uint64_t spin_ns, yield_ns;
  uint64_t copied_bytes;       // queued since the last wait for all of it,
  bool has_launched;           // and whether a kernel was
  uint64_t queued_ns, told_ns; // waits for a turn since; last said so; or 0
  uint64_t pause_ns;           // last looked whether the ranked lane is paused
  gpu_handle poll_streams[REMOTE_SLOTS]; // what the poll slots wait for
  uint64_t poll_seqs[REMOTE_SLOTS];      // 0: free

  // Findings of work that failed, until they are asked for.
  struct gpu_finding findings[2 * REMOTE_FINDINGS];
  int finding_count;
  // What a staged copy brought although nothing wrote it: the next wait says so.
  struct err_info undefined;

  // Pieces of the arena: bytes copied through each, and whether it is pinned.
  uint64_t *traffic;
  uint64_t piece_count;
};

#define REMOTE(d)    ((struct remote *)(d))
#define PIECE_PINNED UINT64_MAX

// ---- client_wait.c ----

// What ends a wait.
struct remote_goal {
  bool (*is_reached)(struct remote *r, uint64_t arg);
  uint64_t arg;
};

// Waits for a goal as remote_wait says. The result is about the waiting alone:
// ERR_CANCELLED or ERR_TIMEOUT may come with the goal reached (the work was
// told to stop and did).
enum err remote_wait_goal(struct remote *r, struct remote_goal goal,
                          double limit_s, struct err_info *e);

// Waits until the device is open.
enum err remote_ensure_ready(struct remote *r, struct err_info *e);

// ERR_DEVICE_LOST with the reason.
enum err remote_lost(struct remote *r, struct err_info *e);

bool remote_is_answered(struct remote *r, uint64_t slot_and_seq);

// ---- client.c ----

// One that is not started. Freed with remote_free, when its process has ended.
struct remote *remote_new(const struct remote_options *options);
void remote_free(struct remote *r);
// What messages call it.
const char *remote_name(const struct remote *r);

// A command, and what stands behind it, in up to two parts.
struct remote_message {
  enum remote_op op;
  unsigned slot; // REMOTE_NO_SLOT of one that is not answered
  uint64_t args[6];
  struct remote_bytes {
    const void *data;
    size_t bytes;
  } tail, more;
};

// Writes it into the ring; r->seq is then its number.
enum err remote_send(struct remote *r, const struct remote_message *m,
                     struct err_info *e);

#define ARGS(...) ((const uint64_t[6]){__VA_ARGS__})

// One with nothing behind it that is not answered.
enum err remote_queue(struct remote *r, enum remote_op op,
                      const uint64_t args[6], struct err_info *e);

// One round trip; the answer's values are in slot REMOTE_SLOT_CALL.
enum err remote_call(struct remote *r, enum remote_op op,
                     const uint64_t args[6], struct remote_bytes tail,
                     struct err_info *e);
// The same for something that is made: its first value, or 0.
enum err remote_make(struct gpu_device *d, enum remote_op op,
                     const uint64_t args[6], struct remote_bytes tail,
                     uint64_t *out, struct err_info *e);
#define NO_TAIL ((struct remote_bytes){NULL, 0})

// Waits for a copy through the arena. Undefined values come all the same, and
// the caller's next wait says what they are, as of copies without a stage.
enum err remote_wait_staged(struct remote *r, gpu_handle stream,
                            struct err_info *e);

// Queues a launch, one for the debugger with its twin, or one of a graph.
enum err remote_send_launch(struct remote *r, enum remote_op op,
                            const struct gpu_launch *l, gpu_handle other,
                            struct err_info *e);

// Is the device open, as far as is known?
bool remote_is_ready(const struct remote *r);

// ---- client_memory.c: functions of struct gpu_backend ----

enum err remote_mem_alloc(struct gpu_device *d, size_t bytes, unsigned flags,
                          gpu_ptr *out, struct err_info *e);
enum err remote_mem_free(struct gpu_device *d, gpu_ptr p, struct err_info *e);
enum err remote_copy_in(struct gpu_device *d, gpu_ptr to, const void *from,
                        size_t bytes, gpu_handle stream, struct err_info *e);
enum err remote_copy_out(struct gpu_device *d, void *to, gpu_ptr from,
                         size_t bytes, gpu_handle stream, struct err_info *e);
enum err remote_copy_on(struct gpu_device *d, gpu_ptr to, gpu_ptr from,
                        size_t bytes, gpu_handle stream, struct err_info *e);
enum err remote_mem_set(struct gpu_device *d, const struct gpu_fill *f,
                        struct err_info *e);
enum err remote_host_register(struct gpu_device *d, void *p, size_t bytes,
                              struct err_info *e);
enum err remote_host_map(struct gpu_device *d, void *p, size_t bytes,
                         gpu_ptr *out, struct err_info *e);

// Memory of the arena is copied where it lies; any other goes through a block
// of the arena, and the copy is then done when the call returns.
struct remote_stage {
  void *block;
  size_t bytes;
  uint64_t offset;
};
void remote_stage_close(struct remote *r, struct remote_stage *s);

// ---- client_turn.c ----

// Does this wait go on because it is not our turn? Says so from time to time.
bool remote_is_queued(struct remote *r);
void remote_end_queue(struct remote *r); // nothing more is said
// Its server does not die: others are to leave this GPU alone.
void remote_mark_sick(struct remote *r);
// The limit of a wait for device work, in seconds.
double remote_limit_s(const struct remote *r);

// ---- client_comm.c ----

extern const struct gpu_comms remote_comms;

// Ends the group that it is in: the others' servers end what they have under way.
void remote_leave_group(struct remote *r);
// The same where another member has died; asked while one waits.
void remote_watch_group(struct remote *r);
// Restarts the server as remote_restart does, as a rank of a group where `ranks` says so.
enum err remote_start_again(struct remote *r, struct err_info *e);

// ---- client_placement.c ----

enum err remote_placement(struct gpu_device *d, struct gpu_placement *out,
                          struct gpu_block_place **places, struct err_info *e);
enum err remote_requests(struct gpu_device *d, struct gpu_requests *out,
                         uint8_t **packed, struct err_info *e);

// ---- client_debug.c: functions of struct gpu_backend ----

enum err remote_debug_begin(struct gpu_device *d, const struct gpu_launch *l,
                            gpu_handle twin, struct err_info *e);
enum err remote_debug_command(struct gpu_device *d, const char *text,
                              struct err_info *e);
enum err remote_debug_answer(struct gpu_device *d, struct gpu_debug_stop *stop,
                             char *text, size_t room, struct err_info *e);
enum err remote_debug_end(struct gpu_device *d, struct err_info *e);

// ---- client_graph.c ----

extern const struct gpu_graphs remote_graphs;

// ---- client_array.c: functions of struct gpu_backend ----

enum err remote_array_create(struct gpu_device *d,
                             const struct gpu_array_desc *desc, gpu_handle *out,
                             struct err_info *e);
enum err remote_array_destroy(struct gpu_device *d, gpu_handle array,
                              struct err_info *e);
enum err remote_array_copy(struct gpu_device *d, const struct gpu_array_copy *c,
                           struct err_info *e);
enum err remote_texture_create(struct gpu_device *d,
                               const struct gpu_texture_desc *desc,
                               uint64_t *out, struct err_info *e);
enum err remote_texture_destroy(struct gpu_device *d, uint64_t texture,
                                struct err_info *e);
enum err remote_surface_create(struct gpu_device *d, gpu_handle array,
                               uint64_t *out, struct err_info *e);
enum err remote_surface_destroy(struct gpu_device *d, uint64_t surface,
                                struct err_info *e);

#endif
