// SPDX-License-Identifier: Apache-2.0
// The process between the device's and the worker: it starts the worker for the first
// request, and again when it dies, which the device's process could not, since it gave
// up starting programs. Until then nobody loads libLLVM. It takes each request whole
// and hands it on, so that one in the middle of which a worker dies is asked once more,
// and the device hears a whole answer.
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/process.h"
#include "gpu/vgpu/tier/tier.h"
#include "gpu/vgpu/tier/tier_wire.h"

// Workers that may die one after the other without an answer.
enum { MOST_DEATHS = 3 };

struct keeper {
  int fd;     // to the device
  int worker; // to the worker, or -1
  pid_t pid;  // its, or -1: there could be none
  int deaths;
};

static void stop(struct keeper *k) {
  if (k->worker < 0)
    return;
  close(k->worker);
  k->worker = -1;
  if (k->pid < 0)
    return;
  kill(k->pid, SIGKILL);
  process_wait(k->pid);
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
  stop(k);
  return false;
}

// Asks the worker; false where there is none, or it died of it.
static bool ask(struct keeper *k, const struct tier_head *h, const char *asked,
                struct tier_head *answer, char **bytes) {
  *bytes = NULL;
  if (k->worker >= 0 && tier_say(k->worker, h->word, asked, h->bytes) &&
      tier_hear(k->worker, answer, bytes)) {
    k->deaths = 0;
    return true;
  }
  free(*bytes);
  *bytes = NULL;
  stop(k);
  return false;
}

// The same, of a worker that is started where there is none; until one answers, or
// says that it lacks something.
static bool ask_any(struct keeper *k, const struct tier_head *h,
                    const char *asked, struct tier_head *answer, char **bytes) {
  while (k->deaths < MOST_DEATHS) {
    if (ask(k, h, asked, answer, bytes))
      return true;
    k->deaths++;
    if (start(k, answer, bytes) && answer->word == TIER_LACKS)
      return true;
    free(*bytes);
  }
  *bytes = NULL;
  return false;
}

static int keep(struct keeper *k) {
  struct tier_head h, answer;
  char *asked, *bytes;
  bool goes_on = true;
  while (goes_on && tier_hear(k->fd, &h, &asked)) {
    goes_on = (h.word == TIER_FIND || h.word == TIER_COMPILE) &&
              ask_any(k, &h, asked, &answer, &bytes);
    if (goes_on) {
      goes_on = tier_say(k->fd, answer.word, bytes, answer.bytes);
      free(bytes);
    }
    free(asked);
  }
  stop(k);
  return 0;
}

int vg_tier_serve(int fd) {
  struct keeper k = {.fd = fd, .worker = -1};
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  return keep(&k);
}
