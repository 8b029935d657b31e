// SPDX-License-Identifier: Apache-2.0
// The far end of a line: a process that a device server takes for its program. It
// speaks over its standard input and output, starts the server beside itself as
// any program does, and ends it with the line.
//
// Theory of operation: the first thread reads messages, puts commands into the
// server's ring and array bytes into the arena; the second starts and ends the
// server and sends what comes of it. That a server here hangs or dies costs the
// server alone: the line stays, and with it the job that this runs in.
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "gpu/remote/arena.h"
#include "gpu/remote/client.h"
#include "gpu/remote/line.h"
#include "gpu/remote/process.h"
#include "gpu/remote/remote.h"
#include "gpu/remote/ring.h"

#define PING_NS ((uint64_t)LINE_PING_S * 1000000000)

enum {
  PRINT_BYTES = 64 << 10, // at most, in one message
  REPORT_BYTES =
      64 << 10,      // of commands taken, after which the near end hears it
  BUSY_NS = 1000000, // between looks while there is work
  IDLE_NS = 500000000,
};

struct far {
  pthread_mutex_t lock;
  pthread_cond_t done; // the second thread has done what the first asked for
  struct line wire, outbox;
  const char *program;
  struct arena *arena;
  char *base;            // of its memory
  struct remote *server; // NULL: none
  unsigned char mark[LINE_MARK_BYTES];

  enum { ASK_NOTHING, ASK_START, ASK_KILL } asked;
  struct remote_hello hello; // of what is to be started

  uint64_t got_bytes, told_bytes, told_seq; // of commands; of what was told
  uint64_t sent_ns;                         // when something was last sent
  uint64_t last_seq;                        // of the last command
  uint64_t asked_seqs[REMOTE_SLOTS];        // 0: that slot is not asked
  gpu_handle waits[REMOTE_SLOTS];           // what those of a WAIT wait for
  bool is_wait[REMOTE_SLOTS];
  _Atomic uint32_t has_commands; // since the second thread looked
  uint32_t state_told;
  struct line_turn turn_told;
  struct line_expected *expected;
  size_t expected_count, expected_room;
};

static struct remote_segment *segment(struct far *f) {
  return f->server ? f->server->segment : NULL;
}

static void fail(const char *what) __attribute__((noreturn));
static void fail(const char *what) {
  fprintf(stderr, "warpshop-device: %s\n", what);
  _exit(REMOTE_EXIT_LINE);
}

// ---- What the device writes ----

static bool has_come(const struct far *f, const struct line_expected *x) {
  return x->how == LINE_ALWAYS ||
         memcmp(f->base + x->offset, f->mark, sizeof f->mark) != 0;
}

static void expect(struct far *f, const struct line_expected *x) {
  for (size_t i = 0; x->is_map && i < f->expected_count; i++)
    if (f->expected[i].is_map && f->expected[i].offset == x->offset) {
      f->expected[i] = *x;
      return;
    }
  if (x->how == LINE_MARKED)
    memcpy(f->base + x->offset, f->mark, sizeof f->mark);
  if (f->expected_count == f->expected_room) {
    f->expected_room = f->expected_room ? 2 * f->expected_room : 16;
    f->expected = xrealloc(f->expected, f->expected_room * sizeof *f->expected);
  }
  f->expected[f->expected_count++] = *x;
}

// Sends back what is known to be done: all up to `done_seq`, what a wait for its
// stream covered, what a round trip wrote itself.
static void settle(struct far *f, uint64_t done_seq, gpu_handle stream,
                   uint64_t stream_seq, uint64_t call_seq) {
  size_t kept = 0;
  for (size_t i = 0; i < f->expected_count; i++) {
    struct line_expected *x = &f->expected[i];
    bool is_covered = x->stream == stream && x->seq < stream_seq && !x->is_map;
    if (x->seq > done_seq && !is_covered && x->seq != call_seq) {
      f->expected[kept++] = *x;
      continue;
    }
    line_put(&f->outbox, LINE_DATA_OUT, x->offset, x->seq, f->base + x->offset,
             has_come(f, x) ? x->bytes : 0);
  }
  f->expected_count = kept;
}

// ---- What comes of the server ----

static void on_print(void *context, const char *text, size_t bytes) {
  struct far *f = context;
  for (size_t at = 0; at < bytes; at += PRINT_BYTES)
    line_put(&f->outbox, LINE_PRINT, 0, 0, text + at,
             bytes - at < PRINT_BYTES ? bytes - at : PRINT_BYTES);
}

static void tell_state(struct far *f) {
  struct remote_segment *s = segment(f);
  uint32_t state = atomic_load(&s->state);
  if (state == f->state_told || state == REMOTE_STARTING)
    return;
  f->state_told = state;
  struct line_state message = {.state = state,
                               .is_shared = s->turn.is_shared,
                               .open_error = s->open_error};
  memcpy(message.gpu, s->turn.gpu, sizeof message.gpu);
  line_put(&f->outbox, LINE_STATE, 0, 0, &message, sizeof message);
}

static void tell_turn(struct far *f) {
  struct remote_turn *t = &segment(f)->turn;
  struct line_turn now = {.is_waiting = atomic_load(&t->is_waiting),
                          .is_ranked = atomic_load(&t->is_ranked),
                          .place = atomic_load(&t->place),
                          .waiting = atomic_load(&t->waiting),
                          .wait_ms = atomic_load(&t->wait_ms)};
  if (!memcmp(&now, &f->turn_told, sizeof now) ||
      (!now.is_waiting && !f->turn_told.is_waiting))
    return;
  f->turn_told = now;
  line_put(&f->outbox, LINE_TURN, 0, 0, &now, sizeof now);
}

static bool tell_progress(struct far *f, bool at_once) {
  struct remote_segment *s = segment(f);
  uint64_t done = atomic_load(&s->done_seq);
  // What lies in the ring has not been taken; padding counts, too.
  uint64_t taken =
      f->got_bytes - (atomic_load(&s->head) - atomic_load(&s->tail));
  if (taken > f->got_bytes) // more padding than commands
    taken = f->told_bytes;
  if (done == f->told_seq && taken - f->told_bytes < REPORT_BYTES && !at_once)
    return false;
  settle(f, done, 0, 0, 0);
  line_put(&f->outbox, LINE_PROGRESS, done, taken, NULL, 0);
  f->told_seq = done;
  f->told_bytes = taken;
  return true;
}

static bool is_answered(const struct far *f, unsigned i) {
  return f->asked_seqs[i] &&
         atomic_load(&f->server->segment->slots[i].done) == f->asked_seqs[i];
}

static void tell_answer(struct far *f, unsigned i) {
  const struct remote_slot *slot = &segment(f)->slots[i];
  uint64_t seq = f->asked_seqs[i];
  size_t findings = slot->finding_count < REMOTE_FINDINGS ? slot->finding_count
                                                          : REMOTE_FINDINGS;
  f->asked_seqs[i] = 0;
  remote_drain(f->server);
  tell_progress(f, true);
  settle(f, 0, f->is_wait[i] ? f->waits[i] : GPU_ALL_STREAMS,
         f->is_wait[i] ? seq : 0, seq);
  line_put(&f->outbox, LINE_ANSWER, i, 0, slot,
           offsetof(struct remote_slot, findings) +
               findings * sizeof *slot->findings);
}

// A wait whose work was polled as well leaves the failure in the poll's answer
// (take_polled), which must not come after its own. So the wait is looked at first
// and told last: what was answered before it is seen, and told, before it.
static bool tell_answers(struct far *f) {
  bool is_to_tell[REMOTE_SLOTS], had_some = false;
  for (unsigned i = 0; i < REMOTE_SLOTS; i++)
    is_to_tell[i] = is_answered(f, i);
  for (unsigned i = REMOTE_SLOTS; i-- > 0;)
    if (is_to_tell[i]) {
      tell_answer(f, i);
      had_some = true;
    }
  return had_some;
}

static void tell_gone(struct far *f) {
  const char *why = f->server->reason;
  line_put(&f->outbox, LINE_GONE, f->hello.generation, 0, why, strlen(why));
}

// True when there was something.
static bool look(struct far *f) {
  if (!f->server)
    return false;
  bool had_some = remote_drain(f->server);
  bool is_dead = remote_check_death(f->server);
  tell_state(f);
  tell_turn(f);
  had_some |= tell_answers(f);
  had_some |= tell_progress(f, false);
  if (!is_dead)
    return had_some;
  tell_gone(f);
  remote_free(f->server);
  f->server = NULL;
  return true;
}

// ---- Its server ----

static void end_server(struct far *f) {
  if (f->server) {
    remote_drain(f->server);
    remote_kill(f->server, "it was ended");
    tell_gone(f);
    remote_free(f->server);
  } else if (f->asked == ASK_KILL) {
    line_put(&f->outbox, LINE_GONE, f->hello.generation, 0, "it was ended", 12);
  }
  f->server = NULL;
  f->expected_count = 0;
}

static void start_server(struct far *f) {
  struct err_info e = {0};
  const struct remote_hello *h = &f->hello;
  struct remote_options options = {
      .program = f->program,
      .device = h->device,
      .gpu = {.print = on_print,
              .context = f,
              .memory_bytes = h->memory_bytes,
              .schedule_seed = h->schedule_seed,
              .multiprocessors = h->multiprocessors,
              .capability = h->capability,
              .counts_hardware = h->counts_hardware},
      .idle_s = 1e9, // the job is ours until its end
  };
  enum err err = ERR_OK;
  if (!f->arena) {
    err = arena_new_mirror(h->arena_bytes, &f->arena, &e);
    if (!err)
      f->base = arena_base(f->arena);
  } else {
    arena_forget(f->arena, 0, h->arena_bytes);
  }
  options.arena = f->arena;
  struct remote *r = err ? NULL : remote_new(&options);
  if (r) {
    r->seq = h->first_seq;
    r->starts = h->generation - 1; // what its handles carry
    err = remote_spawn(r, &e);
  }
  f->got_bytes = f->told_bytes = 0;
  f->told_seq = f->last_seq = h->first_seq;
  f->state_told = REMOTE_STARTING;
  memset(f->asked_seqs, 0, sizeof f->asked_seqs);
  memset(&f->turn_told, 0, sizeof f->turn_told);
  f->server = err ? NULL : r;
  if (!err)
    return;
  if (r)
    remote_free(r);
  struct line_state failed = {.state = REMOTE_FAILED, .open_error = e};
  line_put(&f->outbox, LINE_STATE, 0, 0, &failed, sizeof failed);
}

// ---- The second thread ----

static bool has_news(void *context) {
  struct far *f = context;
  for (unsigned i = 0; i < REMOTE_SLOTS; i++)
    if (is_answered(f, i))
      return true;
  return f->asked != ASK_NOTHING || atomic_load(&f->has_commands) ||
         atomic_load(&f->server->segment->state) != f->state_told;
}

static bool is_busy(struct far *f) {
  return f->expected_count || f->told_seq < f->last_seq ||
         f->told_bytes < f->got_bytes ||
         atomic_load(&segment(f)->turn.is_waiting);
}

static void rest(struct far *f) {
  pthread_mutex_lock(&f->lock);
  if (!f->server) {
    // The first thread wakes us when there is to be one.
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    if (f->asked == ASK_NOTHING)
      pthread_cond_timedwait(&f->done, &f->lock, &until);
    pthread_mutex_unlock(&f->lock);
    return;
  }
  struct bell bell = client_bell(segment(f));
  int64_t ns = is_busy(f) ? BUSY_NS : IDLE_NS;
  pthread_mutex_unlock(&f->lock);
  bell_sleep(bell, has_news, f, ns);
}

static void ping(struct far *f) {
  uint64_t now = clock_ns();
  if (!f->outbox.small_bytes && now - f->sent_ns > PING_NS)
    line_put(&f->outbox, LINE_PING, 0, 0, NULL, 0);
  if (f->outbox.small_bytes)
    f->sent_ns = now;
}

static void *carry_back(void *context) {
  struct far *f = context;
  for (;;) {
    pthread_mutex_lock(&f->lock);
    if (f->asked != ASK_NOTHING) {
      end_server(f);
      if (f->asked == ASK_START)
        start_server(f);
      f->asked = ASK_NOTHING;
      pthread_cond_broadcast(&f->done);
    }
    atomic_store(&f->has_commands, 0);
    bool had_some = look(f);
    ping(f);
    line_move(&f->outbox, &f->wire);
    pthread_mutex_unlock(&f->lock);
    if (!line_send(&f->wire))
      _exit(0); // the program is gone, and the server goes with us
    if (!had_some)
      rest(f);
  }
}

// ---- The first thread ----

static void take(struct far *f, const struct line_head *h, void *to,
                 size_t bytes) {
  if (h->bytes != bytes || !line_take(&f->wire, h, to))
    fail("a message came torn");
}

// Has the second thread do it, and waits until it is done.
static void ask(struct far *f, int what) {
  pthread_mutex_lock(&f->lock);
  f->asked = what;
  pthread_cond_broadcast(&f->done);
  if (f->server)
    bell_ring(client_bell(segment(f)));
  while (f->asked != ASK_NOTHING)
    pthread_cond_wait(&f->done, &f->lock);
  pthread_mutex_unlock(&f->lock);
}

static void note_command(struct far *f, const struct remote_command *c) {
  f->got_bytes += c->bytes;
  f->last_seq = c->seq;
  if (c->slot >= REMOTE_SLOTS)
    return;
  f->asked_seqs[c->slot] = c->seq;
  f->is_wait[c->slot] = c->op == REMOTE_OP_WAIT;
  f->waits[c->slot] = c->args[0];
}

static void take_command(struct far *f, const struct line_head *h) {
  static const size_t least = sizeof(struct remote_command);
  if (h->bytes < least || h->bytes > REMOTE_MAX_RECORD || h->bytes % 16)
    fail("a command has the wrong size");
  struct remote_command *c = xmalloc(h->bytes);
  take(f, h, c, h->bytes);
  if (c->bytes != h->bytes)
    fail("a command has the wrong size");
  pthread_mutex_lock(&f->lock);
  // A server that died leaves its commands behind.
  if (f->server && f->server->pid) {
    void *to = ring_reserve(segment(f), &f->server->tail, c->bytes);
    if (!to) // the near end sends no more than there is room for
      fail("a command came too early");
    memcpy(to, c, c->bytes);
    note_command(f, c);
    ring_publish(segment(f), c->bytes);
    bell_ring(server_bell(segment(f)));
    atomic_store(&f->has_commands, 1);
    bell_ring(client_bell(segment(f)));
  }
  pthread_mutex_unlock(&f->lock);
  free(c);
}

static void check_range(const struct far *f, uint64_t offset, uint64_t bytes) {
  uint64_t all = f->arena ? arena_size(f->arena) : 0;
  if (offset > all || bytes > all - offset)
    fail("bytes are not in the arena");
}

static void take_data(struct far *f, const struct line_head *h) {
  struct err_info e;
  check_range(f, h->a, h->bytes);
  if (arena_claim(f->arena, h->a, h->bytes, &e))
    fail(e.text);
  take(f, h, f->base + h->a, h->bytes);
}

static void take_expected(struct far *f, const struct line_head *h) {
  struct line_expected x;
  struct err_info e;
  take(f, h, &x, sizeof x);
  check_range(f, x.offset, x.bytes);
  if (x.how != LINE_ALWAYS && x.bytes < LINE_MARK_BYTES)
    fail("so few bytes bear no mark");
  if (arena_claim(f->arena, x.offset, x.bytes, &e))
    fail(e.text);
  pthread_mutex_lock(&f->lock);
  if (f->server)
    expect(f, &x);
  pthread_mutex_unlock(&f->lock);
}

static void take_sign(struct far *f, const struct line_head *h) {
  pthread_mutex_lock(&f->lock);
  struct remote_segment *s = segment(f);
  if (s && h->kind == LINE_CANCEL) {
    atomic_fetch_add(&s->cancels, 1);
    bell_ring(server_bell(s));
  } else if (s && h->kind == LINE_PAUSE) {
    atomic_store(&s->turn.is_paused, h->a != 0);
  }
  pthread_mutex_unlock(&f->lock);
}

static void take_message(struct far *f, const struct line_head *h) {
  switch (h->kind) {
  case LINE_START:
    take(f, h, &f->hello, sizeof f->hello);
    f->hello.device[sizeof f->hello.device - 1] = 0;
    ask(f, ASK_START);
    break;
  case LINE_KILL: ask(f, ASK_KILL); break;
  case LINE_COMMAND: take_command(f, h); break;
  case LINE_DATA_IN: take_data(f, h); break;
  case LINE_EXPECT: take_expected(f, h); break;
  case LINE_FORGET:
    check_range(f, h->a, h->b);
    arena_forget(f->arena, h->a, h->b);
    break;
  case LINE_CANCEL:
  case LINE_PAUSE: take_sign(f, h); break;
  case LINE_PING: break;
  default: fail("a message goes the wrong way");
  }
}

// ---- Start ----

// Whatever else is printed here goes to standard error.
static void take_streams(struct line *l) {
  l->in = fcntl(0, F_DUPFD_CLOEXEC, 10);
  l->out = fcntl(1, F_DUPFD_CLOEXEC, 10);
  int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(nothing, 0);
  dup2(2, 1);
}

static void introduce(struct line_hello *h) {
  const char *job = getenv("SLURM_JOB_ID"), *end = getenv("SLURM_JOB_END_TIME");
  line_introduce(h);
  gethostname(h->node, sizeof h->node - 1);
  if (job)
    snprintf(h->job, sizeof h->job, "%s", job);
  if (end && atoll(end) > 0) {
    h->left_s = atoll(end) - (long long)time(NULL);
    h->left_s = h->left_s < 0 ? 0 : h->left_s;
  }
}

static void greet(struct far *f) {
  struct line_hello ours, theirs;
  struct line_head h;
  struct err_info e;
  introduce(&ours);
  line_put(&f->wire, LINE_HELLO, 0, 0, &ours, sizeof ours);
  if (!line_send(&f->wire) || !line_next(&f->wire, &h) || h.kind != LINE_HELLO)
    fail("nobody speaks to it: `warpshop --device slurm:...` starts it");
  take(f, &h, &theirs, sizeof theirs);
  if (line_check_hello(&ours, &theirs, &e)) // the near end says so
    _exit(REMOTE_EXIT_PROTOCOL);
}

int remote_serve_stdio(const char *program) {
  struct far *f = xcalloc(1, sizeof *f);
  struct line_head h;
  pthread_t thread;
  signal(SIGPIPE, SIG_IGN);
  take_streams(&f->wire);
  f->program = program;
  pthread_mutex_init(&f->lock, NULL);
  pthread_cond_init(&f->done, NULL);
  if (getrandom(f->mark, sizeof f->mark, 0) != sizeof f->mark)
    fail("there are no random numbers");
  greet(f);
  if (pthread_create(&thread, NULL, carry_back, f))
    fail("cannot start a thread");
  while (line_next(&f->wire, &h))
    take_message(f, &h);
  if (f->wire.wrong && strcmp(f->wire.wrong, "it ended") != 0)
    fprintf(stderr, "warpshop-device: the line: %s\n", f->wire.wrong);
  _exit(0);
}
