// SPDX-License-Identifier: Apache-2.0
// The file, its transactions and its versions.
//
// Theory of operation: a rollback journal that is removed at each commit, not a
// write-ahead log. There is one writer, who writes seldom, so nothing is won by a
// log; and between two commands the book is one file, which can be copied, and in
// which erased data has no second place. synchronous=EXTRA is FULL, with the folder
// synced behind the removal of the journal: without that a power cut could bring
// the journal back and undo what was acknowledged (sqlite.org/pragma.html). Removed
// content is overwritten (secure_delete), and no temporary file is made.
#include "class/book/book.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "class/book/sql.h"

enum {
  APPLICATION_ID = 0x57426F6B, // "WBok"
  DEFAULT_WAIT_MS = 30000,
  PATIENCE_MS = 500, // before it is said that somebody else is writing
};

struct book {
  char *path, *author;
  sqlite3 *db;
  struct err_info failed; // code ERR_OK: nothing has, since book_begin
  int wait_ms;
  uint64_t waiting_since_ns; // 0: it does not
  bool has_said;
};

static const char *const steps[] = {
#define STEP(sql) sql,
#include "class/book/schema.def"
#undef STEP
};
enum { VERSION = sizeof steps / sizeof *steps };

const char *book_path(const struct book *b) {
  return b->path;
}

const char *book_author(const struct book *b) {
  return b->author;
}

sqlite3 *book_database(const struct book *b) {
  return b->db;
}

// ---- Transactions ----

enum err book_fail(struct book *b, enum err code, const char *fmt, ...) {
  char text[sizeof b->failed.text];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  if (!b->failed.code)
    err_set(&b->failed, code, "%s", text);
  return code;
}

bool book_has_failed(const struct book *b) {
  return b->failed.code != ERR_OK;
}

void book_begin(struct book *b, bool is_writing) {
  b->failed = (struct err_info){0};
  sql_run(b, is_writing ? "BEGIN IMMEDIATE" : "BEGIN", "");
}

// A transaction that SQLite ended by itself is over: the disk was full.
static void roll_back(struct book *b) {
  if (!sqlite3_get_autocommit(b->db))
    sqlite3_exec(b->db, "ROLLBACK", NULL, NULL, NULL);
}

static enum err tell(struct book *b, struct err_info *e) {
  if (e && b->failed.code)
    *e = b->failed;
  return b->failed.code;
}

enum err book_end(struct book *b, struct err_info *e) {
  sql_run(b, "COMMIT", "");
  if (b->failed.code)
    roll_back(b);
  return tell(b, e);
}

enum err book_undo(struct book *b, struct err_info *e) {
  roll_back(b);
  return tell(b, e);
}

// SQLite's busy handler: 0 gives up. Says so once, for a person waits as well.
static int wait_for_other(void *context, int count) {
  struct book *b = context;
  if (!count) {
    b->waiting_since_ns = clock_ns();
    b->has_said = false;
  }
  uint64_t waited_ms = (clock_ns() - b->waiting_since_ns) / 1000000;
  if (waited_ms > (uint64_t)b->wait_ms)
    return 0;
  if (waited_ms > PATIENCE_MS && !b->has_said) {
    b->has_said = true;
    log_say(LOG_NOTE,
            "%s: another program is writing in it; waiting up to "
            "%d s for it",
            b->path, b->wait_ms / 1000);
  }
  usleep(count < 20 ? 2000 : 20000);
  return 1;
}

// ---- Versions ----

static int version_of(struct book *b) {
  return (int)sql_number(b, 0, "PRAGMA user_version", "");
}

// Is it a gradebook, and one that this program understands?
static void look_at(struct book *b, bool is_new) {
  int64_t id = sql_number(b, 0, "PRAGMA application_id", "");
  int version = version_of(b);
  int64_t tables = sql_number(b, 0, "SELECT count(*) FROM sqlite_schema", "");
  if (is_new && tables && id == APPLICATION_ID) // another was faster
    book_fail(b, ERR_ARGUMENT, "%s: %s", b->path, strerror(EEXIST));
  else if (is_new ? tables != 0 : id != APPLICATION_ID)
    book_fail(b, ERR_ARGUMENT, "%s: this is no gradebook", b->path);
  else if (version > VERSION)
    book_fail(b, ERR_ARGUMENT,
              "%s: it was written by a newer warpshop (version %d of its "
              "tables; this program knows %d)",
              b->path, version, VERSION);
}

static void run_script(struct book *b, const char *sql) {
  struct err_info e;
  int rc = b->failed.code ? 0 : sqlite3_exec(b->db, sql, NULL, NULL, NULL);
  if (rc) {
    sql_error(b, rc, &e);
    book_fail(b, e.code, "%s", e.text);
  }
}

// Brings the tables to this version, in one transaction.
static enum err migrate(struct book *b, bool is_new, struct err_info *e) {
  char text[64];
  book_begin(b, false);
  look_at(b, is_new);
  bool is_old = version_of(b) < VERSION;
  if (!is_old || b->failed.code)
    return book_undo(b, e);
  book_undo(b, NULL);
  book_begin(b, true);
  look_at(b, is_new);
  for (int v = version_of(b); v < VERSION && !b->failed.code; v++)
    run_script(b, steps[v]);
  snprintf(text, sizeof text, "PRAGMA application_id = %d", APPLICATION_ID);
  run_script(b, text);
  snprintf(text, sizeof text, "PRAGMA user_version = %d", VERSION);
  run_script(b, text);
  return book_end(b, e);
}

// ---- Opening ----

// What a book that could not be begun leaves; one that another has begun stays.
static void remove_empty(const char *path) {
  struct stat st;
  if (!stat(path, &st) && S_ISREG(st.st_mode) && !st.st_size)
    unlink(path);
}

// Whose book it is, others shall not read.
static enum err look_at_file(const char *path, bool is_new,
                             struct err_info *e) {
  struct stat st;
  struct statfs fs;
  if (is_new) {
    // An empty one is what a killed `book new` left.
    bool is_empty = !stat(path, &st) && S_ISREG(st.st_mode) && !st.st_size;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | (is_empty ? 0 : O_EXCL),
                  0600);
    if (fd < 0)
      return err_set(e, errno == EEXIST ? ERR_ARGUMENT : ERR_IO, "%s: %s", path,
                     strerror(errno));
    close(fd);
  }
  if (stat(path, &st))
    return err_set(e, errno == ENOENT ? ERR_NOT_FOUND : ERR_IO,
                   errno == ENOENT ? "%s: there is no gradebook; warpshop "
                                     "class book new makes one"
                                   : "%s: it cannot be read",
                   path);
  if (!S_ISREG(st.st_mode))
    return err_set(e, ERR_ARGUMENT, "%s: this is no gradebook", path);
  if (st.st_mode & 007)
    return err_set(e, ERR_ARGUMENT,
                   "%s: every user of this machine may read or write it; this "
                   "mends it: chmod o= %s",
                   path, path);
  const char *network =
      statfs(path, &fs) ? NULL : file_network_name((unsigned long)fs.f_type);
  if (network && is_new)
    remove_empty(path);
  if (network)
    return err_set(e, ERR_ARGUMENT,
                   "%s: it lies on %s, where two writers can damage it; keep "
                   "it on a disk of this machine",
                   path, network);
  return ERR_OK;
}

static char *user_name(void) {
  const struct passwd *p = getpwuid(getuid());
  return p ? xstrdup(p->pw_name) : xasprintf("%d", (int)getuid());
}

static enum err open_file(struct book *b, struct err_info *e) {
  int rc = sqlite3_open_v2(b->path, &b->db,
                           SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW, NULL);
  if (rc)
    return sql_error(b, rc, e);
  sqlite3_busy_handler(b->db, wait_for_other, b);
  run_script(b, "PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = ON;"
                "PRAGMA temp_store = MEMORY; PRAGMA secure_delete = ON;"
                "PRAGMA journal_mode = DELETE; PRAGMA synchronous = EXTRA;");
  return tell(b, e);
}

// An erasure that was killed, or had no room, before the file was written anew. The
// book can be used all the same: what was removed is overwritten already.
static void finish_erasure(struct book *b) {
  struct err_info e;
  if (sql_number(b, 0, "SELECT wants_vacuum FROM keeping", "") &&
      book_vacuum(b, &e))
    log_say(LOG_WARNING,
            "%s (an erased learner's data is overwritten, and "
            "the file not written anew yet)",
            e.text);
}

enum err book_open(const struct book_open *q, struct book **out,
                   struct err_info *e) {
  *out = NULL;
  enum err err = look_at_file(q->path, q->is_new, e);
  if (err)
    return err;
  struct book *b = xcalloc(1, sizeof *b);
  char *real = realpath(q->path, NULL);
  b->path = real ? real : xstrdup(q->path);
  b->author = q->author ? xstrdup(q->author) : user_name();
  b->wait_ms = q->wait_ms ? q->wait_ms : DEFAULT_WAIT_MS;
  err = open_file(b, e);
  if (!err)
    err = migrate(b, q->is_new, e);
  if (!err)
    finish_erasure(b);
  if (err) {
    book_close(b);
    if (q->is_new)
      remove_empty(q->path);
  } else {
    *out = b;
  }
  return err;
}

void book_close(struct book *b) {
  if (!b)
    return;
  sqlite3_close(b->db);
  free(b->path);
  free(b->author);
  free(b);
}

// ---- The file as a whole ----

static enum err copy_to(struct book *b, const char *path, struct err_info *e) {
  struct book to = {.path = (char *)path, .wait_ms = b->wait_ms};
  int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0)
    return err_set(e, ERR_IO, "%s: %s", path, strerror(errno));
  close(fd);
  int rc = sqlite3_open_v2(path, &to.db, SQLITE_OPEN_READWRITE, NULL);
  sqlite3_backup *copy =
      rc ? NULL : sqlite3_backup_init(to.db, "main", b->db, "main");
  if (copy) {
    rc = sqlite3_backup_step(copy, -1);
    sqlite3_backup_finish(copy);
  }
  enum err err = copy && rc == SQLITE_DONE
                     ? ERR_OK
                     : sql_error(&to, copy ? rc : sqlite3_errcode(to.db), e);
  sqlite3_close(to.db);
  return err;
}

static enum err sync_folder_of(const char *path) {
  char *folder = xstrdup(path);
  char *slash = strrchr(folder, '/');
  if (slash)
    slash[slash == folder] = 0;
  int fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int rc = fd < 0 ? -1 : fsync(fd);
  if (fd >= 0)
    close(fd);
  free(folder);
  return rc ? ERR_IO : ERR_OK;
}

// Does the open file begin as a gradebook does? (sqlite.org/fileformat.html)
static bool is_book(int fd) {
  static const char magic[] = "SQLite format 3";
  unsigned char at[72];
  return pread(fd, at, sizeof at, 0) == sizeof at &&
         !memcmp(at, magic, sizeof magic) && at[68] == APPLICATION_ID >> 24 &&
         at[69] == (APPLICATION_ID >> 16 & 255) &&
         at[70] == (APPLICATION_ID >> 8 & 255) &&
         at[71] == (APPLICATION_ID & 255);
}

// What may not be there any more afterwards: the book, and what is no copy of one.
static enum err look_at_target(const struct book *b, const char *path,
                               struct err_info *e) {
  struct stat st, own;
  if (!stat(path, &st) && !stat(b->path, &own) && own.st_dev == st.st_dev &&
      own.st_ino == st.st_ino)
    return err_set(e, ERR_ARGUMENT, "%s: that is the book itself", path);
  if (lstat(path, &st))
    return ERR_OK;
  int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  bool is_copy =
      fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && is_book(fd);
  if (fd >= 0)
    close(fd);
  return is_copy ? ERR_OK
                 : err_set(e, ERR_ARGUMENT,
                           "%s: it is there and no gradebook's backup, and is "
                           "left as it is; name another file",
                           path);
}

enum err book_check_target(const char *path, struct err_info *e) {
  struct stat st;
  if (stat(path, &st) || !S_ISREG(st.st_mode))
    return ERR_OK;
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  bool holds_book = fd >= 0 && is_book(fd);
  if (fd >= 0)
    close(fd);
  return holds_book
             ? err_set(e, ERR_ARGUMENT,
                       "%s: a gradebook is there and is left as it is; name "
                       "another file",
                       path)
             : ERR_OK;
}

enum err book_backup(struct book *b, const char *path, struct err_info *e) {
  enum err err = look_at_target(b, path, e);
  if (err)
    return err;
  char *part = xasprintf("%s.part", path);
  unlink(part);
  err = copy_to(b, part, e);
  if (!err && (rename(part, path) || sync_folder_of(path)))
    err = err_set(e, ERR_IO, "%s: %s", path, strerror(errno));
  if (err)
    unlink(part);
  free(part);
  return err;
}

enum err book_check(struct book *b, void (*say)(void *context, const char *),
                    void *context, struct err_info *e) {
  char text[512];
  book_begin(b, false);
  for (struct sql_rows r = sql_rows(b, "PRAGMA integrity_check", "");
       sql_next(&r);)
    if (strcmp(sql_column(&r, 0), "ok") != 0)
      say(context, sql_column(&r, 0));
  for (struct sql_rows r = sql_rows(b, "PRAGMA foreign_key_check", "");
       sql_next(&r);) {
    snprintf(text, sizeof text, "row %lld of %s points at nothing in %s",
             (long long)sql_integer(&r, 1), sql_column(&r, 0),
             sql_column(&r, 2));
    say(context, text);
  }
  return book_undo(b, e);
}

enum err book_vacuum(struct book *b, struct err_info *e) {
  b->failed = (struct err_info){0};
  run_script(b, "VACUUM");
  run_script(b, "UPDATE keeping SET wants_vacuum = 0");
  return tell(b, e);
}
