// SPDX-License-Identifier: Apache-2.0
// The process between the device's and the worker: it starts the worker, and starts it
// again when it dies, which the device's process could not, since it gave up starting
// programs. It takes each request whole and hands it on, so that one in the middle of
// which a worker dies is asked once more, and the device hears a whole answer.
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpu/vgpu/tier/tier.h"
#include "gpu/vgpu/tier/tier_wire.h"

// Workers that may die one after the other without an answer.
enum { MOST_DEATHS = 3 };

struct keeper {
  int fd;     // to the device
  int worker; // to the worker, or -1
  pid_t pid;
  int deaths;
};

static void stop(struct keeper *k) {
  if (k->worker < 0)
    return;
  close(k->worker);
  k->worker = -1;
  kill(k->pid, SIGKILL);
  waitpid(k->pid, NULL, 0);
}

// A worker, and what it says first; false where none can be.
static bool start(struct keeper *k, struct tier_head *h, char **bytes) {
  int ends[2];
  *bytes = NULL;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
    return false;
  k->pid = fork();
  if (k->pid == 0) {
    close(k->fd);
    close(ends[0]);
    _exit(tier_work(ends[1]));
  }
  close(ends[1]);
  k->worker = ends[0];
  if (k->pid > 0 && tier_hear(k->worker, h, bytes))
    return true;
  if (k->pid < 0) {
    close(ends[0]);
    k->worker = -1;
  }
  stop(k);
  return false;
}

static bool start_again(struct keeper *k) {
  struct tier_head h;
  char *bytes;
  bool is_ready = start(k, &h, &bytes) && h.word == TIER_READY;
  free(bytes);
  return is_ready;
}

// Asks the worker; false where it died of it, or before.
static bool ask(struct keeper *k, const struct tier_head *h, const char *text,
                struct tier_head *answer, char **bytes) {
  *bytes = NULL;
  if (k->worker >= 0 && tier_say(k->worker, h->word, text, h->bytes) &&
      tier_hear(k->worker, answer, bytes)) {
    k->deaths = 0;
    return true;
  }
  free(*bytes);
  *bytes = NULL;
  k->deaths++;
  stop(k);
  return false;
}

// False: the device is gone, or no worker stays.
static bool serve_one(struct keeper *k, const struct tier_head *h,
                      const char *text) {
  struct tier_head answer;
  char *bytes;
  bool is_answered = ask(k, h, text, &answer, &bytes);
  while (!is_answered && k->deaths < MOST_DEATHS) {
    start_again(k);
    is_answered = ask(k, h, text, &answer, &bytes);
  }
  bool goes_on =
      is_answered && tier_say(k->fd, answer.word, bytes, answer.bytes);
  free(bytes);
  return goes_on;
}

static int keep(struct keeper *k) {
  struct tier_head h;
  char *bytes;
  bool is_there = start(k, &h, &bytes) &&
                  tier_say(k->fd, h.word, bytes, h.bytes) &&
                  h.word == TIER_READY;
  free(bytes);
  while (is_there && tier_hear(k->fd, &h, &bytes)) {
    is_there = h.word == TIER_COMPILE && serve_one(k, &h, bytes);
    free(bytes);
  }
  stop(k);
  return is_there ? 0 : 3;
}

int vg_tier_serve(int fd) {
  struct keeper k = {.fd = fd, .worker = -1};
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  return keep(&k);
}
