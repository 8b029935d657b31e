// SPDX-License-Identifier: Apache-2.0
// What book_crash_disk.h passes on to the real disk as it is.
#ifndef TESTS_UNIT_BOOK_CRASH_PASS_H
#define TESTS_UNIT_BOOK_CRASH_PASS_H

#include <sqlite3.h>
#include <stdbool.h>

struct disk_file {
  sqlite3_file base;
  char path[512];
  bool is_new; // never synced since it was made
  sqlite3_file inner;
};

#define REAL(f)              (&((struct disk_file *)(f))->inner)
#define CALL(f, method, ...) REAL(f)->pMethods->method(REAL(f), ##__VA_ARGS__)

static int shim_close(sqlite3_file *f) {
  return CALL(f, xClose);
}
static int shim_read(sqlite3_file *f, void *to, int n, sqlite3_int64 at) {
  return CALL(f, xRead, to, n, at);
}
static int shim_size(sqlite3_file *f, sqlite3_int64 *size) {
  return CALL(f, xFileSize, size);
}
static int shim_lock(sqlite3_file *f, int how) {
  return CALL(f, xLock, how);
}
static int shim_unlock(sqlite3_file *f, int how) {
  return CALL(f, xUnlock, how);
}
static int shim_reserved(sqlite3_file *f, int *out) {
  return CALL(f, xCheckReservedLock, out);
}
// Nothing that would go around the shim: no memory mapping, no batch writes.
static int shim_control(sqlite3_file *f, int op, void *arg) {
  if (op == SQLITE_FCNTL_MMAP_SIZE || op == SQLITE_FCNTL_SIZE_HINT)
    return SQLITE_NOTFOUND;
  return CALL(f, xFileControl, op, arg);
}
static int shim_sector(sqlite3_file *f) {
  (void)f;
  return 512;
}
static int shim_can(sqlite3_file *f) {
  (void)f;
  return 0; // not even SQLITE_IOCAP_POWERSAFE_OVERWRITE
}

#endif
