// SPDX-License-Identifier: Apache-2.0
// The folder of a turnstile, its slots, and which GPU is sick.
//
// Theory of operation: locks are those of an open file (F_OFD_SETLK), which the
// kernel gives back with the process that opened it, however it ends. Every user
// may open `slots` to lock parts of it, and nothing that stands in it is believed:
// its first bytes say only that something has changed.
#include "gpu/turnstile/queue.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "gpu/turnstile/turnstile.h"

enum {
  SHARED_MODE = 01777, // everybody may make files, and remove their own alone
  SLOTS_MODE = 0666,
  FIRST_SLOT = 64, // its byte; below are the news
  MAX_PRACTICE = 64,
  USUAL_PRACTICE = 4,
};

_Static_assert(USUAL_PRACTICE <= MAX_PRACTICE, "they have a byte each");

static enum err io_error(struct err_info *e, const char *path,
                         const char *doing) {
  return err_set(e, ERR_IO, "the turnstile %s: %s: %s", path, doing,
                 strerror(errno));
}

// ---- Where ----

const char *turnstile_usual_folder(void) {
  struct stat st;
  bool is_made = !stat("/run/warpshop", &st) && S_ISDIR(st.st_mode);
  return is_made ? "/run/warpshop" : "/tmp/warpshop-turnstile";
}

const char *turnstile_folder(void) {
  const char *named = getenv("WARPSHOP_TURNSTILE");
  if (!named || !*named || !strcmp(named, "0"))
    return NULL;
  return strcmp(named, "1") != 0 ? named : turnstile_usual_folder();
}

// ---- Opening ----

// A folder that everybody may make files in, and remove their own alone.
static enum err open_shared(int at, const char *name, const char *path, int *fd,
                            struct err_info *e) {
  struct stat st;
  bool is_new = !mkdirat(at, name, 0700);
  *fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (*fd < 0)
    return io_error(e, path, "it cannot be opened");
  if ((is_new && fchmod(*fd, SHARED_MODE)) || fstat(*fd, &st))
    return io_error(e, path, "its mode");
  if ((st.st_mode & S_IWOTH) && !(st.st_mode & S_ISVTX))
    return err_set(
        e, ERR_ARGUMENT,
        "the turnstile %s: users may remove each other's files (mode "
        "%o); its owner mends it by: chmod 1777 %s",
        path, (unsigned)(st.st_mode & 07777), path);
  return ERR_OK;
}

static enum err check_local(int fd, const char *root, struct err_info *e) {
  struct statfs fs;
  const char *name =
      fstatfs(fd, &fs) ? NULL : file_network_name((unsigned long)fs.f_type);
  if (!name)
    return ERR_OK;
  return err_set(e, ERR_ARGUMENT,
                 "the turnstile %s is on %s, which other machines share, and a "
                 "GPU's queue is one machine's: name a folder on its own disk "
                 "by WARPSHOP_TURNSTILE",
                 root, name);
}

// Of an administrator: "practice 4", "memory 8192" (MiB). It counts where it is
// root's or the owner's of the folder.
static void read_settings(int root, struct queue *q) {
  struct stat st, folder;
  char text[512];
  int fd =
      openat(root, "settings", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  bool counts = fd >= 0 && !fstat(fd, &st) && !fstat(root, &folder) &&
                S_ISREG(st.st_mode) &&
                (!st.st_uid || st.st_uid == folder.st_uid);
  ssize_t n = counts ? read(fd, text, sizeof text - 1) : 0;
  text[n > 0 ? n : 0] = 0;
  for (char *rest, *line = strtok_r(text, "\n", &rest); line;
       line = strtok_r(NULL, "\n", &rest)) {
    unsigned long value;
    if (sscanf(line, "practice %lu", &value) == 1 && value >= 1 &&
        value <= MAX_PRACTICE)
      q->rules.practice = (int)value;
    if (sscanf(line, "memory %lu", &value) == 1 && value < 1ul << 40)
      q->memory_bytes = (uint64_t)value << 20;
  }
  if (fd >= 0)
    close(fd);
}

// Not with O_CREAT where it is there: the kernel refuses that to all but the owner
// in such a folder (fs.protected_regular).
static enum err open_slots(struct queue *q, const char *path,
                           struct err_info *e) {
  const int flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  struct stat st;
  q->slots = openat(q->fd, "slots", flags);
  if (q->slots < 0 && errno == ENOENT) {
    q->slots = openat(q->fd, "slots", flags | O_CREAT | O_EXCL, 0600);
    if (q->slots >= 0 && fchmod(q->slots, SLOTS_MODE))
      return io_error(e, path, "slots");
  }
  // Another user is making it just now.
  for (int k = 0; q->slots < 0 && k < 100; k++) {
    usleep(2000);
    q->slots = openat(q->fd, "slots", flags);
  }
  if (q->slots < 0)
    return io_error(e, path, "slots");
  if (fstat(q->slots, &st) || !S_ISREG(st.st_mode))
    return err_set(e, ERR_ARGUMENT, "the turnstile %s: slots is no file", path);
  return ERR_OK;
}

static enum err open_gpu(struct queue *q, int root, const char *gpu,
                         const char *path, struct err_info *e) {
  enum err err = open_shared(root, gpu, path, &q->fd, e);
  int again = err ? -1 : openat(q->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  q->entries = again < 0 ? NULL : fdopendir(again);
  if (!err && !q->entries)
    err = io_error(e, path, "it cannot be looked into");
  return err ? err : open_slots(q, path, e);
}

enum err queue_open(const char *root, const char *gpu, struct queue *out,
                    struct err_info *e) {
  int fd = -1;
  *out = (struct queue){
      .fd = -1, .slots = -1, .boot = queue_boot(), .rules = {USUAL_PRACTICE}};
  if (!*gpu || *gpu == '.' || strchr(gpu, '/'))
    return err_set(e, ERR_ARGUMENT, "\"%s\" is no GPU's UUID", gpu);
  enum err err = open_shared(AT_FDCWD, root, root, &fd, e);
  if (!err)
    err = check_local(fd, root, e);
  if (!err) {
    char *path = xasprintf("%s/%s", root, gpu);
    read_settings(fd, out);
    err = open_gpu(out, fd, gpu, path, e);
    free(path);
  }
  if (fd >= 0)
    close(fd);
  if (err)
    queue_close(out);
  return err;
}

bool queue_look(int root, const char *gpu, struct queue *out) {
  const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  *out = (struct queue){.fd = openat(root, gpu, flags),
                        .slots = -1,
                        .boot = queue_boot(),
                        .rules = {USUAL_PRACTICE}};
  int again = out->fd < 0 ? -1 : openat(out->fd, ".", flags);
  out->entries = again < 0 ? NULL : fdopendir(again);
  read_settings(root, out);
  if (!out->entries)
    queue_close(out);
  return out->entries != NULL;
}

void queue_close(struct queue *q) {
  if (q->entries)
    closedir(q->entries);
  if (q->slots >= 0)
    close(q->slots);
  if (q->fd >= 0)
    close(q->fd);
  *q = (struct queue){.fd = -1, .slots = -1};
}

// ---- Slots ----

static bool lock_slots(struct queue *q, short type, int from, int count) {
  struct flock l = {.l_type = type,
                    .l_whence = SEEK_SET,
                    .l_start = FIRST_SLOT + from,
                    .l_len = count};
  return !fcntl(q->slots, F_OFD_SETLK, &l);
}

int slot_take(struct queue *q, enum turn_lane lane) {
  if (lane == TURN_RANKED)
    return lock_slots(q, F_WRLCK, 0, MAX_PRACTICE) ? 0 : -1;
  for (int i = 0; i < q->rules.practice; i++)
    if (lock_slots(q, F_WRLCK, i, 1))
      return i;
  return -1;
}

void slot_leave(struct queue *q) {
  lock_slots(q, F_UNLCK, 0, MAX_PRACTICE);
}

uint64_t queue_news(struct queue *q) {
  uint64_t news = 0;
  return pread(q->slots, &news, sizeof news, 0) == sizeof news ? news : 0;
}

void queue_tell(struct queue *q) {
  uint64_t news = clock_ns() ^ (uint64_t)getpid() << 44;
  // Where it cannot be written, the others look again by themselves.
  if (pwrite(q->slots, &news, sizeof news, 0) != sizeof news)
    return;
}

// ---- Sick GPUs ----

// When a process started, in the machine's ticks; 0: not known.
static unsigned long long start_of(pid_t pid, uid_t *owner) {
  char path[40], text[1024];
  struct stat st;
  unsigned long long start = 0;
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
  *owner = fd < 0 || fstat(fd, &st) ? (uid_t)-1 : st.st_uid;
  if (fd >= 0)
    close(fd);
  text[n > 0 ? n : 0] = 0;
  // proc(5): the 22nd field; the name, in brackets, may hold anything.
  char *rest = strrchr(text, ')');
  for (int field = 2; rest && field < 22; field++)
    rest = strchr(rest + 1, ' ');
  if (rest)
    start = strtoull(rest, NULL, 10);
  return start;
}

enum err sick_mark(struct queue *q, pid_t server, struct err_info *e) {
  char name[80];
  uid_t owner;
  snprintf(name, sizeof name, "sick-%d-%llu", (int)server,
           start_of(server, &owner));
  int fd =
      openat(q->fd, name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (fd < 0)
    return io_error(e, name, "it cannot be made");
  close(fd);
  queue_tell(q);
  return ERR_OK;
}

// A mark counts for as long as that process of its owner's is there; the owner's
// next look removes it then.
static bool is_sick(struct queue *q, const char *name, pid_t *server) {
  unsigned long long start;
  struct stat st;
  uid_t owner;
  int pid, end = 0;
  if (sscanf(name, "sick-%d-%llu%n", &pid, &start, &end) != 2 || name[end] ||
      pid <= 0 || fstatat(q->fd, name, &st, AT_SYMLINK_NOFOLLOW))
    return false;
  *server = pid;
  unsigned long long now = start_of(pid, &owner);
  bool is_hidden = !now && kill(pid, 0) && errno == EPERM;
  if (is_hidden || (now == start && (owner == st.st_uid || !st.st_uid)))
    return true;
  unlinkat(q->fd, name, 0);
  return false;
}

pid_t sick_server(struct queue *q) {
  pid_t server = 0;
  rewinddir(q->entries);
  for (struct dirent *d; (d = readdir(q->entries));)
    if (!strncmp(d->d_name, "sick-", 5) && is_sick(q, d->d_name, &server))
      return server;
  return 0;
}
