// SPDX-License-Identifier: Apache-2.0
#include "gpu/turnstile/ticket.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

enum { TICKET_MODE = 0644, TRIES = 100 };
#define ABSENT_NS ((uint64_t)5000000000)         // passed over after that long
#define MAGIC     ((uint64_t)0x31746b6369745357) // "WSticket1", cut

// FNV-1a over 64-bit words: what is half written is seen.
static uint64_t check_of(const struct ticket *t) {
  _Static_assert(offsetof(struct ticket, check) % 8 == 0, "whole words");
  uint64_t words[offsetof(struct ticket, check) / 8], hash = 0xcbf29ce484222325;
  memcpy(words, t, sizeof words);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    hash = (hash ^ words[i]) * 0x100000001b3;
  return hash;
}

// The number of this start of the machine (proc(5)).
uint64_t queue_boot(void) {
  char text[64] = "";
  uint64_t number = 1;
  int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
  if (fd >= 0)
    close(fd);
  for (ssize_t i = 0; i < n; i++)
    number = (number ^ (unsigned char)text[i]) * 0x100000001b3;
  return number;
}

static bool is_whole(const struct ticket *t) {
  return t->magic == MAGIC && t->check == check_of(t);
}

// ---- One's own ----

// For as long as this process has it open.
static bool lock_whole(int fd) {
  struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  return !fcntl(fd, F_OFD_SETLK, &l);
}

// Nobody but the owner can lock it for writing: others cannot feign it.
static bool is_locked(int fd) {
  struct flock l = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
  return !fcntl(fd, F_OFD_GETLK, &l) && l.l_type != F_UNLCK;
}

// "<uid>-<16 hex digits>"? Shorter than TICKET_NAME then.
static bool is_name(const char *name, uint32_t *uid) {
  char *end;
  errno = 0;
  unsigned long n = strtoul(name, &end, 10);
  if (errno || end == name || *end != '-' || n > UINT32_MAX || end - name > 10)
    return false;
  *uid = (uint32_t)n;
  return strspn(end + 1, "0123456789abcdef") == 16 && !end[17];
}

static int open_ticket(struct queue *q, const char *name, int flags,
                       uint32_t uid) {
  struct stat st;
  int fd = openat(q->fd, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0)
    return -1;
  if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == uid)
    return fd;
  close(fd);
  return -1;
}

// One of the caller's that a process has left behind keeps the use of the GPU that
// is noted in it.
static int take_old(struct queue *q, char name[TICKET_NAME]) {
  uint32_t uid;
  rewinddir(q->entries);
  for (struct dirent *d; (d = readdir(q->entries));) {
    if (!is_name(d->d_name, &uid) || uid != geteuid())
      continue;
    int fd = open_ticket(q, d->d_name, O_RDWR, uid);
    if (fd >= 0 && lock_whole(fd)) {
      memcpy(name, d->d_name, strlen(d->d_name) + 1);
      return fd;
    }
    if (fd >= 0)
      close(fd);
  }
  return -1;
}

static int make_new(struct queue *q, char name[TICKET_NAME]) {
  uint64_t noise;
  int random = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  bool is_read =
      random >= 0 && read(random, &noise, sizeof noise) == sizeof noise;
  if (random >= 0)
    close(random);
  if (!is_read)
    return -1;
  snprintf(name, TICKET_NAME, "%u-%016llx", (unsigned)geteuid(),
           (unsigned long long)noise);
  int fd = openat(q->fd, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  // The mode first: another program of this user may find the file, and be quicker.
  if (fd >= 0 && !fchmod(fd, TICKET_MODE) && lock_whole(fd))
    return fd;
  if (fd >= 0)
    close(fd);
  return -1;
}

enum err ticket_take(struct queue *q, int *fd, char name[TICKET_NAME],
                     struct ticket *out, struct err_info *e) {
  *fd = -1;
  // Who begins at the same moment may take the one that we have just made.
  for (int k = 0; k < TRIES && *fd < 0; k++) {
    *fd = take_old(q, name);
    if (*fd < 0)
      *fd = make_new(q, name);
  }
  if (*fd < 0)
    return err_set(e, ERR_IO, "no ticket can be made in the turnstile: %s",
                   strerror(errno));
  struct ticket old = {0};
  bool is_kept = pread(*fd, &old, sizeof old, 0) == sizeof old &&
                 is_whole(&old) && old.boot == q->boot;
  *out =
      (struct ticket){.pid = (uint32_t)getpid(), .is_used = 1, .boot = q->boot};
  if (is_kept) {
    out->use = old.use;
    out->usual_ns = old.usual_ns;
  }
  sscanf(strchr(name, '-') + 1, "%llx", (unsigned long long *)&out->number);
  ticket_write(*fd, out);
  return ERR_OK;
}

void ticket_write(int fd, struct ticket *t) {
  t->magic = MAGIC;
  t->check = check_of(t);
  // On a full disk the old words stay, or none that count: the turn itself hangs
  // on locks alone.
  if (pwrite(fd, t, sizeof *t, 0) != sizeof *t)
    return;
}

// ---- All of them ----

// What a process left behind tells how much it used, and nothing else.
static bool read_one(struct queue *q, const char *name,
                     struct ticket_found *out) {
  struct ticket *t = &out->ticket;
  if (!is_name(name, &out->uid))
    return false;
  int fd = open_ticket(q, name, O_RDONLY, out->uid);
  if (fd < 0)
    return false;
  bool is_read = false;
  for (int k = 0; k < 3 && !is_read; k++) // it may be written just now
    is_read = pread(fd, t, sizeof *t, 0) == sizeof *t && is_whole(t);
  is_read = is_read && t->boot == q->boot;
  if (is_read && !is_locked(fd)) {
    t->state = TURN_NONE;
    t->is_used = 0;
    t->memory_bytes = 0;
  }
  close(fd);
  return is_read;
}

void ticket_rewind(struct queue *q) {
  rewinddir(q->entries);
}

bool ticket_next(struct queue *q, const char *own, struct ticket_found *out) {
  for (struct dirent *d; (d = readdir(q->entries));)
    if ((!own || strcmp(d->d_name, own) != 0) && read_one(q, d->d_name, out))
      return true;
  return false;
}

int ticket_read_all(struct queue *q, const char *own, struct ticket_found *out,
                    int room) {
  int count = 0;
  ticket_rewind(q);
  while (count < room && ticket_next(q, own, &out[count]))
    count++;
  return count;
}

struct turn_entrant ticket_entrant(const struct ticket *t, uint32_t uid,
                                   uint64_t now_ns) {
  return (struct turn_entrant){
      .uid = uid,
      .lane = t->lane == TURN_RANKED ? TURN_RANKED : TURN_PRACTICE,
      .state = t->state <= TURN_HOLDING ? t->state : TURN_NONE,
      .is_absent = now_ns > t->seen_ns && now_ns - t->seen_ns > ABSENT_NS,
      .since_ns = t->since_ns,
      .number = t->number,
      .used_ns = turn_use_sum(&t->use, now_ns),
      .usual_ns = t->usual_ns,
  };
}
