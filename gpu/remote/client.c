// SPDX-License-Identifier: Apache-2.0
// struct gpu_backend over a ring: what the program calls when it launches.
//
// Work is queued with a write to shared memory and no system call while the
// server is awake; what has a result is a round trip. Not for two threads at
// once; only remote's `cancel` may be called from another thread.
#include "gpu/remote/client.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "gpu/remote/arena.h"
#include "gpu/remote/process.h"
#include "gpu/remote/ring.h"

// ---- Sending ----

static bool has_room(struct remote *r, uint64_t bytes) {
  return ring_reserve(r->segment, &r->tail, bytes) != NULL;
}

// Slow ways: not started yet, gone, or the ring is full.
static enum err await_room(struct remote *r, size_t bytes, void **out,
                           struct err_info *e) {
  enum err err = remote_ensure_ready(r, e);
  if (err)
    return err;
  *out = ring_reserve(r->segment, &r->tail, bytes);
  if (*out)
    return ERR_OK;
  err = remote_wait_goal(r, (struct remote_goal){has_room, bytes},
                         r->options.deadline_s, e);
  if (!err)
    *out = ring_reserve(r->segment, &r->tail, bytes);
  return err;
}

bool remote_is_ready(const struct remote *r) {
  return !r->has_died && !r->has_left &&
         atomic_load_explicit(&r->segment->state, memory_order_acquire) ==
             REMOTE_READY;
}

enum err remote_send(struct remote *r, const struct remote_message *m,
                     struct err_info *e) {
  size_t behind = m->tail.bytes + m->more.bytes;
  size_t bytes = (sizeof(struct remote_command) + behind + 15) & ~(size_t)15;
  if (bytes > REMOTE_MAX_RECORD)
    return err_set(e, ERR_ARGUMENT,
                   "a name or parameter block of %zu bytes is too long",
                   behind);
  void *p =
      remote_is_ready(r) ? ring_reserve(r->segment, &r->tail, bytes) : NULL;
  if (!p) {
    enum err err = await_room(r, bytes, &p, e);
    if (err)
      return err;
  }
  struct remote_command *c = p;
  c->bytes = (uint32_t)bytes;
  c->op = (uint16_t)m->op;
  c->slot = (uint16_t)m->slot;
  c->seq = ++r->seq;
  if (m->op != REMOTE_OP_WAIT)
    r->work_seq = r->seq;
  memcpy(c->args, m->args, sizeof c->args);
  if (m->tail.bytes)
    memcpy(c + 1, m->tail.data, m->tail.bytes);
  if (m->more.bytes)
    memcpy((char *)(c + 1) + m->tail.bytes, m->more.data, m->more.bytes);
  ring_publish(r->segment, bytes);
  return ERR_OK;
}

enum err remote_queue(struct remote *r, enum remote_op op,
                      const uint64_t args[6], struct err_info *e) {
  struct remote_message m = {.op = op, .slot = REMOTE_NO_SLOT};
  memcpy(m.args, args, sizeof m.args);
  return remote_send(r, &m, e);
}

// ---- Answers ----

static void take_findings(struct remote *r, const struct remote_slot *slot) {
  int room = (int)(sizeof r->findings / sizeof *r->findings) - r->finding_count;
  int count = slot->finding_count <= REMOTE_FINDINGS ? (int)slot->finding_count
                                                     : REMOTE_FINDINGS;
  count = count < room ? count : room;
  memcpy(r->findings + r->finding_count, slot->findings,
         (size_t)count * sizeof *r->findings);
  r->finding_count += count;
}

// What an answer says. A spoiled device ends its server: help it to.
static enum err take_answer(struct remote *r, unsigned index,
                            struct err_info *e) {
  const struct remote_slot *slot = &r->segment->slots[index];
  enum err err = slot->error < ERR_COUNT ? slot->error : ERR_INTERNAL;
  if (index != REMOTE_SLOT_CALL)
    take_findings(r, slot);
  if (!err)
    return ERR_OK;
  struct err_info info = slot->info;
  info.text[sizeof info.text - 1] = info.file[sizeof info.file - 1] = 0;
  if (slot->is_spoiled)
    remote_kill(r, info.text);
  if (e)
    *e = info;
  return err;
}

static struct remote_goal answer_of(unsigned slot, uint64_t seq) {
  return (struct remote_goal){remote_is_answered, seq << 3 | slot};
}

enum err remote_call(struct remote *r, enum remote_op op,
                     const uint64_t args[6], struct remote_bytes tail,
                     struct err_info *e) {
  enum { MAX_ATTEMPTS = 20 };
  struct remote_message m = {.op = op, .slot = REMOTE_SLOT_CALL, .tail = tail};
  memcpy(m.args, args, sizeof m.args);
  for (int attempt = 0;; attempt++) {
    enum err err = remote_send(r, &m, e);
    if (err)
      return err;
    uint64_t seq = r->seq;
    struct remote_goal goal = answer_of(REMOTE_SLOT_CALL, seq);
    err = remote_wait_goal(r, goal, r->options.deadline_s, e);
    // An answer counts even when the user asked to stop meanwhile: what it
    // gives must not be lost.
    if (goal.is_reached(r, goal.arg))
      return take_answer(r, REMOTE_SLOT_CALL, e);
    // The server left, idle, just before the command came.
    if (!r->has_left || attempt == MAX_ATTEMPTS)
      return err;
  }
}

static enum err call(struct remote *r, enum remote_op op,
                     const uint64_t args[6], struct err_info *e) {
  return remote_call(r, op, args, NO_TAIL, e);
}

static const struct remote_slot *answer(const struct remote *r) {
  return &r->segment->slots[REMOTE_SLOT_CALL];
}

enum err remote_make(struct gpu_device *d, enum remote_op op,
                     const uint64_t args[6], struct remote_bytes tail,
                     uint64_t *out, struct err_info *e) {
  enum err err = remote_call(REMOTE(d), op, args, tail, e);
  *out = err ? 0 : answer(REMOTE(d))->values[0];
  return err;
}

// ---- Waiting ----

// A failure goes to whichever wait ended with it: to a poll's, when the work
// failed before this one was asked for. Whoever waits now is to hear of it, not
// the next poll.
static enum err take_polled(struct remote *r, struct err_info *e) {
  for (unsigned i = REMOTE_SLOT_POLL; i < REMOTE_SLOTS; i++) {
    struct remote_goal goal = answer_of(i, r->poll_seqs[i]);
    if (!r->poll_seqs[i] || !goal.is_reached(r, goal.arg) ||
        !r->segment->slots[i].error)
      continue;
    r->poll_seqs[i] = 0;
    return take_answer(r, i, e);
  }
  return ERR_OK;
}

// Asks for an answer in that slot when the work of the stream is done.
static enum err send_wait(struct remote *r, unsigned slot, gpu_handle stream,
                          struct err_info *e) {
  struct remote_message m = {
      .op = REMOTE_OP_WAIT, .slot = slot, .args = {stream}};
  return remote_send(r, &m, e);
}

static enum err wait_for(struct remote *r, gpu_handle stream,
                         struct err_info *e) {
  if (r->has_left) // it held nothing, so nothing can be outstanding
    return ERR_OK;
  enum err err = send_wait(r, REMOTE_SLOT_WAIT, stream, e);
  if (err)
    return err;
  struct err_info stopped;
  struct remote_goal goal = answer_of(REMOTE_SLOT_WAIT, r->seq);
  enum err stop = remote_wait_goal(r, goal, remote_limit_s(r), &stopped);
  bool is_answered = goal.is_reached(r, goal.arg);
  r->copied_bytes = 0;
  r->has_launched = false;
  remote_drain(r);
  if (r->has_left && !is_answered)
    return ERR_OK;
  err = is_answered ? take_answer(r, REMOTE_SLOT_WAIT, e) : stop;
  if (!err)
    err = take_polled(r, e);
  // Work that was told to stop says that it was cancelled; why, we know. Work
  // that ended within its grace is done all the same, past a deadline.
  bool is_stop = stop == ERR_CANCELLED || err == ERR_CANCELLED || !is_answered;
  if (stop && is_stop) {
    err = stop;
    if (e)
      *e = stopped;
  }
  return err;
}

// What staged copies left to say.
static enum err say_undefined(struct remote *r, enum err err,
                              struct err_info *e) {
  if (!err && r->undefined.code) {
    err = r->undefined.code;
    if (e)
      *e = r->undefined;
  }
  r->undefined.code = ERR_OK;
  return err;
}

enum err remote_wait(struct gpu_device *d, gpu_handle stream,
                     struct err_info *e) {
  return say_undefined(REMOTE(d), wait_for(REMOTE(d), stream, e), e);
}

enum err remote_wait_staged(struct remote *r, gpu_handle stream,
                            struct err_info *e) {
  struct err_info own = {0};
  enum err err = wait_for(r, stream, &own);
  if (err == ERR_UNINITIALISED) {
    r->undefined = own;
    return ERR_OK;
  }
  if (err && e)
    *e = own;
  return err;
}

enum err remote_wait_seq(struct gpu_device *d, uint64_t seq,
                         struct err_info *e) {
  return remote_is_settled(d, seq) ? say_undefined(REMOTE(d), ERR_OK, e)
                                   : remote_wait(d, GPU_ALL_STREAMS, e);
}

// Has a poll a failure to tell of, or may its answer, which is on its way?
static bool has_polled_failure(struct remote *r, uint64_t done_seq) {
  for (unsigned i = REMOTE_SLOT_POLL; r->segment && i < REMOTE_SLOTS; i++) {
    struct remote_goal goal = answer_of(i, r->poll_seqs[i]);
    if (r->poll_seqs[i] &&
        (goal.is_reached(r, goal.arg) ? r->segment->slots[i].error != 0
                                      : r->poll_seqs[i] <= done_seq))
      return true;
  }
  return false;
}

bool remote_is_settled(struct gpu_device *d, uint64_t seq) {
  uint64_t done_seq = remote_done_seq(d);
  return done_seq >= seq && !has_polled_failure(REMOTE(d), done_seq);
}

uint64_t remote_last_seq(struct gpu_device *d) {
  return REMOTE(d)->seq;
}

uint64_t remote_done_seq(struct gpu_device *d) {
  const struct remote *r = REMOTE(d);
  // Nothing touches memory any more once the process is reaped.
  if (!r->pid || !r->segment)
    return r->seq;
  return atomic_load_explicit(&r->segment->done_seq, memory_order_acquire);
}

// The slot that polls `stream`, or a free one; 0 when all are taken.
static unsigned poll_slot(const struct remote *r, gpu_handle stream) {
  unsigned free_slot = 0;
  for (unsigned i = REMOTE_SLOT_POLL; i < REMOTE_SLOTS; i++) {
    if (r->poll_seqs[i] && r->poll_streams[i] == stream)
      return i;
    if (!r->poll_seqs[i])
      free_slot = i;
  }
  return free_slot;
}

// Looks at the answer that this slot's poll waits for.
static enum err look_at_poll(struct remote *r, unsigned i, struct err_info *e) {
  struct remote_goal goal = answer_of(i, r->poll_seqs[i]);
  remote_drain(r);
  if (!goal.is_reached(r, goal.arg)) {
    if (!remote_check_death(r)) {
      remote_watch_group(r);
      return ERR_NOT_READY;
    }
    return r->has_left ? ERR_OK : remote_lost(r, e);
  }
  r->poll_seqs[i] = 0;
  return take_answer(r, i, e);
}

static enum err ask_poll(struct remote *r, unsigned i, gpu_handle stream,
                         struct err_info *e) {
  enum err err = send_wait(r, i, stream, e);
  if (err)
    return err;
  r->poll_seqs[i] = r->seq;
  r->poll_streams[i] = stream;
  return look_at_poll(r, i, e);
}

// The first poll of some work queues a wait; the next ones look at its answer,
// which says nothing of work that came after it.
static enum err remote_poll(struct gpu_device *d, gpu_handle stream,
                            struct err_info *e) {
  struct remote *r = REMOTE(d);
  if (r->has_left)
    return ERR_OK;
  unsigned i = poll_slot(r, stream);
  if (!i)
    return err_set(e, ERR_ARGUMENT, "too many streams are polled at once");
  uint64_t asked = r->poll_seqs[i];
  if (asked) {
    enum err err = look_at_poll(r, i, e);
    if (err || r->has_left || asked > r->work_seq)
      return err;
  }
  return ask_poll(r, i, stream, e);
}

static int remote_findings(struct gpu_device *d, struct gpu_finding *out,
                           int max) {
  struct remote *r = REMOTE(d);
  int count = r->finding_count < max ? r->finding_count : max;
  memcpy(out, r->findings, (size_t)count * sizeof *out);
  r->finding_count = 0;
  return count;
}

static enum err remote_cancel(struct gpu_device *d, struct err_info *e) {
  struct remote *r = REMOTE(d);
  if (r->is_cuda)
    return err_set(e, ERR_UNSUPPORTED,
                   "a kernel on a real GPU cannot be stopped; its server can "
                   "be ended");
  if (remote_is_ready(r)) {
    atomic_fetch_add(&r->segment->cancels, 1);
    bell_ring(server_bell(r->segment));
  }
  return ERR_OK;
}

// ---- Modules and launches ----

static enum err remote_module_load(struct gpu_device *d, const void *image,
                                   size_t bytes, gpu_handle *out,
                                   struct err_info *e) {
  struct remote *r = REMOTE(d);
  struct remote_stage s = {.bytes = bytes};
  *out = 0;
  enum err err = arena_alloc(r->options.arena, bytes, &s.block, e);
  if (err)
    return err;
  arena_holds(r->options.arena, s.block, bytes, &s.offset);
  memcpy(s.block, image, bytes);
  err = remote_make(d, REMOTE_OP_MODULE_LOAD, ARGS(s.offset, bytes), NO_TAIL,
                    out, e);
  remote_stage_close(r, &s);
  return err;
}

static enum err remote_module_unload(struct gpu_device *d, gpu_handle module,
                                     struct err_info *e) {
  return remote_queue(REMOTE(d), REMOTE_OP_MODULE_UNLOAD, ARGS(module), e);
}

static enum err remote_function_get(struct gpu_device *d, gpu_handle module,
                                    const char *mangled, gpu_handle *out,
                                    struct gpu_function_info *info,
                                    struct err_info *e) {
  struct remote *r = REMOTE(d);
  enum err err =
      remote_call(r, REMOTE_OP_FUNCTION_GET, ARGS(module),
                  (struct remote_bytes){mangled, strlen(mangled) + 1}, e);
  *out = err ? 0 : answer(r)->values[0];
  if (!err && info)
    *info = answer(r)->function;
  return err;
}

static enum err remote_variable_get(struct gpu_device *d, gpu_handle module,
                                    const char *mangled, gpu_ptr *out,
                                    size_t *bytes, struct err_info *e) {
  struct remote *r = REMOTE(d);
  enum err err =
      remote_call(r, REMOTE_OP_VARIABLE_GET, ARGS(module),
                  (struct remote_bytes){mangled, strlen(mangled) + 1}, e);
  *out = err ? 0 : answer(r)->values[0];
  *bytes = err ? 0 : answer(r)->values[1];
  return err;
}

static enum err remote_function_set_max_shared(struct gpu_device *d,
                                               gpu_handle function,
                                               uint32_t bytes,
                                               struct err_info *e) {
  return call(REMOTE(d), REMOTE_OP_MAX_SHARED, ARGS(function, bytes), e);
}

enum err remote_send_launch(struct remote *r, enum remote_op op,
                            const struct gpu_launch *l, gpu_handle other,
                            struct err_info *e) {
  r->has_launched = true;
  struct remote_launch body = {
      .function = l->function,
      .stream = l->stream,
      .budget = l->budget,
      .grid_budget = l->grid_budget,
      .grid = {l->grid[0], l->grid[1], l->grid[2]},
      .block = {l->block[0], l->block[1], l->block[2]},
      .shared_bytes = l->shared_bytes,
      .flags = l->flags,
      .param_bytes = l->param_bytes,
      .node = l->node,
  };
  struct remote_message m = {.op = op,
                             .slot = REMOTE_NO_SLOT,
                             .args = {other},
                             .tail = {&body, sizeof body},
                             .more = {l->params, l->param_bytes}};
  return remote_send(r, &m, e);
}

static enum err remote_launch(struct gpu_device *d, const struct gpu_launch *l,
                              struct err_info *e) {
  return remote_send_launch(REMOTE(d), REMOTE_OP_LAUNCH, l, 0, e);
}

static enum err remote_cache_reset(struct gpu_device *d, struct err_info *e) {
  return remote_queue(REMOTE(d), REMOTE_OP_CACHE_RESET, ARGS(0), e);
}

static enum err remote_product_start(struct gpu_device *d, struct err_info *e) {
  return call(REMOTE(d), REMOTE_OP_PRODUCT_START, ARGS(0), e);
}

static enum err remote_product(struct gpu_device *d,
                               const struct gpu_product *p,
                               struct err_info *e) {
  struct remote_message m = {
      .op = REMOTE_OP_PRODUCT, .slot = REMOTE_NO_SLOT, .tail = {p, sizeof *p}};
  return remote_send(REMOTE(d), &m, e);
}

// ---- Counts ----

static enum err fetch_lines(struct remote *r, uint32_t count,
                            struct gpu_line_counts *lines, struct err_info *e) {
  struct remote_stage s = {.bytes = count * sizeof *lines};
  enum err err = arena_alloc(r->options.arena, s.bytes, &s.block, e);
  if (err)
    return err;
  arena_holds(r->options.arena, s.block, s.bytes, &s.offset);
  err = call(r, REMOTE_OP_COUNT_LINES, ARGS(s.offset, s.bytes), e);
  if (!err)
    memcpy(lines, s.block, s.bytes);
  remote_stage_close(r, &s);
  return err;
}

static enum err remote_counts(struct gpu_device *d, struct gpu_counts *out,
                              struct gpu_line_counts **lines,
                              struct err_info *e) {
  struct remote *r = REMOTE(d);
  *lines = NULL;
  enum err err = call(r, REMOTE_OP_COUNTS, ARGS(0), e);
  if (err)
    return err;
  *out = answer(r)->counts;
  *lines = xcalloc((size_t)out->line_count + 1, sizeof **lines);
  if (out->line_count)
    err = fetch_lines(r, out->line_count, *lines, e);
  if (err) {
    free(*lines);
    *lines = NULL;
  }
  return err;
}

static enum err remote_hardware(struct gpu_device *d, struct gpu_hardware *out,
                                struct err_info *e) {
  enum err err = call(REMOTE(d), REMOTE_OP_HARDWARE, ARGS(0), e);
  if (!err)
    *out = answer(REMOTE(d))->hardware;
  return err;
}

static enum err remote_work(struct gpu_device *d, struct gpu_work *out,
                            struct err_info *e) {
  enum err err = call(REMOTE(d), REMOTE_OP_WORK, ARGS(0), e);
  *out = (struct gpu_work){0};
  if (!err)
    *out = answer(REMOTE(d))->work;
  return err;
}

// ---- Streams and events ----

static enum err remote_stream_create(struct gpu_device *d, gpu_handle *out,
                                     struct err_info *e) {
  return remote_make(d, REMOTE_OP_STREAM_CREATE, ARGS(0), NO_TAIL, out, e);
}

static enum err remote_stream_destroy(struct gpu_device *d, gpu_handle stream,
                                      struct err_info *e) {
  return remote_queue(REMOTE(d), REMOTE_OP_STREAM_DESTROY, ARGS(stream), e);
}

static enum err remote_stream_wait(struct gpu_device *d, gpu_handle stream,
                                   gpu_handle event, struct err_info *e) {
  return remote_queue(REMOTE(d), REMOTE_OP_STREAM_WAIT, ARGS(stream, event), e);
}

static enum err remote_event_create(struct gpu_device *d, gpu_handle *out,
                                    struct err_info *e) {
  return remote_make(d, REMOTE_OP_EVENT_CREATE, ARGS(0), NO_TAIL, out, e);
}

static enum err remote_event_destroy(struct gpu_device *d, gpu_handle event,
                                     struct err_info *e) {
  return remote_queue(REMOTE(d), REMOTE_OP_EVENT_DESTROY, ARGS(event), e);
}

static enum err remote_event_record(struct gpu_device *d, gpu_handle event,
                                    gpu_handle stream, struct err_info *e) {
  return remote_queue(REMOTE(d), REMOTE_OP_EVENT_RECORD, ARGS(event, stream),
                      e);
}

static enum err remote_event_poll(struct gpu_device *d, gpu_handle event,
                                  struct err_info *e) {
  return call(REMOTE(d), REMOTE_OP_EVENT_POLL, ARGS(event), e);
}

static enum err remote_event_elapsed(struct gpu_device *d, gpu_handle from,
                                     gpu_handle to, double *ms,
                                     struct err_info *e) {
  enum err err = call(REMOTE(d), REMOTE_OP_EVENT_ELAPSED, ARGS(from, to), e);
  *ms = err ? 0 : answer(REMOTE(d))->ms;
  return err;
}

// ---- Opening, closing, starting anew ----

static enum err remote_info(struct gpu_device *d, struct gpu_device_info *out,
                            struct err_info *e) {
  enum err err = call(REMOTE(d), REMOTE_OP_INFO, ARGS(0), e);
  if (!err)
    *out = answer(REMOTE(d))->device;
  return err;
}

static void remote_close(struct gpu_device *d) {
  struct remote *r = REMOTE(d);
  if (!r)
    return;
  remote_leave_group(r);
  remote_drain(r);
  if (r->options.command)
    remote_end_line(r);
  else
    remote_kill(r, "it was closed");
  remote_free(r);
}

void remote_free(struct remote *r) {
  remote_drop_process(r);
  free((char *)r->options.device);
  free((char *)r->options.program);
  free((char *)r->options.name);
  for (char **word = r->command; word && *word; word++)
    free(*word);
  free(r->command);
  free(r->traffic);
  free(r);
}

static char **copy_words(const char *const *words) {
  size_t count = 0;
  while (words[count])
    count++;
  char **copy = xcalloc(count + 1, sizeof *copy);
  for (size_t i = 0; i < count; i++)
    copy[i] = xstrdup(words[i]);
  return copy;
}

struct remote *remote_new(const struct remote_options *options) {
  struct remote *r = xcalloc(1, sizeof *r);
  r->base.backend = &gpu_remote_backend;
  r->options = *options;
  r->options.device = xstrdup(options->device);
  r->options.program = options->program ? xstrdup(options->program) : NULL;
  r->options.name = options->name ? xstrdup(options->name) : NULL;
  r->command = options->command ? copy_words(options->command) : NULL;
  r->options.command = (const char *const *)r->command;
  r->is_cuda = !strncmp(options->device, "cuda", 4);
  if (r->options.idle_s <= 0)
    r->options.idle_s = 60;
  r->socket = r->pipe = r->handles_end = -1;
  r->generation = 1;
  r->spin_ns = spin_wait_ns();
  r->yield_ns = spin_yield_ns();
  r->piece_count = arena_size(options->arena) / ARENA_PIECE;
  r->traffic = xcalloc(r->piece_count, sizeof *r->traffic);
  return r;
}

const char *remote_name(const struct remote *r) {
  return r->options.name ? r->options.name : r->options.device;
}

enum err remote_open(const struct remote_options *options,
                     struct gpu_device **out, struct err_info *e) {
  *out = NULL;
  if (strlen(options->device) >= sizeof(((struct remote_hello *)NULL)->device))
    return err_set(e, ERR_ARGUMENT, "there is no device '%s'", options->device);
  struct remote *r = remote_new(options);
  enum err err = remote_spawn(r, e);
  if (err)
    remote_close(&r->base);
  else
    *out = &r->base;
  return err;
}

enum err remote_restart(struct gpu_device *d, struct err_info *e) {
  remote_leave_group(REMOTE(d));
  return remote_start_again(REMOTE(d), e);
}

enum err remote_start_again(struct remote *r, struct err_info *e) {
  remote_drain(r);
  remote_kill(r, "it was restarted");
  r->pid = 0; // one that cannot be reaped is left to itself
  remote_drop_process(r);
  r->finding_count = 0;
  r->undefined.code = ERR_OK;
  memset(r->poll_seqs, 0, sizeof r->poll_seqs);
  r->generation++;
  return remote_spawn(r, e);
}

void remote_configure(struct gpu_device *d, const struct gpu_options *to) {
  struct remote *r = REMOTE(d);
  r->options.gpu.memory_bytes = to->memory_bytes;
  r->options.gpu.multiprocessors = to->multiprocessors;
  r->options.gpu.schedule_seed = to->schedule_seed;
  r->options.gpu.capability = to->capability;
}

void remote_set_deadline(struct gpu_device *d, double seconds) {
  REMOTE(d)->options.deadline_s = seconds;
}

void remote_set_cpu_deadline(struct gpu_device *d, double seconds) {
  REMOTE(d)->options.cpu_deadline_s = seconds;
}

bool remote_was_stopped(struct gpu_device *d) {
  bool was_stopped = REMOTE(d)->was_stopped;
  REMOTE(d)->was_stopped = false;
  return was_stopped;
}

bool remote_has_died(struct gpu_device *d) {
  struct remote *r = REMOTE(d);
  if (r->has_died || !r->pid)
    return r->has_died;
  // Callers ask with every launch; the kernel is asked once in a millisecond.
  uint64_t now = clock_ns();
  if (now - r->checked_ns > 1000000) {
    r->checked_ns = now;
    remote_check_death(r);
  }
  return r->has_died;
}

void remote_reap(struct gpu_device *d) {
  remote_check_death(REMOTE(d));
}

bool remote_where(struct gpu_device *d, struct remote_place *out) {
  struct remote *r = REMOTE(d);
  const struct remote_far *far = r->segment ? &r->segment->far : NULL;
  if (!r->command || !far || atomic_load(&far->is_asked) || !far->node[0] ||
      remote_has_lost_line(d))
    return false;
  memcpy(out->node, far->node, sizeof out->node);
  memcpy(out->job, far->job, sizeof out->job);
  out->left_s = far->ends_s ? far->ends_s - (int64_t)time(NULL) : -1;
  if (far->ends_s && out->left_s < 0)
    out->left_s = 0;
  return true;
}

bool remote_has_lost_line(struct gpu_device *d) {
  const struct remote *r = REMOTE(d);
  return r->command && r->has_died && !r->pid && !r->line;
}

void remote_leave_line(struct gpu_device *d) {
  if (REMOTE(d)->command)
    remote_end_line(REMOTE(d));
}

uint64_t remote_generation(struct gpu_device *d) {
  return REMOTE(d)->generation;
}

int remote_pid(struct gpu_device *d) {
  return REMOTE(d)->pid;
}

static int remote_count(struct err_info *e) {
  err_set(e, ERR_UNSUPPORTED, "a device server is started with remote_open");
  return 0;
}

static enum err remote_open_unnamed(int ordinal,
                                    const struct gpu_options *options,
                                    struct gpu_device **out,
                                    struct err_info *e) {
  (void)ordinal, (void)options;
  *out = NULL;
  remote_count(e);
  return ERR_UNSUPPORTED;
}

const struct gpu_backend gpu_remote_backend = {
    .name = "remote",
    .count = remote_count,
    .open = remote_open_unnamed,
    .close = remote_close,
    .info = remote_info,
    .mem_alloc = remote_mem_alloc,
    .mem_free = remote_mem_free,
    .copy_in = remote_copy_in,
    .copy_out = remote_copy_out,
    .copy_on = remote_copy_on,
    .host_register = remote_host_register,
    .host_map = remote_host_map,
    .mem_set = remote_mem_set,
    .array_create = remote_array_create,
    .array_destroy = remote_array_destroy,
    .array_copy = remote_array_copy,
    .texture_create = remote_texture_create,
    .texture_destroy = remote_texture_destroy,
    .surface_create = remote_surface_create,
    .surface_destroy = remote_surface_destroy,
    .module_load = remote_module_load,
    .module_unload = remote_module_unload,
    .function_get = remote_function_get,
    .variable_get = remote_variable_get,
    .function_set_max_shared = remote_function_set_max_shared,
    .launch = remote_launch,
    .cache_reset = remote_cache_reset,
    .product_start = remote_product_start,
    .product = remote_product,
    .stream_create = remote_stream_create,
    .stream_destroy = remote_stream_destroy,
    .event_create = remote_event_create,
    .event_destroy = remote_event_destroy,
    .event_record = remote_event_record,
    .event_poll = remote_event_poll,
    .event_elapsed = remote_event_elapsed,
    .stream_wait = remote_stream_wait,
    .graphs = &remote_graphs,
    .comms = &remote_comms,
    .poll = remote_poll,
    .findings = remote_findings,
    .counts = remote_counts,
    .hardware = remote_hardware,
    .work = remote_work,
    .placement = remote_placement,
    .requests = remote_requests,
    .cancel = remote_cancel,
    .debug_begin = remote_debug_begin,
    .debug_command = remote_debug_command,
    .debug_answer = remote_debug_answer,
    .debug_end = remote_debug_end,
};
