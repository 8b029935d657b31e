// SPDX-License-Identifier: Apache-2.0
// The worker as the device sees it. One thread gives it texts and takes objects; the
// threads that run blocks never wait for it, but where a test asks for that. Where its
// keeper is gone, or gave it up, the interpreter goes on.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sodium.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/process.h"
#include "gpu/vgpu/tier/tier_kernel.h"
#include "gpu/vgpu/tier/tier_wire.h"

enum { WORKER_FD = 3 };

void tier_kernel_drop(struct vg_tier_kernel *k) {
  if (atomic_fetch_sub(&k->users, 1) > 1)
    return;
  tier_object_free(&k->code);
  free(k->text);
  free(k);
}

// ---- Answers ----

static void lose(struct vg_tier *t, const char *why) {
  snprintf(t->why, sizeof t->why, "%s", why);
  atomic_store(&t->is_lost, true);
}

static void refuse(struct vg_tier_kernel *k, const char *why) {
  snprintf(k->why, sizeof k->why, "%.190s", why);
  atomic_store(&k->state, TIER_IS_REFUSED);
}

static void take_object(struct vg_tier_kernel *k, const struct tier_head *h,
                        const char *bytes) {
  struct err_info e = {0};
  if (h->word != TIER_OBJECT)
    refuse(k, h->word == TIER_FAILED || h->word == TIER_LACKS
                  ? bytes
                  : "the worker speaks nonsense");
  else if (tier_object_load(bytes, h->bytes, &k->code, &e))
    refuse(k, e.text);
  else
    atomic_store(&k->state, TIER_RUNS);
}

// Both a question and its answer.
static bool ask(struct vg_tier *t, uint32_t word, const void *asked,
                size_t count, struct tier_head *h, char **bytes) {
  free(*bytes);
  *bytes = NULL;
  return tier_say(t->fd, word, asked, count) && tier_hear(t->fd, h, bytes);
}

// The text is sent only where nothing is kept under its digest.
static bool find_or_compile(struct vg_tier *t, const struct vg_tier_kernel *k,
                            struct tier_head *h, char **bytes) {
  return ask(t, TIER_FIND, k->digest, sizeof k->digest, h, bytes) &&
         (h->word != TIER_NONE ||
          ask(t, TIER_COMPILE, k->text, k->text_bytes, h, bytes));
}

static void compile(struct vg_tier *t, struct vg_tier_kernel *k) {
  struct tier_head h;
  char *bytes = NULL;
  uint64_t start = clock_ns();
  if (atomic_load(&t->is_lost)) {
    refuse(k, t->why);
  } else if (find_or_compile(t, k, &h, &bytes)) {
    k->compile_ns = clock_ns() - start;
    if (h.word == TIER_LACKS)
      lose(t, bytes);
    take_object(k, &h, bytes);
  } else {
    lose(t, "the compiler's process is gone");
    refuse(k, t->why);
  }
  free(bytes);
}

static void *run(void *arg) {
  struct vg_tier *t = arg;
  pthread_mutex_lock(&t->lock);
  while (!t->is_closing) {
    struct vg_tier_kernel *k = t->first;
    if (!k) {
      pthread_cond_wait(&t->asked, &t->lock);
      continue;
    }
    t->first = k->after;
    pthread_mutex_unlock(&t->lock);
    compile(t, k);
    pthread_mutex_lock(&t->lock);
    pthread_cond_broadcast(&t->answered);
    tier_kernel_drop(k);
  }
  pthread_mutex_unlock(&t->lock);
  return NULL;
}

// ---- Questions ----

void tier_ask(struct vg_tier *t, struct vg_tier_kernel *k) {
  pthread_mutex_lock(&t->lock);
  atomic_fetch_add(&k->users, 1);
  k->after = NULL;
  if (t->first)
    t->last->after = k;
  else
    t->first = k;
  t->last = k;
  pthread_cond_signal(&t->asked);
  while (t->waits && atomic_load(&k->state) == TIER_ASKED)
    pthread_cond_wait(&t->answered, &t->lock);
  pthread_mutex_unlock(&t->lock);
}

void tier_know(struct vg_tier *t, struct vg_tier_kernel *k) {
  atomic_fetch_add(&k->users, 1);
  pthread_mutex_lock(&t->lock);
  struct vg_tier_kernel *oldest = t->known[TIER_KNOWN - 1];
  memmove(t->known + 1, t->known, sizeof t->known - sizeof *t->known);
  t->known[0] = k;
  pthread_mutex_unlock(&t->lock);
  if (oldest)
    tier_kernel_drop(oldest);
}

static void tell_one(const struct vg_tier_kernel *k, struct str *out) {
  int state = atomic_load(&k->state);
  str_addf(out, "  %s in blocks of %u", k->name, k->shape[0]);
  for (int n = 1; n < 3 && (k->shape[1] > 1 || k->shape[2] > 1); n++)
    if (n == 1 || k->shape[2] > 1)
      str_addf(out, " x %u", k->shape[n]);
  if (k->is_checked)
    str_add(out, ", checked");
  unsigned rests = atomic_load(&k->rests);
  if (state == TIER_RUNS && rests)
    str_addf(out,
             ": is interpreted: a launch did what only the interpreter does; "
             "runs compiled again after %u launch%s without a finding\n",
             rests, rests > 1 ? "es" : "");
  else if (state == TIER_RUNS && k->is_checked && !atomic_load(&k->finished))
    str_add(out, ": is compiled, and no launch has run so yet\n");
  else if (state == TIER_RUNS)
    str_addf(out, ": runs compiled (in %u ms)\n",
             (unsigned)(k->compile_ns / 1000000));
  else if (state == TIER_IS_REFUSED)
    str_addf(out, ": is interpreted: %s\n", k->why);
  else
    str_add(out, ": is being compiled\n");
}

void vg_tier_tell(struct vg_tier *t, struct str *out) {
  if (!t)
    return;
  pthread_mutex_lock(&t->lock);
  if (atomic_load(&t->is_lost))
    str_addf(out, "  No kernel is compiled: %s\n", t->why);
  else if (!t->known[0])
    str_add(out, "  No kernel has run for long enough to be compiled\n");
  for (int n = 0; n < TIER_KNOWN && t->known[n]; n++)
    tell_one(t->known[n], out);
  pthread_mutex_unlock(&t->lock);
}

// ---- Its life ----

static int set_up_files(posix_spawn_file_actions_t *a, int socket) {
  int rc = posix_spawn_file_actions_init(a);
  if (!rc)
    rc = posix_spawn_file_actions_addopen(a, 0, "/dev/null", O_RDONLY, 0);
  if (!rc)
    rc = posix_spawn_file_actions_addopen(a, 1, "/dev/null", O_WRONLY, 0);
  if (!rc)
    rc = posix_spawn_file_actions_addopen(a, 2, "/dev/null", O_WRONLY, 0);
  if (!rc)
    rc = posix_spawn_file_actions_adddup2(a, socket, WORKER_FD);
  if (!rc)
    rc = posix_spawn_file_actions_addclosefrom_np(a, WORKER_FD + 1);
  return rc;
}

static void fill_environment(char *out[3]) {
  static const char *const names[] = {"HOME", "XDG_CACHE_HOME"};
  int count = 0;
  for (size_t n = 0; n < sizeof names / sizeof *names; n++)
    if (getenv(names[n]))
      out[count++] = xasprintf("%s=%s", names[n], getenv(names[n]));
}

static int spawn(pid_t *pid, const char *program, int socket) {
  char *argv[] = {(char *)program, (char *)"--tier", (char *)"3", NULL};
  char *environment[3] = {NULL}; // by which its cache is found
  fill_environment(environment);
  posix_spawn_file_actions_t files;
  posix_spawnattr_t how;
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  int rc = set_up_files(&files, socket);
  posix_spawnattr_init(&how);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP |
                                     POSIX_SPAWN_SETSIGMASK |
                                     POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setsigmask(&how, &none);
  posix_spawnattr_setsigdefault(&how, &all);
  if (!rc)
    rc = posix_spawn(pid, program, &files, &how, argv, environment);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&how);
  free(environment[0]);
  free(environment[1]);
  return rc;
}

static bool start(struct vg_tier *t) {
  int pair[2];
  char *program = file_device_program();
  if (!program || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
    free(program);
    return false;
  }
  int theirs = fcntl(pair[1], F_DUPFD_CLOEXEC, WORKER_FD + 1);
  close(pair[1]);
  int rc = spawn(&t->pid, program, theirs);
  close(theirs);
  free(program);
  t->fd = pair[0];
  if (rc)
    t->pid = 0;
  return !rc;
}

struct vg_tier *vg_tier_new(void) {
  const char *asked = getenv("WARPSHOP_TIER");
  if (!asked || !*asked || !strcmp(asked, "0"))
    return NULL;
  struct vg_tier *t = xcalloc(1, sizeof *t);
  t->waits = !strcmp(asked, "always");
  const char *after = getenv("WARPSHOP_TIER_AFTER");
  t->after = after ? strtoull(after, NULL, 10) : 0;
  const char *cpu = getenv("WARPSHOP_TIER_CPU");
  if (cpu &&
      strspn(cpu, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(cpu))
    snprintf(t->cpu, sizeof t->cpu, "%s", cpu);
  t->fd = -1;
  pthread_mutex_init(&t->lock, NULL);
  pthread_cond_init(&t->asked, NULL);
  pthread_cond_init(&t->answered, NULL);
  // It finds the fastest way to make digests here.
  if (sodium_init() < 0 || !start(t))
    lose(t, "its compiler cannot be started");
  else
    t->has_thread = !pthread_create(&t->thread, NULL, run, t);
  if (!t->has_thread && !atomic_load(&t->is_lost))
    lose(t, "no thread");
  return t;
}

void vg_tier_free(struct vg_tier *t) {
  if (!t)
    return;
  pthread_mutex_lock(&t->lock);
  t->is_closing = true;
  pthread_cond_signal(&t->asked);
  pthread_mutex_unlock(&t->lock);
  if (t->fd >= 0)
    shutdown(t->fd, SHUT_RDWR); // who reads from it goes on
  if (t->has_thread)
    pthread_join(t->thread, NULL);
  while (t->first) {
    struct vg_tier_kernel *k = t->first;
    t->first = k->after;
    tier_kernel_drop(k);
  }
  for (int n = 0; n < TIER_KNOWN && t->known[n]; n++)
    tier_kernel_drop(t->known[n]);
  if (t->fd >= 0)
    close(t->fd);
  if (t->pid > 0)
    process_wait(t->pid);
  pthread_mutex_destroy(&t->lock);
  pthread_cond_destroy(&t->asked);
  pthread_cond_destroy(&t->answered);
  free(t);
}
