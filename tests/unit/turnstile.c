// SPDX-License-Identifier: Apache-2.0
// gpu/turnstile with real processes: turns, whoever is killed, other users, and
// what else may lie in the folder. The order of turns: tests/unit/turn_policy.c.
#include "gpu/turnstile/turnstile.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "gpu/turnstile/ticket.h"

// Hundredths of a second after which what is waited for will never come; no
// measure of speed.
enum { HANG_CS = 12000, OTHER_UID = 64101 };

static char folder[64], gpu_folder[96];
static struct err_info e;
static const char gpu[] = "GPU-1";

static int set_up(void **state) {
  (void)state;
  snprintf(folder, sizeof folder, "/tmp/warpshop-turnstile-XXXXXX");
  if (!mkdtemp(folder))
    return 1;
  snprintf(gpu_folder, sizeof gpu_folder, "%s/%s", folder, gpu);
  return chmod(folder, 01777);
}

static int tear_down(void **state) {
  (void)state;
  char *command = xasprintf("rm -rf %s", folder);
  int failed = system(command);
  free(command);
  return failed;
}

static struct turnstile *open_one(void) {
  struct turnstile *t;
  if (turnstile_open(folder, gpu, &t, &e))
    fail_msg("%s", e.text);
  return t;
}

static void pause_briefly(void) {
  usleep(5000);
}

static void take(struct turnstile *t, enum turn_lane lane) {
  struct turn_standing at;
  turnstile_ask(t, lane);
  for (int k = 0; !turnstile_try(t, &at); k++) {
    if (k > 2 * HANG_CS)
      fail_msg("no turn comes: place %d of %d, %d hold one", at.place,
               at.waiting, at.holders);
    pause_briefly();
  }
}

static bool try_now(struct turnstile *t, enum turn_lane lane) {
  struct turn_standing at;
  turnstile_ask(t, lane);
  for (int k = 0; k < 80; k++) { // more than a look takes
    if (turnstile_try(t, &at))
      return true;
    pause_briefly();
  }
  return false;
}

// ---- Turns ----

static void lanes_exclude_each_other(void **state) {
  (void)state;
  struct turnstile *all[6];
  for (int i = 0; i < 6; i++)
    all[i] = open_one();
  for (int i = 0; i < 4; i++)
    take(all[i], TURN_PRACTICE);
  assert_false(try_now(all[4], TURN_PRACTICE)); // four at once, and no more
  assert_false(try_now(all[5], TURN_RANKED));
  assert_true(turnstile_is_wanted(all[0]));
  turnstile_leave(all[4]);
  for (int i = 0; i < 4; i++) {
    assert_int_equal(turnstile_state(all[5]), TURN_WAITING);
    turnstile_leave(all[i]);
  }
  take(all[5], TURN_RANKED);
  assert_false(turnstile_is_wanted(all[5]));
  assert_false(try_now(all[0], TURN_PRACTICE));
  turnstile_leave(all[5]);
  take(all[0], TURN_PRACTICE);
  for (int i = 0; i < 6; i++)
    turnstile_close(all[i]);
}

// Also where a ticket cannot be read (a full disk, another user's noise): the lock
// is what counts.
static void an_unread_ticket_still_holds(void **state) {
  (void)state;
  struct turnstile *one = open_one();
  take(one, TURN_RANKED);
  char *command = xasprintf("truncate -s 0 %s/[0-9]*-*", gpu_folder);
  assert_int_equal(system(command), 0);
  free(command);
  struct turnstile *other = open_one();
  assert_false(try_now(other, TURN_RANKED));
  turnstile_close(one);
  take(other, TURN_RANKED);
  turnstile_close(other);
}

static void another_gpu_has_its_own_queue(void **state) {
  (void)state;
  struct turnstile *one = open_one(), *other;
  assert_int_equal(turnstile_open(folder, "MIG-7", &other, &e), ERR_OK);
  take(one, TURN_RANKED);
  assert_true(try_now(other, TURN_RANKED));
  turnstile_close(one);
  turnstile_close(other);
}

static void settings_say_how_many(void **state) {
  (void)state;
  char *path = xasprintf("%s/settings", folder);
  FILE *f = fopen(path, "w");
  fputs("practice 1\nmemory 64\npractice 0\nnoise\n", f);
  fclose(f);
  free(path);
  struct turnstile *one = open_one(), *other = open_one();
  assert_int_equal(turnstile_budget(one, 1 << 30), 64 << 20);
  take(one, TURN_PRACTICE);
  assert_false(try_now(other, TURN_PRACTICE));
  turnstile_close(one);
  turnstile_close(other);
}

// A ticket that its process has left goes to the owner's next one, with its use.
static void use_outlives_the_process(void **state) {
  (void)state;
  struct queue q;
  struct ticket_found found[4];
  for (int k = 0; k < 3; k++) {
    struct turnstile *t = open_one();
    take(t, TURN_PRACTICE);
    usleep(30000);
    turnstile_close(t);
  }
  assert_int_equal(queue_open(folder, gpu, &q, &e), ERR_OK);
  assert_int_equal(ticket_read_all(&q, NULL, found, 4), 1);
  assert_false(found[0].ticket.is_used);
  assert_int_equal(found[0].ticket.state, TURN_NONE);
  struct turn_entrant is = ticket_entrant(&found[0].ticket, found[0].uid,
                                          found[0].ticket.since_ns + 1000000);
  assert_true(is.used_ns >= 3 * 30000000ull);
  queue_close(&q);
}

// ---- Killed holders ----

enum { WORKERS = 6, KILLS = 100 };

struct board {                // what all see
  _Atomic int holds[WORKERS]; // 1 + lane; -1: about to be killed
  _Atomic int broken;
  _Atomic unsigned turns;
};

static void work(struct board *b, int own, unsigned seed) {
  struct turn_standing at;
  for (;;) {
    struct turnstile *t = open_one();
    for (int k = 0; k < 3; k++) {
      enum turn_lane lane = rand_r(&seed) % 3 ? TURN_PRACTICE : TURN_RANKED;
      turnstile_ask(t, lane);
      while (!turnstile_try(t, &at))
        usleep(500);
      int is = 0; // unless we are about to be killed
      atomic_compare_exchange_strong(&b->holds[own], &is, 1 + (int)lane);
      for (int i = 0; i < WORKERS; i++) {
        int other = b->holds[i];
        if (i != own && b->holds[own] > 0 && other > 0 &&
            (lane == TURN_RANKED || other == 1 + TURN_RANKED))
          b->broken++;
      }
      usleep((useconds_t)(rand_r(&seed) % 3000));
      is = 1 + (int)lane;
      atomic_compare_exchange_strong(&b->holds[own], &is, 0);
      b->turns++;
      turnstile_leave(t);
    }
    turnstile_close(t);
  }
}

static pid_t start_worker(struct board *b, int own, unsigned seed) {
  pid_t pid = fork();
  if (!pid) {
    work(b, own, seed);
    _exit(0);
  }
  return pid;
}

static void kill_worker(struct board *b, pid_t pid, int own) {
  b->holds[own] = -1;
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
  b->holds[own] = 0;
}

// Killed at any point, a worker leaves nothing behind that holds the others up,
// and no two turns that exclude each other are ever held at once.
static void killed_holders_leave_nothing(void **state) {
  (void)state;
  struct board *b = mmap(NULL, sizeof *b, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pid_t pids[WORKERS];
  unsigned seed = 1;
  for (int i = 0; i < WORKERS; i++)
    pids[i] = start_worker(b, i, (unsigned)i + 7);
  for (int k = 0; k < KILLS; k++) {
    int i = rand_r(&seed) % WORKERS;
    usleep((useconds_t)(rand_r(&seed) % 8000));
    kill_worker(b, pids[i], i);
    pids[i] = start_worker(b, i, (unsigned)k + 1000);
  }
  unsigned before = b->turns;
  for (int k = 0; b->turns < before + 30; k++) {
    assert_true(k < HANG_CS);
    usleep(10000);
  }
  for (int i = 0; i < WORKERS; i++)
    kill_worker(b, pids[i], i);
  assert_int_equal(b->broken, 0);
  struct turnstile *t = open_one();
  take(t, TURN_RANKED);
  turnstile_close(t);
  munmap(b, sizeof *b);
}

// ---- Other users ----

// Runs `f` as another user; its exit status, or -1 where that needs root.
static int as_other(int (*f)(void)) {
  int status;
  if (geteuid())
    return -1;
  pid_t pid = fork();
  if (!pid)
    _exit(setgroups(0, NULL) || setgid(OTHER_UID) || setuid(OTHER_UID) ? 99
                                                                       : f());
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}

static int takes_and_dies(void) {
  struct turnstile *t;
  struct turn_standing at;
  if (turnstile_open(folder, gpu, &t, &e))
    return 1;
  turnstile_ask(t, TURN_RANKED);
  if (!turnstile_try(t, &at))
    return 2;
  return kill(getpid(), SIGKILL);
}

// Nothing of another user's can be written, removed or feigned; 0 when all of it is
// refused.
static int spoils(void) {
  struct queue q;
  struct ticket_found found[8];
  char path[200];
  int wrong = 0;
  if (queue_open(folder, gpu, &q, &e))
    return 50;
  DIR *all = opendir(gpu_folder);
  for (struct dirent *d; (d = readdir(all));)
    if (!strncmp(d->d_name, "0-", 2)) {
      snprintf(path, sizeof path, "%s/%.40s", gpu_folder, d->d_name);
      int fd = open(path, O_WRONLY);
      wrong += fd >= 0;
      wrong += !unlink(path);
      wrong += !rename(path, "/tmp/warpshop-gone");
      // Locking it for reading does not make it look used.
      struct flock l = {.l_type = F_RDLCK};
      fd = open(path, O_RDONLY);
      wrong += fcntl(fd, F_OFD_SETLK, &l) != 0;
      int count = ticket_read_all(&q, NULL, found, 8);
      for (int i = 0; i < count; i++)
        wrong += !found[i].uid && found[i].ticket.is_used;
    }
  closedir(all);
  snprintf(path, sizeof path, "%s/slots", gpu_folder);
  wrong += !unlink(path);
  // A ticket in root's name is none, though it is locked.
  snprintf(path, sizeof path, "%s/0-00000000000000aa", gpu_folder);
  int fd = open(path, O_RDWR | O_CREAT, 0644);
  found[0].ticket.state = TURN_WAITING;
  found[0].ticket.is_used = 1;
  ticket_write(fd, &found[0].ticket);
  struct flock whole = {.l_type = F_WRLCK};
  wrong += fcntl(fd, F_OFD_SETLK, &whole) != 0;
  int count = ticket_read_all(&q, NULL, found, 8);
  for (int i = 0; i < count; i++)
    wrong += found[i].ticket.is_used != 0;
  return wrong;
}

static void other_users_can_only_hold_up(void **state) {
  (void)state;
  if (geteuid())
    skip();
  struct turnstile *t = open_one();
  turnstile_close(t); // leaves a ticket of root's
  assert_int_equal(as_other(takes_and_dies), 98);
  t = open_one();
  take(t, TURN_RANKED); // what was killed holds nothing
  turnstile_close(t);
  assert_int_equal(as_other(spoils), 0);
  t = open_one();
  take(t, TURN_RANKED);
  turnstile_close(t);
}

// ---- Odd folders ----

static void odd_files_are_passed_over(void **state) {
  (void)state;
  struct queue q;
  struct ticket_found found[8];
  struct turnstile *t = open_one();
  char *path = xasprintf("%s/%u-00000000000000ff", gpu_folder, geteuid());
  FILE *f = fopen(path, "w");
  for (int i = 0; i < 5000; i++)
    fputc(i * 31, f);
  fclose(f);
  free(path);
  static const char *const odd[] = {"0-1",
                                    "-",
                                    "x",
                                    "99999999999-0000000000000000",
                                    "0-00000000000000zz",
                                    "sick-0-0",
                                    "sick-x"};
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
    path = xasprintf("%s/%s", gpu_folder, odd[i]);
    assert_int_equal(mkfifo(path, 0644), 0);
    free(path);
  }
  path = xasprintf("%s/%u-00000000000000ee", gpu_folder, geteuid());
  assert_int_equal(mkfifo(path, 0644), 0);
  free(path);
  path = xasprintf("%s/%u-00000000000000dd", gpu_folder, geteuid());
  assert_int_equal(symlink("/etc/passwd", path), 0);
  free(path);
  take(t, TURN_RANKED);
  assert_int_equal(queue_open(folder, gpu, &q, &e), ERR_OK);
  assert_int_equal(ticket_read_all(&q, NULL, found, 8), 1);
  queue_close(&q);
  turnstile_close(t);
}

static void unfit_folders_are_refused(void **state) {
  (void)state;
  struct turnstile *t;
  char *open_to_all = xasprintf("%s/open", folder);
  mkdir(open_to_all, 0777);
  chmod(open_to_all, 0777);
  assert_int_equal(turnstile_open(open_to_all, gpu, &t, &e), ERR_ARGUMENT);
  assert_non_null(strstr(e.text, "chmod 1777"));
  char *link = xasprintf("%s/link", folder);
  assert_int_equal(symlink(folder, link), 0);
  assert_int_equal(turnstile_open(link, gpu, &t, &e), ERR_IO);
  char *file = xasprintf("%s/file", folder);
  fclose(fopen(file, "w"));
  assert_int_equal(turnstile_open(file, gpu, &t, &e), ERR_IO);
  assert_int_equal(turnstile_open("/no/such/folder", gpu, &t, &e), ERR_IO);
  assert_int_equal(turnstile_open(folder, "../up", &t, &e), ERR_ARGUMENT);
  assert_int_equal(turnstile_open(folder, "", &t, &e), ERR_ARGUMENT);
  char *slots = xasprintf("%s/G2", folder);
  mkdir(slots, 01777);
  char *inner = xasprintf("%s/slots", slots);
  mkdir(inner, 0755);
  assert_int_equal(turnstile_open(folder, "G2", &t, &e), ERR_IO);
  free(open_to_all), free(link), free(file), free(slots), free(inner);
}

// ---- Sick GPUs ----

static void a_sick_gpu_is_left_alone(void **state) {
  (void)state;
  struct turnstile *t;
  pid_t hanging = fork();
  if (!hanging) {
    pause();
    _exit(0);
  }
  assert_int_equal(turnstile_mark_sick(folder, gpu, hanging, &e), ERR_OK);
  assert_int_equal(turnstile_open(folder, gpu, &t, &e), ERR_DEVICE_LOST);
  char *named = xasprintf("process %d hangs", (int)hanging);
  assert_non_null(strstr(e.text, named));
  free(named);
  assert_int_equal(turnstile_open(folder, "GPU-2", &t, &e), ERR_OK);
  turnstile_close(t);
  kill(hanging, SIGKILL);
  waitpid(hanging, NULL, 0);
  turnstile_close(open_one()); // it is well again
}

// Slices are handed out: to the queue with the fewest programs that is not sick.
static void the_emptiest_is_chosen(void **state) {
  (void)state;
  static const char *const all[] = {"MIG-1", "MIG-2", "MIG-3"};
  struct turnstile *open[3];
  assert_in_range(turnstile_choose("/no/such", all, 3), 0, 2);
  for (int i = 0; i < 3; i++)
    assert_int_equal(turnstile_open(folder, all[i != 1], &open[i], &e), ERR_OK);
  assert_int_equal(turnstile_choose(folder, all, 3), 2); // 1, 2 and no program
  assert_int_equal(turnstile_choose(folder, all, 2), 0);
  assert_int_equal(turnstile_mark_sick(folder, "MIG-3", getpid(), &e), ERR_OK);
  assert_int_equal(turnstile_choose(folder, all, 3), 0);
  for (int i = 0; i < 3; i++)
    turnstile_close(open[i]);
}

// ---- Looking at it ----

struct seen {
  int gpus, holding, waiting, place;
  uint64_t memory;
  pid_t sick;
};

static void see_gpu(void *context, const char *name, pid_t sick) {
  struct seen *s = context;
  assert_string_equal(name, gpu);
  s->gpus++;
  s->sick = sick;
}

static void see_ticket(void *context, const struct turnstile_ticket *t) {
  struct seen *s = context;
  assert_int_equal(t->uid, geteuid());
  assert_int_equal(t->pid, getpid());
  s->holding += t->state == TURN_HOLDING && t->lane == TURN_RANKED;
  s->waiting += t->state == TURN_WAITING && t->lane == TURN_PRACTICE;
  s->place += t->place;
  s->memory += t->memory_bytes;
}

static void the_queue_can_be_seen(void **state) {
  (void)state;
  struct seen seen = {0};
  struct turnstile_viewer to = {see_gpu, see_ticket, &seen};
  struct turnstile *one = open_one(), *other = open_one();
  take(one, TURN_RANKED);
  assert_false(try_now(other, TURN_PRACTICE));
  turnstile_note_memory(one, 12345);
  assert_int_equal(turnstile_view(folder, &to, &e), ERR_OK);
  assert_int_equal(seen.gpus, 1);
  assert_int_equal(seen.holding, 1);
  assert_int_equal(seen.waiting, 1);
  assert_int_equal(seen.place, 1);
  assert_int_equal(seen.memory, 12345);
  turnstile_close(one);
  turnstile_close(other);
  assert_int_equal(turnstile_view("/no/such", &to, &e), ERR_NOT_FOUND);
}

// A ticket of one's own that names our process.
static int feigns(void) {
  struct queue q;
  struct ticket ticket;
  char name[TICKET_NAME];
  int fd;
  if (queue_open(folder, gpu, &q, &e) ||
      ticket_take(&q, &fd, name, &ticket, &e))
    return 50;
  ticket.pid = (uint32_t)getppid();
  ticket_write(fd, &ticket);
  return turnstile_has(folder, gpu, getppid());
}

static void it_knows_who_takes_turns(void **state) {
  (void)state;
  pid_t self = getpid();
  assert_false(turnstile_has(folder, gpu, self)); // nobody was there
  struct turnstile *t = open_one();
  assert_true(turnstile_has(folder, gpu, self)); // between two turns, too
  take(t, TURN_PRACTICE);
  assert_true(turnstile_has(folder, gpu, self));
  assert_false(turnstile_has(folder, gpu, getppid()));
  assert_false(turnstile_has(folder, "GPU-2", self));
  assert_false(turnstile_has("/no/such", gpu, self));
  turnstile_close(t);
  assert_false(turnstile_has(folder, gpu, self)); // its ticket is left behind
  if (!geteuid())
    assert_int_equal(as_other(feigns), 0);
}

// In a folder without tickets each makes one, and may find another's just made.
static void all_who_begin_at_once_get_one(void **state) {
  (void)state;
  enum { ROUNDS = 60, MANY = 8 };
  for (int round = 0; round < ROUNDS; round++) {
    char name[16];
    int go[2], status, wrong = 0;
    pid_t pids[MANY];
    snprintf(name, sizeof name, "GPU-r%d", round);
    assert_int_equal(pipe(go), 0);
    for (int i = 0; i < MANY; i++) {
      struct turnstile *t;
      char c;
      pids[i] = fork();
      if (pids[i])
        continue;
      close(go[1]);
      (void)!read(go[0], &c, 1); // its end
      _exit(turnstile_open(folder, name, &t, &e) ||
            !turnstile_has(folder, name, getpid()));
    }
    close(go[0]);
    close(go[1]);
    for (int i = 0; i < MANY; i++) {
      waitpid(pids[i], &status, 0);
      wrong += status != 0;
    }
    assert_int_equal(wrong, 0);
  }
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(lanes_exclude_each_other),      TEST(an_unread_ticket_still_holds),
      TEST(another_gpu_has_its_own_queue), TEST(settings_say_how_many),
      TEST(use_outlives_the_process),      TEST(killed_holders_leave_nothing),
      TEST(other_users_can_only_hold_up),  TEST(odd_files_are_passed_over),
      TEST(unfit_folders_are_refused),     TEST(a_sick_gpu_is_left_alone),
      TEST(the_emptiest_is_chosen),        TEST(the_queue_can_be_seen),
      TEST(it_knows_who_takes_turns),      TEST(all_who_begin_at_once_get_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
