// SPDX-License-Identifier: Apache-2.0
// A disk for SQLite (a VFS, sqlite.org/vfs.html) that fails where a test wants it:
// the process is killed in the middle of a write; the power goes, where of what was
// not synced any sector may be on the disk or not, and a file that was made or
// removed may be back; or there is no room.
#ifndef TESTS_UNIT_BOOK_CRASH_DISK_H
#define TESTS_UNIT_BOOK_CRASH_DISK_H

#include <fcntl.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "tests/unit/book_crash_pass.h"

enum disk_failure { DISK_WORKS, DISK_KILLS, DISK_LOSES_POWER, DISK_IS_FULL };
enum { DISK_EXIT = 77 }; // the status of a process that was killed

struct lost {
  char path[512];
  long long at, old_size; // -1: the whole file was not there, or is gone
  int bytes;
  char *old;
  bool is_removal; // of the file, without its folder synced
  struct lost *next;
};

static struct {
  sqlite3_vfs vfs, *inner;
  enum disk_failure failure;
  int at, operations; // fails at the `at`th that changes something, from 1
  unsigned random;
  bool was_full, has_room;
  struct lost *lost; // what is not synced, the last first
} disk;

static unsigned draw(void) {
  disk.random = disk.random * 1664525u + 1013904223u;
  return disk.random >> 16;
}

static struct lost *note(const char *path) {
  struct lost *l = xcalloc(1, sizeof *l);
  snprintf(l->path, sizeof l->path, "%s", path);
  l->next = disk.lost;
  disk.lost = l;
  return l;
}

static void forget(const char *path) {
  for (struct lost **at = &disk.lost; *at;) {
    struct lost *l = *at;
    if (strcmp(l->path, path) != 0) {
      at = &l->next;
      continue;
    }
    *at = l->next;
    free(l->old);
    free(l);
  }
}

// Sectors are on the disk or not, each by itself.
static void undo(const struct lost *l) {
  enum { SECTOR = 512 };
  char gone[600];
  snprintf(gone, sizeof gone, "%s.gone", l->path);
  if (l->is_removal) {
    if (draw() % 2)
      rename(gone, l->path);
    return;
  }
  if (l->old_size < 0) {
    if (draw() % 2)
      unlink(l->path);
    return;
  }
  int fd = open(l->path, O_RDWR);
  for (int i = 0; fd >= 0 && i < l->bytes; i += SECTOR) {
    int n = l->bytes - i < SECTOR ? l->bytes - i : SECTOR;
    if (draw() % 2 && pwrite(fd, l->old + i, (size_t)n, l->at + i) != n)
      abort();
  }
  if (fd >= 0 && draw() % 2) {
    struct stat st;
    if (!fstat(fd, &st) && st.st_size > l->old_size &&
        ftruncate(fd, l->old_size))
      abort();
  }
  if (fd >= 0)
    close(fd);
}

static void cut_power(void) {
  for (struct lost *l = disk.lost; l; l = l->next)
    undo(l);
  _exit(DISK_EXIT);
}

// True: this operation fails for want of room, which what makes no file longer
// does not need.
static bool fails(bool is_longer) {
  disk.operations++;
  if (is_longer && disk.failure == DISK_IS_FULL && !disk.has_room &&
      disk.operations >= disk.at)
    return disk.was_full = true;
  if (disk.operations != disk.at)
    return false;
  if (disk.failure == DISK_LOSES_POWER)
    cut_power();
  if (disk.failure == DISK_KILLS)
    _exit(DISK_EXIT);
  return false;
}

static void keep_old(struct disk_file *f, long long at, int bytes) {
  sqlite3_int64 size = 0;
  f->inner.pMethods->xFileSize(&f->inner, &size);
  struct lost *l = note(f->path);
  l->at = at;
  l->old_size = size;
  l->bytes = bytes;
  l->old = xcalloc(1, (size_t)bytes + 1);
  if (at < size) {
    int there = size - at < bytes ? (int)(size - at) : bytes;
    f->inner.pMethods->xRead(&f->inner, l->old, there, at);
  }
}

static int shim_write(sqlite3_file *file, const void *data, int bytes,
                      sqlite3_int64 at) {
  struct disk_file *f = (struct disk_file *)file;
  // Killed in the middle of it: some of it is there.
  if (disk.failure == DISK_KILLS && disk.operations + 1 == disk.at)
    f->inner.pMethods->xWrite(&f->inner, data, (int)(draw() % (unsigned)bytes),
                              at);
  if (disk.failure == DISK_LOSES_POWER)
    keep_old(f, at, bytes);
  if (disk.failure == DISK_LOSES_POWER && disk.operations + 1 == disk.at)
    f->inner.pMethods->xWrite(&f->inner, data, bytes, at);
  sqlite3_int64 size = 0;
  f->inner.pMethods->xFileSize(&f->inner, &size);
  if (fails(at + bytes > size))
    return SQLITE_FULL;
  return f->inner.pMethods->xWrite(&f->inner, data, bytes, at);
}

static int shim_truncate(sqlite3_file *file, sqlite3_int64 size) {
  struct disk_file *f = (struct disk_file *)file;
  sqlite3_int64 now = 0;
  f->inner.pMethods->xFileSize(&f->inner, &now);
  if (disk.failure == DISK_LOSES_POWER && now > size)
    keep_old(f, size, (int)(now - size));
  if (fails(false))
    return SQLITE_IOERR_TRUNCATE;
  return f->inner.pMethods->xTruncate(&f->inner, size);
}

// Nothing is really synced: a test of ten thousand would wait for the disk.
static int shim_sync(sqlite3_file *file, int flags) {
  struct disk_file *f = (struct disk_file *)file;
  (void)flags;
  if (fails(false))
    return SQLITE_IOERR_FSYNC;
  forget(f->path);
  f->is_new = false;
  return SQLITE_OK;
}

static int shim_delete(sqlite3_vfs *vfs, const char *path, int syncs_folder) {
  char gone[600];
  (void)vfs;
  if (fails(false))
    return SQLITE_IOERR_DELETE;
  forget(path);
  snprintf(gone, sizeof gone, "%s.gone", path);
  if (disk.failure != DISK_LOSES_POWER || syncs_folder) {
    unlink(gone);
    return disk.inner->xDelete(disk.inner, path, 0);
  }
  if (!rename(path, gone))
    note(path)->is_removal = true;
  return SQLITE_OK;
}

static int shim_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file,
                     int flags, int *out) {
  static const sqlite3_io_methods methods = {
      1,
      shim_close,
      shim_read,
      shim_write,
      shim_truncate,
      shim_sync,
      shim_size,
      shim_lock,
      shim_unlock,
      shim_reserved,
      shim_control,
      shim_sector,
      shim_can,
  };
  struct disk_file *f = (struct disk_file *)file;
  (void)vfs;
  memset(f, 0, sizeof *f);
  snprintf(f->path, sizeof f->path, "%s", path ? path : "");
  f->is_new = path && access(path, F_OK);
  int rc = disk.inner->xOpen(disk.inner, path, &f->inner, flags, out);
  if (rc)
    return rc;
  f->base.pMethods = &methods;
  // Its name is in the folder once it was synced.
  if (f->is_new && disk.failure == DISK_LOSES_POWER)
    note(f->path)->old_size = -1;
  return SQLITE_OK;
}

// From now on all of this process's databases lie on it. The `at`th operation that
// changes something fails, 1 is the next one; `seed` draws what is lost.
static void disk_install(enum disk_failure failure, int at, unsigned seed) {
  disk.failure = failure;
  disk.at = at;
  disk.operations = 0;
  disk.random = seed * 2654435761u + 1;
  if (disk.inner)
    return;
  disk.inner = sqlite3_vfs_find(NULL);
  disk.vfs = *disk.inner;
  disk.vfs.zName = "failing";
  disk.vfs.szOsFile = (int)sizeof(struct disk_file) + disk.inner->szOsFile;
  disk.vfs.xOpen = shim_open;
  disk.vfs.xDelete = shim_delete;
  sqlite3_vfs_register(&disk.vfs, 1);
}

#endif
