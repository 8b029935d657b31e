// SPDX-License-Identifier: Apache-2.0
// The disk cache: one file a program, named by its key. Any number of
// processes read and write at once: a file appears whole, by rename, and what
// is read is checked, so nothing is locked and nothing is synced. A file's
// time of change says when it was last used.
#include "gpu/nvrtc/cache/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

enum { SWEEP_EVERY = 32, HOUR_S = 3600 };
static const size_t max_file_bytes = 64u << 20;
static const long long full_bytes = 256ll << 20, swept_bytes = 192ll << 20;

struct nvrtc_cache {
  char *folder; // NULL: there is none
};

struct nvrtc_cache *nvrtc_cache_open(const char *folder) {
  struct nvrtc_cache *c = xcalloc(1, sizeof *c);
  char *home = folder ? NULL : file_xdg(XDG_CACHE);
  if (folder)
    c->folder = xstrdup(folder);
  else if (home)
    c->folder = xasprintf("%s/kernels", home);
  free(home);
  return c;
}

void nvrtc_cache_close(struct nvrtc_cache *c) {
  if (!c)
    return;
  free(c->folder);
  free(c);
}

// ---- Finding ----

// Marks a file as used, at most once an hour.
static void touch(const char *path) {
  struct stat st;
  if (!stat(path, &st) && time(NULL) - st.st_mtime > HOUR_S)
    utimensat(AT_FDCWD, path, NULL, 0);
}

struct nvrtc_program *nvrtc_cache_find(struct nvrtc_cache *c, const char *key) {
  struct nvrtc_program *p = NULL;
  char *data;
  size_t bytes;
  if (!c->folder)
    return NULL;
  char *path = xasprintf("%s/%s", c->folder, key);
  if (!file_read(path, max_file_bytes, &data, &bytes, NULL)) {
    nvrtc_record_read(data, bytes, &p);
    free(data);
  }
  if (p && strcmp(p->key, key)) { // a file under another's name
    nvrtc_program_free(p);
    p = NULL;
  }
  if (p)
    touch(path);
  free(path);
  return p;
}

// ---- Sweeping ----

struct entry {
  char name[NVRTC_KEY_BYTES + 16];
  long long bytes;
  time_t used;
};

struct entries {
  struct entry *list;
  size_t count;
  long long bytes;
};

static int by_age(const void *a, const void *b) {
  time_t x = ((const struct entry *)a)->used;
  time_t y = ((const struct entry *)b)->used;
  return (x > y) - (x < y);
}

static void list_folder(DIR *d, struct entries *all) {
  struct dirent *de;
  struct stat st;
  while ((de = readdir(d))) {
    struct entry n = {0};
    if (strlen(de->d_name) >= sizeof n.name ||
        fstatat(dirfd(d), de->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
        !S_ISREG(st.st_mode))
      continue;
    strcpy(n.name, de->d_name);
    n.bytes = (long long)st.st_blocks * 512;
    n.used = st.st_mtime;
    // A writer that was killed leaves its temporary file behind.
    bool is_left = strchr(n.name, '.') && time(NULL) - n.used > HOUR_S;
    if (is_left && !unlinkat(dirfd(d), n.name, 0))
      continue;
    all->list = xrealloc(all->list, (all->count + 1) * sizeof n);
    all->list[all->count++] = n;
    all->bytes += n.bytes;
  }
}

void nvrtc_cache_sweep(const char *folder, long long full, long long swept) {
  struct entries all = {0};
  DIR *d = opendir(folder);
  if (!d)
    return;
  list_folder(d, &all);
  if (all.bytes > full) {
    qsort(all.list, all.count, sizeof *all.list, by_age);
    for (size_t i = 0; i < all.count && all.bytes > swept; i++)
      if (!unlinkat(dirfd(d), all.list[i].name, 0))
        all.bytes -= all.list[i].bytes;
  }
  free(all.list);
  closedir(d);
}

// ---- Keeping ----

static int make_temporary(struct nvrtc_cache *c, char *path) {
  int fd = mkostemp(path, O_CLOEXEC); // mode 0600
  if (fd >= 0 || file_make_folder(c->folder, NULL))
    return fd;
  strcpy(path + strlen(path) - 6, "XXXXXX");
  return mkostemp(path, O_CLOEXEC);
}

// One program in SWEEP_EVERY: its key says whether it is such a one, so that processes
// and caches that live for one program alone take their turns, too.
static bool is_sweeper(const char *key) {
  char digits[3] = {key[0], key[0] ? key[1] : 0};
  return strtoul(digits, NULL, 16) % SWEEP_EVERY == 0;
}

// Not synced: after a power cut the checksum tells, and the file is made anew.
void nvrtc_cache_keep(struct nvrtc_cache *c, const struct nvrtc_program *p) {
  struct str record = STR_INIT;
  if (!c->folder)
    return;
  nvrtc_record_write(p, &record);
  if (record.len <= max_file_bytes) {
    char *path = xasprintf("%s/%s", c->folder, p->key);
    char *temporary = xasprintf("%s.XXXXXX", path);
    int fd = make_temporary(c, temporary);
    if (fd >= 0) {
      bool is_whole = file_write_all(fd, record.data, record.len);
      if (close(fd) || !is_whole || rename(temporary, path))
        unlink(temporary);
      if (!is_whole || is_sweeper(p->key))
        nvrtc_cache_sweep(c->folder, full_bytes, swept_bytes);
    }
    free(temporary);
    free(path);
  }
  str_free(&record);
}
