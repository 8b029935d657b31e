// SPDX-License-Identifier: Apache-2.0
// The device server: one loop that takes commands from the ring, gives them to
// a backend, and never blocks on the device.
//
// Theory of operation: commands are executed in their order as they come. A
// WAIT only notes that somebody waits; between commands the loop asks the
// device whether it is done (poll), spinning for 30 us and then sleeping on
// its bell for longer and longer, up to 1 ms. Failures and findings of queued
// work are collected and go out with the next wait that ends. A second thread
// sits on the control socket and ends the process when the program is gone,
// however deep the first may be in a driver call.
#include "gpu/remote/server.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "gpu/remote/remote.h"
#include "gpu/remote/ring.h"
#include "gpu/remote/serve.h"
#include "gpu/remote/turn.h"

enum {
  HEAP_BLOCK_BYTES = 4 << 20, // the largest that malloc takes from its heap
  HEAP_KEPT_BYTES = 32 << 20
};

// ---- Answers ----

void server_answer(struct server *s, struct remote_slot *slot, uint64_t seq,
                   enum err error, const struct err_info *e) {
  slot->error = error;
  slot->is_spoiled = s->is_spoiled;
  if (error)
    slot->info = *e;
  atomic_store(&slot->done, seq);
  bell_ring(client_bell(s->segment));
}

void server_fail(struct server *s, const struct err_info *e) {
  if (!s->failure.code)
    s->failure = *e;
}

enum err server_poll(struct server *s, gpu_handle stream) {
  struct err_info e = {0};
  enum err err = s->backend->poll(s->device, stream, &e);
  if (err == ERR_NOT_READY) {
    server_watch_comm(s);
    return err;
  }
  if (!err)
    err = server_end_comm(s, stream, &e);
  if (err && !e.code)
    err_set(&e, err, "%s", err_text(err));
  if (err)
    server_fail(s, &e);
  s->finding_count +=
      s->backend->findings(s->device, s->findings + s->finding_count,
                           REMOTE_FINDINGS - s->finding_count);
  // A real GPU that fails again without new work is of no use any more.
  if (err && s->is_real_gpu) {
    struct err_info again;
    enum err second = s->backend->poll(s->device, GPU_ALL_STREAMS, &again);
    s->is_spoiled |= second && second != ERR_NOT_READY;
  }
  return err;
}

static bool has_untold(const struct server *s) {
  return s->failure.code || s->finding_count;
}

// Work that is done is not asked about any more: not while there is something to tell
// of it.
static void note_idle(struct server *s) {
  s->has_work = false;
  if (!has_untold(s))
    atomic_store_explicit(&s->segment->done_seq, s->executed,
                          memory_order_release);
}

static void end_wait(struct server *s, int i, bool is_idle) {
  struct remote_slot *slot = &s->segment->slots[i];
  s->waits[i].is_active = false;
  slot->finding_count = (uint32_t)s->finding_count;
  memcpy(slot->findings, s->findings,
         (size_t)s->finding_count * sizeof *s->findings);
  struct err_info failure = s->failure;
  s->finding_count = 0;
  s->failure.code = ERR_OK;
  if (is_idle)
    note_idle(s);
  fflush(stdout); // what a kernel printed is there before its wait ends
  server_answer(s, slot, s->waits[i].seq, failure.code, &failure);
}

// ---- The device's progress ----

static bool is_waited_for(const struct server *s) {
  for (int i = 0; i < REMOTE_SLOTS; i++)
    if (s->waits[i].is_active)
      return true;
  return false;
}

// Ends the waits whose work is done; true when there was one.
static bool advance_waits(struct server *s) {
  bool has_ended = false;
  for (int i = 0; i < REMOTE_SLOTS; i++) {
    if (!s->waits[i].is_active)
      continue;
    // Without other streams the default stream is all there is.
    gpu_handle stream = s->stream_count ? s->waits[i].stream : GPU_ALL_STREAMS;
    if (server_poll(s, stream) == ERR_NOT_READY)
      continue;
    end_wait(s, i, stream == GPU_ALL_STREAMS);
    has_ended = true;
  }
  return has_ended;
}

static void obey_cancel(struct server *s) {
  uint32_t cancels = atomic_load(&s->segment->cancels);
  if (cancels == s->cancels_seen)
    return;
  s->backend->cancel(s->device, NULL);
  // What was sent before it, and has not begun, is to be stopped as well.
  if (ring_is_empty(s->segment))
    s->cancels_seen = cancels;
}

// Asking a driver takes as long as half a launch. While nobody waits, commands
// come first: the device is asked once none has come for a while.
#define ASK_AFTER_NS 20000
// What a group does ends on all its ranks at once, and whoever waits for one asks for
// the next one then: its end is to be known by that time, and being woken takes longer
// than a small operation.
#define ASK_COMM_AFTER_NS 5000
#define COMM_SPIN_NS      500000

// True when something happened.
static bool advance(struct server *s, uint64_t quiet_ns) {
  obey_cancel(s);
  if (s->is_capturing)
    return false;
  server_obey_abort(s);
  if (is_waited_for(s))
    return advance_waits(s);
  if (!s->has_work && atomic_load_explicit(&s->segment->done_seq,
                                           memory_order_relaxed) != s->executed)
    note_idle(s);
  uint64_t ask_after = s->has_comm_work ? ASK_COMM_AFTER_NS : ASK_AFTER_NS;
  if (!s->has_work || quiet_ns < ask_after ||
      server_poll(s, GPU_ALL_STREAMS) == ERR_NOT_READY)
    return false;
  note_idle(s);
  return true;
}

// ---- Resting ----

static bool has_news(void *context) {
  struct server *s = context;
  return !ring_is_empty(s->segment) ||
         atomic_load(&s->segment->cancels) != s->cancels_seen ||
         atomic_load(&s->segment->comm.aborts) != s->aborts_seen;
}

// Nothing of the program's is here and nothing has come for long: leave,
// so that a prompt left open does not hold a GPU context. A command that
// slips in meanwhile is seen here or, by the program, as a server that left.
static bool may_leave(struct server *s) {
  if (s->owned > 0 || s->has_work || is_waited_for(s))
    return false;
  atomic_store(&s->segment->state, REMOTE_LEFT);
  if (ring_is_empty(s->segment))
    return true;
  atomic_store(&s->segment->state, REMOTE_READY);
  return false;
}

static void tell_progress(struct server *s) {
  uint64_t blocks[2] = {0, 0};
  if (s->backend->progress)
    s->backend->progress(s->device, blocks);
  atomic_store_explicit(&s->segment->begun_blocks, blocks[0],
                        memory_order_relaxed);
  atomic_store_explicit(&s->segment->all_blocks, blocks[1],
                        memory_order_relaxed);
}

// Waits for the next command, or for the moment to ask the device again.
// False when it is time to leave.
static bool rest(struct server *s, uint64_t quiet_ns) {
  uint64_t spin_ns = s->has_comm_work && s->spin_ns ? COMM_SPIN_NS : s->spin_ns;
  if (quiet_ns < spin_ns) {
    spin_pause(quiet_ns, s->yield_ns);
    return true;
  }
  if (__fpending(stdout))
    fflush(stdout); // what a long kernel has printed so far
  tell_progress(s);
  if (turn_rest(s, quiet_ns))
    return true;
  int64_t timeout = (int64_t)s->idle_ns;
  if (s->has_work || is_waited_for(s)) {
    // A GPU is asked more often, so that a copy of 5 ms is not 6 % longer; the
    // virtual one needs the CPU itself.
    timeout = (int64_t)(quiet_ns / (s->is_real_gpu ? 64 : 16));
    timeout = timeout > 1000000 ? 1000000 : timeout < 5000 ? 5000 : timeout;
  } else if (quiet_ns >= s->idle_ns && may_leave(s)) {
    return false;
  }
  bell_sleep(server_bell(s->segment), has_news, s, timeout);
  return true;
}

// ---- The loop ----

// Carries out what is in the ring, as far as it may now; true when it did any.
static bool take_commands(struct server *s, bool *is_broken) {
  const struct remote_command *c;
  bool has_moved = false;
  while ((c = ring_next(s->segment, &s->known_head, is_broken))) {
    struct err_info why;
    enum turn_answer answer = s->turn ? turn_ask(s, c, &why) : TURN_GO;
    if (answer == TURN_WAIT)
      break;
    if (answer == TURN_DROP)
      server_drop(s, c, &why);
    else
      server_execute(s, c);
    ring_consume(s->segment, c);
    has_moved = true;
  }
  return has_moved;
}

static int serve(struct server *s) {
  uint64_t quiet_since = clock_ns();
  for (;;) {
    bool is_broken, has_moved = take_commands(s, &is_broken);
    if (is_broken) {
      fputs("the command ring holds something that is no command\n", stderr);
      return REMOTE_EXIT_PROTOCOL;
    }
    uint64_t now = clock_ns();
    has_moved |= advance(s, has_moved ? 0 : now - quiet_since);
    if (s->is_spoiled && !s->failure.code)
      return 0; // the failure was reported; only a new process recovers
    if (has_moved)
      quiet_since = now;
    else if (!rest(s, now - quiet_since))
      return 0;
  }
}

// ---- Start ----

// Of a hello's files, as many as there are.
static size_t control_bytes(const struct cmsghdr *c) {
  size_t bytes = c->cmsg_len - CMSG_LEN(0);
  size_t most = REMOTE_FILE_COUNT * sizeof(int);
  return bytes < most ? bytes : most;
}

ssize_t server_receive(int fd, struct remote_hello *hello,
                       int fds[REMOTE_FILE_COUNT]) {
  _Alignas(
      struct cmsghdr) char control[CMSG_SPACE(REMOTE_FILE_COUNT * sizeof(int))];
  struct iovec part = {hello, sizeof *hello};
  struct msghdr m = {.msg_iov = &part,
                     .msg_iovlen = 1,
                     .msg_control = control,
                     .msg_controllen = sizeof control};
  ssize_t n;
  for (int i = 0; i < REMOTE_FILE_COUNT; i++)
    fds[i] = -1;
  do
    n = recvmsg(fd, &m, MSG_CMSG_CLOEXEC);
  while (n < 0 && errno == EINTR);
  struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;
  if (c && c->cmsg_type == SCM_RIGHTS)
    memcpy(fds, CMSG_DATA(c), control_bytes(c));
  return n;
}

bool server_hear_hello(int fd, struct remote_hello *hello,
                       int fds[REMOTE_FILE_COUNT]) {
  ssize_t n = server_receive(fd, hello, fds);
  if (n < (ssize_t)(3 * sizeof(uint32_t)) || fds[REMOTE_FILE_ARENA] < 0)
    return false;
  if (hello->magic == REMOTE_MAGIC && hello->version == REMOTE_VERSION &&
      hello->layout == remote_layout() && n == sizeof *hello)
    return true;
  fprintf(stderr,
          "warpshop-device speaks protocol %d, the program that started it %u "
          "(or they were built differently): install both from one build\n",
          REMOTE_VERSION, hello->version);
  return false;
}

void *server_map(int fd, uint64_t bytes) {
  struct stat st;
  void *p = MAP_FAILED;
  if (!fstat(fd, &st) && (uint64_t)st.st_size >= bytes)
    p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
             fd, 0);
  close(fd);
  return p == MAP_FAILED ? NULL : p;
}

// Ends the process when the program closes its end (or dies).
static void *watch_socket(void *context) {
  char byte;
  while (read((int)(intptr_t)context, &byte, 1) < 0 && errno == EINTR)
    ;
  _exit(0);
}

static void print_out(void *context, const char *text, size_t bytes) {
  (void)context;
  fwrite(text, 1, bytes, stdout);
}

static enum err open_device(struct server *s, const struct remote_hello *hello,
                            const struct remote_device_kind *kind,
                            struct err_info *e) {
  const char *colon = strchr(hello->device, ':');
  struct gpu_options options = {
      .print = print_out,
      .memory_bytes = hello->memory_bytes,
      .schedule_seed = hello->schedule_seed,
      .multiprocessors = hello->multiprocessors,
      .capability = hello->capability,
      .counts_hardware = hello->counts_hardware,
      .shares_events = hello->shares_events,
  };
  s->backend = kind->backend;
  if (kind->is_real_gpu)
    turn_choose_slice();
  s->segment->can_register = kind->backend->host_register != NULL;
  return s->backend->open(colon ? atoi(colon + 1) : 0, &options, &s->device, e);
}

static const struct remote_device_kind *
find_kind(const struct remote_device_kind *kinds, const char *device) {
  size_t n = strcspn(device, ":");
  for (; kinds->prefix; kinds++)
    if (strlen(kinds->prefix) == n && !memcmp(kinds->prefix, device, n))
      return kinds;
  return NULL;
}

static int fail_to_open(struct server *s, const struct err_info *e) {
  s->segment->open_error = *e;
  atomic_store(&s->segment->state, REMOTE_FAILED);
  bell_ring(client_bell(s->segment));
  return 0;
}

static int serve_device(struct server *s, struct remote_hello *hello,
                        const struct remote_device_kind *kinds) {
  struct err_info e = {0};
  hello->device[sizeof hello->device - 1] = 0;
  const struct remote_device_kind *kind = find_kind(kinds, hello->device);
  if (!kind) {
    err_set(&e, ERR_NOT_FOUND,
            "there is no device '%s'; `warpshop device` lists them",
            hello->device);
    return fail_to_open(s, &e);
  }
  enum err err = open_device(s, hello, kind, &e);
  if (err) {
    if (!e.code)
      err_set(&e, err, "%s", err_text(err));
    return fail_to_open(s, &e);
  }
  s->is_real_gpu = kind->is_real_gpu;
  struct confine_paths paths = {{NULL, NULL}, NULL};
  err = turn_open(s, &paths.folders[1], &e);
  if (!err && hello->ranks)
    err = server_join(s, hello, &e);
  if (err)
    return fail_to_open(s, &e);
  if (s->backend->library_folder)
    paths.folders[0] = s->backend->library_folder(s->device);
  if (s->backend->sharing)
    paths.device = s->backend->sharing->device_file;
  confine_for_good(!kind->is_real_gpu && !s->turn, &paths);
  atomic_store(&s->segment->state, REMOTE_READY);
  bell_ring(client_bell(s->segment));
  return serve(s);
}

// What a launch takes and gives back stays for the next one, or a good part of a
// short launch would be page faults.
static void set_up_heap(void) {
  mallopt(M_MMAP_THRESHOLD, HEAP_BLOCK_BYTES);
  mallopt(M_TRIM_THRESHOLD, HEAP_KEPT_BYTES);
}

int remote_serve_kinds(int fd, const struct remote_device_kind *kinds,
                       char *count) {
  struct remote_hello hello;
  int fds[REMOTE_FILE_COUNT];
  confine_start(fd);
  prctl(PR_SET_TIMERSLACK, 1); // short sleeps between polls
  set_up_heap();
  setvbuf(stdout, NULL, _IOFBF, 1 << 16);
  if (!server_hear_hello(fd, &hello, fds))
    return REMOTE_EXIT_PROTOCOL;
  struct server *s = xcalloc(1, sizeof *s);
  s->segment = server_map(fds[REMOTE_FILE_SEGMENT], sizeof *s->segment);
  s->arena = server_map(fds[REMOTE_FILE_ARENA], hello.arena_bytes);
  s->handles_end = fds[REMOTE_FILE_HANDLES];
  s->arena_bytes = hello.arena_bytes;
  s->generation = hello.generation;
  s->count = count && !strcmp(count, REMOTE_NO_LAUNCHES) ? count + strlen(count)
                                                         : NULL;
  s->executed = hello.first_seq;
  s->idle_ns = hello.idle_ns;
  s->spin_ns = spin_limit_ns();
  s->yield_ns = spin_yield_ns();
  if (!s->segment || !s->arena) {
    fputs("cannot map the memory shared with the program\n", stderr);
    return REMOTE_EXIT_SYSTEM;
  }
  pthread_t watcher;
  if (pthread_create(&watcher, NULL, watch_socket, (void *)(intptr_t)fd)) {
    fputs("cannot start a thread\n", stderr);
    return REMOTE_EXIT_SYSTEM;
  }
  int code = serve_device(s, &hello, kinds);
  fflush(NULL);
  _exit(code); // the driver's own exit handlers may hang on a spoiled device
}
