// SPDX-License-Identifier: Apache-2.0
// What a queue before a shared GPU does with a class (gpu/turnstile): processes of
// user ids of their own (as root), which hold their turns asleep, so that the GPU is
// simulated and the queue is not.
//   build/bench/turnstile          all of it, three minutes
//   build/bench/turnstile NAME     launch, crowd, ranked, killed or fair
// launch  ns that a launch takes, of a GPU that is shared and of one that is not
// crowd   one turn taken and given back, beside the tickets of 10 to 1,000 learners
// ranked  30 ranked turns of 2 s asked for at once, beside 8 who practise: waits
// killed  from the kill of a holder to the next one's turn
// fair    8 users for a minute with turns of 10 to 290 ms: what each got
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/median.h"
#include "base/mem.h"
#include "gpu/remote/remote.h"
#include "gpu/turnstile/turnstile.h"

enum { FIRST_UID = 61000, MAX_PROCESSES = 64 };
static char root[64];

// Seconds that the processes measured; all see it.
static double *board;

static void check(enum err err, const struct err_info *e) {
  if (!err)
    return;
  fprintf(stderr, "%s\n", e->text);
  exit(2);
}

static struct turnstile *open_queue(const char *gpu) {
  struct turnstile *t;
  struct err_info e;
  check(turnstile_open(root, gpu, &t, &e), &e);
  return t;
}

static double take(struct turnstile *t, enum turn_lane lane) {
  struct turn_standing at;
  double from = clock_s();
  turnstile_ask(t, lane);
  while (!turnstile_try(t, &at))
    usleep(5000);
  return clock_s() - from;
}

static void hold(struct turnstile *t, double seconds) {
  double until = clock_s() + seconds;
  while (clock_s() < until) {
    usleep(5000);
    turnstile_count(t);
  }
}

// A process of a user of its own; true in the child.
static bool split(int user) {
  fflush(NULL);
  if (fork())
    return false;
  if (!geteuid() && (setgroups(0, NULL) || setgid(FIRST_UID) ||
                     setuid((uid_t)(FIRST_UID + user))))
    _exit(2);
  return true;
}

static void wait_for(int count) {
  int status;
  for (int i = 0; i < count; i++)
    if (wait(&status) < 0 || !WIFEXITED(status) || WEXITSTATUS(status))
      fputs("a process failed\n", stderr);
}

// ---- launch ----

static const char ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                          ".visible .entry nothing()\n{\n  ret;\n}\n";

enum { LAUNCHES = 1000, ROUNDS = 15 };

struct launcher {
  struct arena *arena;
  struct gpu_device *d;
  gpu_handle function;
};

static struct launcher open_launcher(bool is_shared) {
  struct launcher l = {0};
  struct err_info e;
  gpu_handle module;
  if (is_shared) {
    setenv("WARPSHOP_TURNSTILE", root, 1);
    setenv("WARPSHOP_SHARED_VIRTUAL", "BENCH", 1);
  } else {
    unsetenv("WARPSHOP_TURNSTILE");
    unsetenv("WARPSHOP_SHARED_VIRTUAL");
  }
  check(arena_new(&l.arena, &e), &e);
  struct remote_options options = {.device = "virtual:0", .arena = l.arena};
  check(remote_open(&options, &l.d, &e), &e);
  check(l.d->backend->module_load(l.d, ptx, sizeof ptx - 1, &module, &e), &e);
  check(
      l.d->backend->function_get(l.d, module, "nothing", &l.function, NULL, &e),
      &e);
  return l;
}

// ns a launch, queued `batch` at a time.
static double time_launches(const struct launcher *l, int batch) {
  struct err_info e;
  struct gpu_launch one = {
      .function = l->function, .grid = {1, 1, 1}, .block = {1, 1, 1}};
  uint64_t from = clock_ns();
  for (int i = 0; i < LAUNCHES; i++) {
    check(l->d->backend->launch(l->d, &one, &e), &e);
    if (i % batch == batch - 1)
      check(remote_wait(l->d, 0, &e), &e);
  }
  return (double)(clock_ns() - from) / LAUNCHES;
}

static void measure_launch(void) {
  static const int batches[] = {1, 100};
  struct launcher l[2] = {open_launcher(false), open_launcher(true)};
  puts("| launches between two waits | not shared, ns a launch | shared | "
       "difference |\n|---|---|---|---|");
  for (int b = 0; b < 2; b++) {
    double ns[2][ROUNDS];
    for (int k = 0; k < ROUNDS; k++)
      for (int who = 0; who < 2; who++)
        ns[who][k] = time_launches(&l[who], batches[b]);
    for (int who = 0; who < 2; who++)
      median_sort(ns[who], ROUNDS);
    double own = ns[0][ROUNDS / 2], shared = ns[1][ROUNDS / 2];
    printf("| %d | %.0f | %.0f | %+.0f |\n", batches[b], own, shared,
           shared - own);
  }
  for (int who = 0; who < 2; who++)
    l[who].d->backend->close(l[who].d);
}

// ---- crowd ----

static void measure_crowd(void) {
  static const int sizes[] = {10, 50, 200, 1000};
  enum { TURNS = 50 };
  int made = 0;
  puts("| learners with a ticket | a turn taken and given back, median ms | "
       "longest |\n|---|---|---|");
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    for (; made < sizes[s]; made++) {
      if (split(made)) {
        turnstile_close(open_queue("CROWD"));
        _exit(0);
      }
      wait_for(1);
    }
    double ms[TURNS];
    struct turnstile *t = open_queue("CROWD");
    for (int k = 0; k < TURNS; k++) {
      double from = clock_s();
      take(t, TURN_PRACTICE);
      turnstile_leave(t);
      ms[k] = (clock_s() - from) * 1e3;
    }
    turnstile_close(t);
    median_sort(ms, TURNS);
    printf("| %d | %.2f | %.2f |\n", sizes[s], ms[TURNS / 2], ms[TURNS - 1]);
    fflush(stdout);
  }
}

// ---- ranked ----

static void practise(const char *gpu, double work_s, double think_s) {
  struct turnstile *t = open_queue(gpu);
  for (;;) {
    take(t, TURN_PRACTICE);
    hold(t, work_s);
    turnstile_leave(t);
    usleep((useconds_t)(think_s * 1e6));
  }
}

static void measure_ranked(void) {
  enum { RANKED = 30, PRACTICE = 8 };
  pid_t practising[PRACTICE];
  for (int i = 0; i < PRACTICE; i++) {
    fflush(NULL);
    practising[i] = fork();
    if (!practising[i]) {
      if (!geteuid() && setuid((uid_t)(FIRST_UID + 100 + i)))
        _exit(2);
      practise("RANKED", 0.05, 0.5);
    }
  }
  sleep(2);
  for (int i = 0; i < RANKED; i++)
    if (split(i)) {
      struct turnstile *t = open_queue("RANKED");
      board[i] = take(t, TURN_RANKED);
      hold(t, 2);
      turnstile_close(t);
      _exit(0);
    }
  wait_for(RANKED);
  for (int i = 0; i < PRACTICE; i++)
    kill(practising[i], SIGKILL);
  for (int i = 0; i < PRACTICE; i++)
    waitpid(practising[i], NULL, 0);
  median_sort(board, RANKED);
  printf(
      "ranked: 30 turns of 2 s at once, 8 practise: wait median %.1f s, 95 %% "
      "%.1f s, longest %.1f s\n",
      board[RANKED / 2], board[RANKED * 95 / 100], board[RANKED - 1]);
}

// ---- killed ----

static void measure_killed(void) {
  enum { KILLS = 20 };
  double ms[KILLS];
  struct turnstile *t = open_queue("KILLED");
  for (int k = 0; k < KILLS; k++) {
    int channel[2];
    char byte = 0;
    struct turn_standing at;
    if (pipe(channel))
      exit(2);
    pid_t child = fork();
    if (!child) {
      take(open_queue("KILLED"), TURN_RANKED);
      _exit(write(channel[1], &byte, 1) == 1 ? pause() : 2);
    }
    if (read(channel[0], &byte, 1) != 1)
      exit(2);
    turnstile_ask(t, TURN_RANKED);
    for (int i = 0; i < 20 + k; i++) {
      turnstile_try(t, &at);
      usleep(5000);
    }
    double from = clock_s();
    kill(child, SIGKILL);
    while (!turnstile_try(t, &at))
      usleep(5000);
    ms[k] = (clock_s() - from) * 1e3;
    turnstile_leave(t);
    waitpid(child, NULL, 0);
    close(channel[0]);
    close(channel[1]);
  }
  turnstile_close(t);
  median_sort(ms, KILLS);
  printf("killed: %d holders: the next has its turn after %.0f ms (median), "
         "%.0f ms (longest)\n",
         KILLS, ms[KILLS / 2], ms[KILLS - 1]);
}

// ---- fair ----

static void measure_fair(void) {
  enum { USERS = 8, SECONDS = 60 };
  double end = clock_s() + SECONDS, all = 0, least = 1e9, most = 0;
  for (int i = 0; i < USERS; i++)
    if (split(i)) {
      struct turnstile *t = open_queue("FAIR");
      while (clock_s() < end) {
        take(t, TURN_RANKED);
        double from = clock_s();
        hold(t, 0.01 + 0.04 * i);
        board[i] += clock_s() - from;
        turnstile_leave(t);
      }
      turnstile_close(t);
      _exit(0);
    }
  wait_for(USERS);
  for (int i = 0; i < USERS; i++) {
    all += board[i];
    least = board[i] < least ? board[i] : least;
    most = board[i] > most ? board[i] : most;
  }
  printf(
      "fair: %d users in %d s, turns of 10 to 290 ms: %.2f s on average, from "
      "%+.1f %% to %+.1f %%\n",
      USERS, SECONDS, all / USERS, (least / all * USERS - 1) * 100,
      (most / all * USERS - 1) * 100);
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*measure)(void);
  } all[] = {{"launch", measure_launch},
             {"crowd", measure_crowd},
             {"ranked", measure_ranked},
             {"killed", measure_killed},
             {"fair", measure_fair}};
  snprintf(root, sizeof root, "/tmp/warpshop-bench-XXXXXX");
  board = mmap(NULL, MAX_PROCESSES * sizeof *board, PROT_READ | PROT_WRITE,
               MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (!mkdtemp(root) || chmod(root, 01777) || board == MAP_FAILED)
    return 2;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (argc < 2 || !strcmp(argv[1], all[i].name)) {
      memset(board, 0, MAX_PROCESSES * sizeof *board);
      all[i].measure();
      fflush(stdout);
    }
  char *command = xasprintf("rm -rf %s", root);
  int failed = system(command);
  free(command);
  return failed != 0;
}
