// SPDX-License-Identifier: Apache-2.0
// The near end of a line: a process that the program takes for its device server.
// It starts a command (srun, say), whose input and output lead to the far end, and
// carries across what the program puts into the ring, and what comes back.
//
// Theory of operation: three threads. The first starts the command, hears the
// program on the control socket (a server is to be killed, another to be started)
// and what the command has to say; when it ends, so does the command. The second
// takes the ring; the third what comes. What the program sees, the segment, is
// theirs under a lock that nobody holds while it reads or writes the line.
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "gpu/remote/line.h"
#include "gpu/remote/line_host.h"
#include "gpu/remote/remote.h"
#include "gpu/remote/ring.h"
#include "gpu/remote/server.h"

enum {
  CREDIT_BYTES = 1 << 20,  // of commands that the far server has not taken
  BATCH_BYTES = 128 << 10, // of commands in one write
  BLOCKED_NS = 500000,     // until what must wait is looked at again
  WAITING_NS = 200000000,  // for a turn: between looks at the ranked lane
  OVER_S = 10,             // so close to a job's end, that is why it ended
};

struct near {
  pthread_mutex_t lock;
  pthread_cond_t news; // is_open, or another server is to be started
  int socket, noise;   // noise: what the command prints beside the line
  pid_t command;
  char *arena;
  uint64_t arena_bytes;
  struct line wire,
      outbox; // `wire.in` is the third thread's, the rest the second's
  struct line_host *host;
  struct line_hello ours; // made once: it is made of all the program's bytes

  struct remote_segment *segment; // the program's
  struct remote_hello hello;      // of the server that it wants
  struct remote_segment *next;    // with `next_hello`; NULL: none
  struct remote_hello next_hello;
  bool is_open; // the far end has said who it is
  bool is_started, must_kill;
  uint64_t known_head;
  uint64_t sent_bytes, taken_bytes; // of commands, to this server
  uint32_t cancels_seen, paused_sent;
  bool is_blocked; // the ring's next command has to wait

  char said[400]; // the last line that the command printed
  size_t said_bytes;
  char early[4096]; // all of it, before the line was open
};

// ---- Ending ----

static void end_command(struct near *n) {
  if (n->command > 0)
    kill(n->command, SIGTERM);
}

// The program is told in its segment, where it asks, and by our end. Not called
// under the lock.
static void fail(struct near *n, enum err code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4), noreturn));
static void fail(struct near *n, enum err code, const char *fmt, ...) {
  char text[sizeof n->segment->far.why];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  pthread_mutex_lock(&n->lock);
  struct remote_segment *s = n->next ? n->next : n->segment;
  snprintf(s->far.why, sizeof s->far.why, "%s", text);
  if (atomic_load(&s->state) == REMOTE_STARTING) {
    err_set(&s->open_error, code, "%s", text);
    atomic_store(&s->state, REMOTE_FAILED);
  }
  end_command(n);
  bell_ring(client_bell(s));
  _exit(REMOTE_EXIT_LINE);
}

static void take_noise(struct near *n) {
  char text[2048];
  ssize_t got;
  while ((got = read(n->noise, text, sizeof text - 1)) > 0) {
    text[got] = 0;
    pthread_mutex_lock(&n->lock);
    for (ssize_t i = 0; i < got; i++) {
      if (text[i] == '\n' || n->said_bytes == sizeof n->said - 1) {
        n->said_bytes = 0;
        continue;
      }
      n->said[n->said_bytes++] = text[i];
      n->said[n->said_bytes] = 0;
    }
    size_t had = strlen(n->early);
    bool is_early = !n->is_open;
    if (is_early)
      snprintf(n->early + had, sizeof n->early - had, "%s", text);
    pthread_mutex_unlock(&n->lock);
    if (!is_early) {
      fwrite(text, 1, (size_t)got, stdout);
      fflush(stdout);
    }
  }
}

// How the command ended; it is given a while to, and to say why.
static void say_end(struct near *n, char *out, size_t bytes) {
  int status = 0, nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  dup2(nowhere, n->wire.out); // nobody hears us there: it is to end, too
  for (int i = 0; i < 300 && waitpid(n->command, &status, WNOHANG) == 0; i++)
    usleep(10000);
  take_noise(n);
  if (WIFSIGNALED(status))
    snprintf(out, bytes, "its command was killed by signal %d%s%s",
             WTERMSIG(status), n->said[0] ? ": " : "", n->said);
  else
    snprintf(out, bytes, "its command ended with exit status %d%s%s",
             WEXITSTATUS(status), n->said[0] ? ": " : "", n->said);
}

static void fail_line(struct near *n) __attribute__((noreturn));
static void fail_line(struct near *n) {
  char end[500] = "";
  const struct remote_far *far = &n->segment->far;
  bool is_odd = n->wire.odd[0];
  if (!is_odd)
    say_end(n, end, sizeof end);
  if (!n->is_open && is_odd)
    fail(n, ERR_PROTOCOL,
         "something prints where only the device server may: \"%s\"",
         n->wire.odd);
  if (!n->is_open)
    fail(n, ERR_NOT_READY, "there is no node: %s", n->said[0] ? n->said : end);
  if (far->ends_s && (int64_t)time(NULL) >= far->ends_s - OVER_S)
    fail(n, ERR_DEVICE_LOST, "the time of job %s on %s is over", far->job,
         far->node);
  fail(n, ERR_DEVICE_LOST, "the line to %s broke: %s%s%s%s%s", far->node,
       n->wire.wrong ? n->wire.wrong : "nothing can be sent",
       is_odd ? ": \"" : "; ", is_odd ? n->wire.odd : end, is_odd ? "\"" : "",
       "");
}

// ---- Starting ----

static int above_10(int fd) {
  int moved = fcntl(fd, F_DUPFD_CLOEXEC, 10);
  close(fd);
  return moved;
}

// Its ends lie above the files that the command gets.
static bool open_pipe(int ends[2]) {
  if (pipe2(ends, O_CLOEXEC))
    return false;
  ends[0] = above_10(ends[0]);
  ends[1] = above_10(ends[1]);
  return true;
}

// The command ends with us: it is sent SIGTERM, at which srun cancels its job.
static void be_command(char **argv, int in, int out, int noise, pid_t parent)
    __attribute__((noreturn));
static void be_command(char **argv, int in, int out, int noise, pid_t parent) {
  sigset_t none;
  sigemptyset(&none);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent)
    _exit(0);
  dup2(in, 0);
  dup2(out, 1);
  dup2(noise, 2);
  signal(SIGPIPE, SIG_DFL);
  sigprocmask(SIG_SETMASK, &none, NULL);
  execvp(argv[0], argv);
  dprintf(2, "%s cannot be started: %s\n", argv[0], strerror(errno));
  _exit(127);
}

static bool start_command(struct near *n, char **argv) {
  int in[2], out[2], noise[2];
  if (!open_pipe(in) || !open_pipe(out) || !open_pipe(noise))
    return false;
  pid_t us = getpid();
  n->command = fork();
  if (!n->command)
    be_command(argv, in[0], out[1], noise[1], us);
  close(in[0]);
  close(out[1]);
  close(noise[1]);
  n->wire.out = in[1];
  n->wire.in = out[0];
  n->noise = noise[0];
  fcntl(n->noise, F_SETFL, O_NONBLOCK);
  return n->command > 0;
}

// ---- To the far end ----

static void start_server(struct near *n) {
  if (n->next) {
    munmap(n->segment, sizeof *n->segment);
    n->segment = n->next;
    n->hello = n->next_hello;
    n->next = NULL;
  }
  n->known_head = n->sent_bytes = n->taken_bytes = 0;
  n->cancels_seen = n->paused_sent = 0;
  n->is_blocked = n->must_kill = false;
  n->is_started = true;
  line_host_clear(n->host);
  line_put(&n->outbox, LINE_START, 0, 0, &n->hello, sizeof n->hello);
}

// True when some were put.
static bool forward(struct near *n) {
  const struct remote_command *c;
  bool is_broken = false, has_moved = false;
  size_t batch = 0;
  n->is_blocked = false;
  while (batch < BATCH_BYTES &&
         (c = ring_next(n->segment, &n->known_head, &is_broken))) {
    n->is_blocked = n->sent_bytes + c->bytes > n->taken_bytes + CREDIT_BYTES ||
                    !line_host_prepare(n->host, &n->outbox, c);
    if (n->is_blocked)
      break;
    line_put(&n->outbox, LINE_COMMAND, 0, 0, c, c->bytes);
    n->sent_bytes += c->bytes;
    batch += c->bytes;
    ring_consume(n->segment, c);
    has_moved = true;
  }
  if (is_broken) {
    fputs("the command ring holds something that is no command\n", stdout);
    fflush(stdout);
    end_command(n);
    _exit(REMOTE_EXIT_PROTOCOL);
  }
  return has_moved;
}

static void forward_signs(struct near *n) {
  struct remote_segment *s = n->segment;
  uint32_t cancels = atomic_load(&s->cancels);
  uint32_t is_paused = atomic_load(&s->turn.is_paused);
  if (cancels != n->cancels_seen) {
    line_put(&n->outbox, LINE_CANCEL, 0, 0, NULL, 0);
    // What was queued before it, and has not gone yet, is to be stopped as well.
    if (ring_is_empty(s))
      n->cancels_seen = cancels;
  }
  if (is_paused != n->paused_sent)
    line_put(&n->outbox, LINE_PAUSE, is_paused, 0, NULL, 0);
  n->paused_sent = is_paused;
  if (n->must_kill)
    line_put(&n->outbox, LINE_KILL, 0, 0, NULL, 0);
  n->must_kill = false;
}

static bool has_news(void *context) {
  struct near *n = context;
  return (!n->is_blocked && !ring_is_empty(n->segment)) || n->must_kill ||
         n->next || n->outbox.small_bytes ||
         atomic_load(&n->segment->cancels) != n->cancels_seen;
}

static void sleep_near(struct near *n) {
  int64_t ns = (int64_t)LINE_PING_S * 1000000000;
  if (n->is_blocked)
    ns = BLOCKED_NS;
  else if (atomic_load(&n->segment->turn.is_waiting))
    ns = WAITING_NS;
  bell_sleep(server_bell(n->segment), has_news, n, ns);
}

static void *carry_there(void *context) {
  struct near *n = context;
  struct timespec now;
  time_t sent_at = 0;
  for (;;) {
    pthread_mutex_lock(&n->lock);
    while (!n->is_open)
      pthread_cond_wait(&n->news, &n->lock);
    if (n->next || !n->is_started)
      start_server(n);
    bool has_moved = forward(n);
    forward_signs(n);
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec - sent_at >= LINE_PING_S)
      line_put(&n->outbox, LINE_PING, 0, 0, NULL, 0);
    if (n->outbox.small_bytes)
      sent_at = now.tv_sec;
    line_move(&n->outbox, &n->wire);
    pthread_mutex_unlock(&n->lock);
    if (!line_send(&n->wire)) {
      usleep(500000); // the other thread reads what the far end said last
      fail_line(n);
    }
    if (!has_moved)
      sleep_near(n);
  }
}

// ---- From the far end ----

static void wrong(struct near *n, const char *why) {
  n->wire.wrong = why;
  fail_line(n);
}

static void take(struct near *n, const struct line_head *h, void *to,
                 size_t least, size_t most) {
  if (h->bytes < least || h->bytes > most)
    wrong(n, "a message has the wrong size");
  if (!line_take(&n->wire, h, to))
    fail_line(n);
}

static void take_hello(struct near *n, const struct line_head *h) {
  struct line_hello hello;
  struct err_info e;
  take(n, h, &hello, sizeof hello, sizeof hello);
  if (line_check_hello(&n->ours, &hello, &e))
    fail(n, ERR_PROTOCOL, "%s", e.text);
  hello.node[sizeof hello.node - 1] = hello.job[sizeof hello.job - 1] = 0;
  pthread_mutex_lock(&n->lock);
  struct remote_far *far = &n->segment->far;
  memcpy(far->node, hello.node, sizeof far->node);
  memcpy(far->job, hello.job, sizeof far->job);
  int64_t left_s = hello.left_s >= 0 ? hello.left_s : n->hello.limit_s;
  far->ends_s = left_s > 0 ? (int64_t)time(NULL) + left_s : 0;
  n->is_open = true;
  n->wire.is_patient = false;
  atomic_store(&far->is_asked, 0);
  pthread_cond_broadcast(&n->news);
  pthread_mutex_unlock(&n->lock);
  if (n->early[0]) {
    fputs(n->early, stdout);
    fflush(stdout);
  }
}

static void take_state(struct near *n, const struct line_head *h) {
  struct line_state state;
  take(n, h, &state, sizeof state, sizeof state);
  struct remote_segment *s = n->segment;
  state.gpu[sizeof state.gpu - 1] = 0;
  s->open_error = state.open_error;
  s->turn.is_shared = state.is_shared != 0;
  memcpy(s->turn.gpu, state.gpu, sizeof s->turn.gpu);
  if (state.state == REMOTE_READY || state.state == REMOTE_FAILED)
    atomic_store(&s->state, state.state);
}

static void take_turn(struct near *n, const struct line_head *h) {
  struct line_turn turn;
  take(n, h, &turn, sizeof turn, sizeof turn);
  struct remote_turn *to = &n->segment->turn;
  atomic_store(&to->is_ranked, turn.is_ranked);
  atomic_store(&to->place, turn.place);
  atomic_store(&to->waiting, turn.waiting);
  atomic_store(&to->wait_ms, turn.wait_ms);
  atomic_store(&to->is_waiting, turn.is_waiting);
}

static void take_answer(struct near *n, const struct line_head *h) {
  struct remote_slot *got = xcalloc(1, sizeof *got);
  take(n, h, got, offsetof(struct remote_slot, findings), sizeof *got);
  if (h->a >= REMOTE_SLOTS)
    wrong(n, "an answer is to no question");
  struct remote_slot *to = &n->segment->slots[h->a];
  uint64_t seq = atomic_load(&got->done);
  size_t room = offsetof(struct remote_slot, findings) +
                got->finding_count * sizeof *got->findings;
  if (got->finding_count > REMOTE_FINDINGS || room > h->bytes)
    got->finding_count = 0;
  pthread_mutex_lock(&n->lock);
  line_host_answered(n->host, seq, got->error, got->values[0]);
  memcpy(&to->error, &got->error,
         h->bytes - offsetof(struct remote_slot, error));
  atomic_store(&to->done, seq);
  pthread_mutex_unlock(&n->lock);
  free(got);
}

// Bytes that nobody waits for any more are read past.
static void take_data(struct near *n, const struct line_head *h) {
  uint64_t offset = h->a, seq = h->b;
  pthread_mutex_lock(&n->lock);
  bool is_ours = h->bytes && h->bytes <= n->arena_bytes &&
                 offset <= n->arena_bytes - h->bytes &&
                 line_host_expects(n->host, offset, h->bytes, seq);
  pthread_mutex_unlock(&n->lock);
  if (h->bytes > n->arena_bytes)
    wrong(n, "a message has the wrong size");
  char *to = is_ours ? n->arena + offset : xmalloc(h->bytes + 1);
  if (!line_take(&n->wire, h, to))
    fail_line(n);
  if (!is_ours)
    free(to);
  pthread_mutex_lock(&n->lock);
  line_host_settle(n->host, &n->outbox, offset, seq);
  pthread_mutex_unlock(&n->lock);
}

static void take_progress(struct near *n, const struct line_head *h) {
  pthread_mutex_lock(&n->lock);
  line_host_progress(n->host, &n->outbox, h->a);
  n->taken_bytes = h->b;
  atomic_store(&n->segment->done_seq, h->a);
  pthread_mutex_unlock(&n->lock);
}

static void take_print(struct near *n, const struct line_head *h) {
  char *text = xmalloc(LINE_SMALL_BYTES);
  take(n, h, text, 1, LINE_SMALL_BYTES);
  fwrite(text, 1, h->bytes, stdout);
  fflush(stdout);
  free(text);
}

static void take_gone(struct near *n, const struct line_head *h) {
  struct remote_far *far = &n->segment->far;
  char why[sizeof far->why] = "";
  take(n, h, why, 0, sizeof why - 1);
  pthread_mutex_lock(&n->lock);
  if (h->a == n->hello.generation) {
    memcpy(far->why, why, sizeof why);
    atomic_store(&far->is_gone, 1);
  }
  pthread_mutex_unlock(&n->lock);
}

static void take_message(struct near *n, const struct line_head *h) {
  switch (h->kind) {
  case LINE_HELLO: take_hello(n, h); break;
  case LINE_STATE: take_state(n, h); break;
  case LINE_ANSWER: take_answer(n, h); break;
  case LINE_DATA_OUT: take_data(n, h); break;
  case LINE_PROGRESS: take_progress(n, h); break;
  case LINE_PRINT: take_print(n, h); break;
  case LINE_TURN: take_turn(n, h); break;
  case LINE_GONE: take_gone(n, h); break;
  case LINE_PING: break;
  default: wrong(n, "a message goes the wrong way");
  }
}

static void *carry_back(void *context) {
  struct near *n = context;
  struct line_head h;
  while (line_next(&n->wire, &h)) {
    if (!n->is_open && h.kind != LINE_HELLO)
      wrong(n, "it does not begin with a hello");
    take_message(n, &h);
    // The program may look at its news, and what was blocked go on.
    pthread_mutex_lock(&n->lock);
    bell_ring(client_bell(n->segment));
    if (n->is_blocked || n->outbox.small_bytes)
      bell_ring(server_bell(n->segment));
    pthread_mutex_unlock(&n->lock);
  }
  fail_line(n);
}

// ---- The program ----

// It says 'K', or sends the hello of another server, or is gone.
static void hear_program(struct near *n) {
  struct remote_hello hello;
  int fds[REMOTE_FILE_COUNT];
  ssize_t got = server_receive(n->socket, &hello, fds);
  if (got <= 0) {
    end_command(n);
    _exit(0);
  }
  pthread_mutex_lock(&n->lock);
  if (fds[0] >= 0) {
    n->next = server_map(fds[0], sizeof *n->next);
    n->next_hello = hello;
    close(fds[1]);
    if (n->next)
      memcpy(&n->next->far, &n->segment->far,
             sizeof n->next->far); // where it is stays known
    if (n->next) {
      atomic_store(&n->next->far.is_gone, 0);
      n->next->far.why[0] = 0;
    }
  } else {
    n->must_kill = true;
  }
  bool is_open = n->is_open;
  bell_ring(server_bell(n->segment));
  pthread_mutex_unlock(&n->lock);
  if (!is_open)
    fail(n, ERR_CANCELLED, "the wait for a node was ended");
}

static int serve_program(struct near *n) {
  for (;;) {
    struct pollfd files[2] = {{n->socket, POLLIN, 0}, {n->noise, POLLIN, 0}};
    if (poll(files, n->noise < 0 ? 1 : 2, -1) < 0 && errno != EINTR)
      return REMOTE_EXIT_SYSTEM;
    if (files[0].revents)
      hear_program(n);
    if (n->noise >= 0 && files[1].revents) {
      take_noise(n);
      if (!(files[1].revents & POLLIN))
        n->noise = -1; // closed: the third thread hears of the end
    }
  }
}

static bool start_threads(struct near *n) {
  pthread_t there, back;
  return !pthread_create(&there, NULL, carry_there, n) &&
         !pthread_create(&back, NULL, carry_back, n);
}

int remote_serve_line(int fd, char **command) {
  struct near *n = xcalloc(1, sizeof *n);
  int fds[REMOTE_FILE_COUNT];
  confine_start(fd);
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  signal(SIGPIPE, SIG_IGN);
  if (!server_hear_hello(fd, &n->hello, fds))
    return REMOTE_EXIT_PROTOCOL;
  n->socket = fd;
  n->segment = server_map(fds[0], sizeof *n->segment);
  n->arena = server_map(fds[1], n->hello.arena_bytes);
  n->arena_bytes = n->hello.arena_bytes;
  if (!n->segment || !n->arena) {
    fputs("cannot map the memory shared with the program\n", stderr);
    return REMOTE_EXIT_SYSTEM;
  }
  n->wire.is_patient = true; // there may be no node for hours
  n->host = line_host_new(n->arena);
  pthread_mutex_init(&n->lock, NULL);
  pthread_cond_init(&n->news, NULL);
  atomic_store(&n->segment->far.is_asked, 1);
  line_introduce(&n->ours);
  if (!start_command(n, command)) {
    fprintf(stderr, "%s cannot be started: %s\n", command[0], strerror(errno));
    return REMOTE_EXIT_SYSTEM;
  }
  line_put(&n->wire, LINE_HELLO, 0, 0, &n->ours, sizeof n->ours);
  if (!line_send(&n->wire) || !start_threads(n))
    fail_line(n);
  return serve_program(n);
}
