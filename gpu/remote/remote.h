// SPDX-License-Identifier: Apache-2.0
// The device server as the program sees it: started on demand, spoken to over
// a ring in shared memory, killed and started anew when a kernel hangs or
// faults. It fills struct gpu_backend (gpu_remote_backend), so that whoever
// launches kernels need not know that the device lives elsewhere.
#ifndef GPU_REMOTE_REMOTE_H
#define GPU_REMOTE_REMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/gpu.h"

// ---- The arena, in which host arrays lie (arena.c) ----

struct arena;

enum err arena_new(struct arena **out, struct err_info *e);
void arena_free(struct arena *a);

// `bytes` of zeroed or reused memory, aligned to 64 bytes (to 4096 from 64 KiB
// on); 0 bytes give a valid pointer too. ERR_NOMEM names the size.
enum err arena_alloc(struct arena *a, size_t bytes, void **out,
                     struct err_info *e);
void arena_release(struct arena *a, void *p); // NULL is fine

// ---- The server ----

struct remote_options {
  const char *program; // warpshop-device; NULL: file_device_program()
  const char *device;  // "cuda:0", "virtual:0"
  struct arena *arena; // shared with the server; borrowed
  // What reaches another machine, where the server is to be: a program and its
  // arguments (srun ... warpshop-device --stdio), whose input and output are the
  // line to it, ended with a NULL. NULL: the server is here. `name` stands in
  // messages then.
  const char *const *command;
  const char *name;
  int64_t limit_s; // that machine is ours for so long; 0: it is to say itself
  // How the wait for that machine stands, in a few words, about once in a second;
  // may be NULL.
  void (*say_wait)(void *wait_context, char *text, size_t bytes);
  void *wait_context;
  struct gpu_options gpu;
  // Has the user asked to stop (Ctrl-C)? Polled while waiting; may be NULL.
  bool (*is_cancelled)(void *context);
  void *context;
  // Seconds that one wait for device work may take before it is a `timeout`
  // and the server is killed (cuda) or told to stop (virtual); 0: no limit. On a
  // shared GPU at most REMOTE_WATCHDOG_S. Waiting for a turn does not count.
  double deadline_s;
  // The same in seconds of the server's own processor time, in place of
  // `deadline_s`: it says the same however busy the machine is. 0: none.
  double cpu_deadline_s;
  // Seconds after which a server that holds nothing of ours (no memory, module,
  // stream or event) and has nothing to do leaves; the next call starts
  // another, unnoticed. 0: 60 s.
  double idle_s;
};

// Starts a server process and returns at once; the device opens there in the
// background, and the first call that needs it waits. `*out` is used through
// (*out)->backend, by one thread at a time, and freed with its `close`. The
// server dies with the thread that started it.
//
// What the device interface says, and how it is here: mem_free, unload and
// destroy calls are queued, too, so that a collector may make them; copies of
// memory outside of the arena are done when the call returns.
enum err remote_open(const struct remote_options *options,
                     struct gpu_device **out, struct err_info *e);

enum { REMOTE_WATCHDOG_S = 2 };

// A turn of the ranked lane at a shared GPU: nobody else's work runs until it is
// given back, for 10 s at most. Elsewhere both do nothing. ERR_CANCELLED: the user
// did not want to wait.
enum err remote_take_alone(struct gpu_device *d, struct err_info *e);
// That it was kept too long, the next wait says (ERR_TIMEOUT).
enum err remote_give_back(struct gpu_device *d, struct err_info *e);
// Does process `pid` take its turns at this GPU, too? It rests while we are alone.
bool remote_shares_turns(const struct gpu_device *d, int pid);

void remote_set_deadline(struct gpu_device *d, double seconds);
void remote_set_cpu_deadline(struct gpu_device *d, double seconds);

// Waits until `stream` is done (GPU_ALL_STREAMS: all), polling completion,
// cancel, device printf, the deadline and the server's death. ERR_OK; the
// work's failure; ERR_CANCELLED, ERR_TIMEOUT or ERR_DEVICE_LOST, after each of
// which has_died tells whether the server is gone. ERR_UNINITIALISED, of a copy
// to the host, is about its values: they have come as they are.
enum err remote_wait(struct gpu_device *d, gpu_handle stream,
                     struct err_info *e);

// Like remote_wait, for the work numbered `seq` and all before it.
enum err remote_wait_seq(struct gpu_device *d, uint64_t seq,
                         struct err_info *e);

// Is that work done, with nothing to tell of it? Else a wait for it hears what there is.
bool remote_is_settled(struct gpu_device *d, uint64_t seq);

// Was any work told to stop, by the user or at a deadline, since this was last
// asked? Whatever came of it since, it may be cut.
bool remote_was_stopped(struct gpu_device *d);

// The number of the last message, and of the last work known to be done. Work, waits and
// questions are messages, one number each, whichever server they go to.
uint64_t remote_last_seq(struct gpu_device *d);
uint64_t remote_done_seq(struct gpu_device *d);

// Is the server gone (killed, crashed, never started)? All its handles and
// device addresses are then void until remote_restart.
bool remote_has_died(struct gpu_device *d);
// Takes note at once of a server that died: for SIGCHLD, where two ended
// together and each sent one.
void remote_reap(struct gpu_device *d);

// Kills what is left of the server, reaps it, and starts a new one. The
// generation counts restarts: a handle made under another generation is stale.
enum err remote_restart(struct gpu_device *d, struct err_info *e);

// Memory, multiprocessors, capability and schedule of the virtual GPU from its
// next start on.
void remote_configure(struct gpu_device *d, const struct gpu_options *to);
uint64_t remote_generation(struct gpu_device *d);

int remote_pid(struct gpu_device *d); // of the server, for tests; 0: none

// Of a server on another machine.
struct remote_place {
  char node[64], job[32]; // the job may have no number
  int64_t left_s;         // until the job ends; -1: that is not known
};
// False: it is here, or nobody knows yet where it will be.
bool remote_where(struct gpu_device *d, struct remote_place *out);
// Has the line to that machine ended? A restart makes another.
bool remote_has_lost_line(struct gpu_device *d);
// Ends it, and all that runs there.
void remote_leave_line(struct gpu_device *d);

// ---- Memory and events that other processes share (client_share.c) ----

// As struct gpu_sharing says; mem_free ends an import, event_destroy an event.
// ERR_UNSUPPORTED: a virtual GPU, one on another machine, or memory that cannot leave.
enum err remote_export(struct gpu_device *d, gpu_ptr p, struct gpu_export *out,
                       struct err_info *e);
enum err remote_import(struct gpu_device *d, int fd, uint64_t bytes,
                       gpu_ptr *out, struct err_info *e);
enum err remote_import_handle(struct gpu_device *d,
                              const struct gpu_ipc *handle, gpu_ptr *out,
                              struct err_info *e);
enum err remote_export_event(struct gpu_device *d, gpu_handle *out,
                             struct gpu_ipc *handle, struct err_info *e);

// The server's half, in warpshop-device: serves the ring on control socket
// `fd` until the program leaves. Returns the process's exit code. `count` is a word
// of digits in the process's own command line, where anybody may read it: launches are
// counted there (NULL: nowhere).
int remote_serve(int fd, char *count);
// The same in place of a server on another machine, which `command` reaches.
int remote_serve_line(int fd, char **command);
// What that starts there, over standard input and output; `program` is the server
// (NULL: file_device_program()). Does not return before the line ends.
int remote_serve_stdio(const char *program);

// The same with other devices than "cuda" and "virtual"; for tests. The table
// ends with a NULL prefix.
struct remote_device_kind {
  const char *prefix; // "cuda" of "cuda:0"
  const struct gpu_backend *backend;
  bool is_real_gpu; // its driver may open files later, and its failures stay
};
int remote_serve_kinds(int fd, const struct remote_device_kind *kinds,
                       char *count);
// What the count begins with.
#define REMOTE_NO_LAUNCHES "launches=0000000000"

// ---- Groups of devices (gpu/gpu_comm.h) ----

// Makes these devices, at this process's own machine, the ranks of a group, in this
// order: each server is started anew for it, since a running one cannot join any
// more. In any case the generations go on, and all that the servers held is gone;
// after an error they serve as ever, each by itself. A device is in one group at a
// time. ERR_UNSUPPORTED says what there is no group for; ERR_CANCELLED.
enum err remote_join(struct gpu_device *const *ranks, int size,
                     struct err_info *e);
// Are they such a group, whole, with all servers alive? One that dies ends it.
bool remote_is_joined(struct gpu_device *const *ranks, int size);
// Ends the group that it is in. The others' work with it ends, and says so.
void remote_end_group(struct gpu_device *d);
// The version of the library that it speaks by: 22809 of 2.28.9; 0: it is in none.
int remote_group_version(struct gpu_device *d);

// ---- confine.c: what a process gives up, of a learner's as well ----

// Closes every file but 0, 1, 2 and `keep`, dies with the parent, dumps no
// core.
void confine_start(int keep);

// No new privileges, no path of the file system (Landlock, where the kernel
// has it), and no system calls that start programs, reach the network or look
// into other processes; `deny_open`: nor any that opens files. A kernel that
// lacks one of these still gets the others.
struct confine_paths {    // what may still be opened; NULL: nothing
  const char *folders[2]; // what is below, to be read
  const char *device;     // a file, to be read and written
};
void confine_for_good(bool deny_open, const struct confine_paths *paths);

#endif
