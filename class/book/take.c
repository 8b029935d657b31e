// SPDX-License-Identifier: Apache-2.0
#include "class/book/take.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/open.h"
#include "base/record.h"
#include "class/book/evidence.h"
#include "class/book/sql.h"
#include "grade/input/input.h"

enum { MAX_FILE_BYTES = 1 << 30, MAX_RECEIPT_BYTES = 1 << 16 };

struct taking {
  struct book *book;
  struct take *q;
  const char *name;   // of the file that is read
  int in_file;        // verdicts that it holds
  int exercise_count; // that something new is of
  int64_t *exercises;
};

static void tell(struct taking *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static void tell(struct taking *t, const char *fmt, ...) {
  struct str s = STR_INIT;
  va_list ap;
  va_start(ap, fmt);
  str_addv(&s, fmt, ap);
  va_end(ap);
  t->q->odd(t->q->context, s.data);
  str_free(&s);
}

static void touch(struct taking *t, int64_t exercise) {
  for (int i = 0; i < t->exercise_count; i++)
    if (t->exercises[i] == exercise)
      return;
  t->exercises = xrealloc(t->exercises, (size_t)(t->exercise_count + 1) *
                                            sizeof *t->exercises);
  t->exercises[t->exercise_count++] = exercise;
}

static int64_t make_learner(struct taking *t, const char *name) {
  int64_t id = learner_find(t->book, name);
  if (id)
    return id;
  if (sql_number(t->book, 0, "SELECT count(*) FROM event WHERE kind = 'roster'",
                 ""))
    tell(t, "%s is on no roster; the book has them from now on", name);
  t->q->learners++;
  return learner_make(t->book, name);
}

// ---- Hand-ins ----

// One exercise in a learner's folder.
struct found {
  const char *learner;
  char *exercise;
  const char *kind;   // ".cu", ".lua", ".sh"
  const char *newest; // the path of what was handed in last
};

// A source that is read, once; `text` NULL: it is none (binary, too large).
struct read_source {
  struct source source;
  const char *text;
};

// False: it cannot be read, which is told.
static bool read_source(struct taking *t, int folder, const char *path,
                        struct read_source *out) {
  struct err_info e;
  char *refused = NULL;
  *out = (struct read_source){0};
  enum err err = source_read_beneath(folder, path, &out->source, &refused, &e);
  if (err)
    tell(t, "%s", e.text);
  else if (!out->source.sha256[0])
    tell(t, "%s: %s", path, refused ? refused : "it has no hash");
  else
    out->text = refused ? NULL : out->source.text;
  free(refused);
  return !err && out->source.sha256[0];
}

static void add(struct taking *t, const struct found *f,
                struct book_submission *s) {
  s->learner = make_learner(t, f->learner);
  s->exercise = exercise_make(t->book, f->exercise);
  s->kind = f->kind;
  if (!evidence_add_submission(t->book, s))
    return;
  t->q->submissions++;
  touch(t, s->exercise);
}

// ---- With a receipt (class/receipt.h, class/collect.h) ----

// The source that it is of lies in .attempts, or is the newest; else it is not here.
static char *path_of(int folder, const struct found *f, int attempt) {
  char *path = xasprintf("%s/.attempts/%s-%04d%s", f->learner, f->exercise,
                         attempt, f->kind);
  if (!faccessat(folder, path, F_OK, AT_SYMLINK_NOFOLLOW))
    return path;
  free(path);
  return NULL;
}

static void add_receipt(struct taking *t, int folder, const struct found *f,
                        struct book_submission *s) {
  struct read_source r = {0};
  char *path = path_of(folder, f, s->attempt);
  bool is_read = read_source(t, folder, path ? path : f->newest, &r);
  bool is_it = is_read && !strcmp(r.source.sha256, s->sha256);
  if (is_read && path && !is_it)
    tell(t, "%s: this is not what its receipt is of", path);
  s->source = is_it ? r.text : NULL;
  add(t, f, s);
  source_free(&r.source);
  free(path);
}

// What was a receipt's hash is one of `known`.
static void take_receipt(struct taking *t, int folder, struct found *f,
                         const char *text, struct str *known) {
  json_t *o = json_loads(text, 0, NULL);
  const char *hash = json_string_value(json_object_get(o, "hash"));
  const char *kind = json_string_value(json_object_get(o, "kind"));
  kind = source_kind(kind ? kind : ".cu"); // ours, whatever it says
  json_int_t number = json_integer_value(json_object_get(o, "number"));
  double time_s = json_number_value(json_object_get(o, "time_s"));
  if (!hash || strlen(hash) != SEED_HEX - 1 || number < 1 || number > 999999 ||
      !(time_s > 0) || time_s > 1e11 || !kind) {
    tell(t, "%s: a receipt of %s that is none", f->learner, f->exercise);
  } else {
    struct book_submission s = {.sha256 = hash,
                                .time_ms = (int64_t)(time_s * 1000),
                                .time_from = "receipt",
                                .attempt = (int)number,
                                .receipt = text};
    f->kind = kind;
    add_receipt(t, folder, f, &s);
    str_addf(known, "%s ", hash);
  }
  json_decref(o);
}

// "vector-add-0003.json" is one of "vector-add".
static bool is_receipt_of(const char *file, const char *exercise) {
  size_t n = strlen(exercise);
  if (strncmp(file, exercise, n) != 0 || file[n] != '-')
    return false;
  size_t digits = strspn(file + n + 1, "0123456789");
  return digits && !strcmp(file + n + 1 + digits, ".json");
}

static void take_receipts(struct taking *t, int folder, struct found *f,
                          struct str *known) {
  int count;
  char *path = xasprintf("%s/%s/.receipts", t->q->folder, f->learner);
  char **names = file_names(path, &count);
  for (int i = 0; i < count; i++) {
    struct err_info e;
    size_t bytes;
    char *text = NULL, *one;
    int fd = -1;
    if (!is_receipt_of(names[i], f->exercise))
      continue;
    one = xasprintf("%s/.receipts/%s", f->learner, names[i]);
    if (open_beneath(folder, one, &fd, &e) ||
        file_read_open(fd, one, MAX_RECEIPT_BYTES, &text, &bytes, &e))
      tell(t, "%s", e.text);
    else
      take_receipt(t, folder, f, text, known);
    if (fd >= 0)
      close(fd);
    free(text);
    free(one);
  }
  file_names_free(names, count);
  free(path);
}

// ---- The newest ----

// Its time is the file's own, unless a receipt is of it.
static void take_newest(struct taking *t, int folder, struct found *f) {
  struct read_source r;
  struct stat st;
  struct str known = STR_INIT;
  if (fstatat(folder, f->newest, &st, AT_SYMLINK_NOFOLLOW)) {
    tell(t, "%s: %s", f->newest, strerror(errno));
    return;
  }
  const char *kind = f->kind;
  take_receipts(t, folder, f, &known);
  f->kind = kind;
  if (read_source(t, folder, f->newest, &r) &&
      !strstr(known.data, r.source.sha256)) {
    struct book_submission s = {.sha256 = r.source.sha256,
                                .time_ms = (int64_t)st.st_mtim.tv_sec * 1000 +
                                           st.st_mtim.tv_nsec / 1000000,
                                .time_from = "file",
                                .source = r.text};
    add(t, f, &s);
  }
  source_free(&r.source);
  str_free(&known);
}

static void take_file(struct taking *t, int folder, const char *learner,
                      const char *file) {
  const char *kind = source_kind(file);
  if (!kind || *file == '.') {
    tell(t, "%s/%s: no hand-in, which is <exercise>.cu, .lua or .sh", learner,
         file);
    return;
  }
  char *path = xasprintf("%s/%s", learner, file);
  struct found f = {.learner = learner,
                    .exercise = xstrndup(file, strlen(file) - strlen(kind)),
                    .kind = kind,
                    .newest = path};
  take_newest(t, folder, &f);
  free(f.exercise);
  free(path);
}

static void take_folder(struct taking *t) {
  int count, file_count;
  int folder = open(t->q->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) {
    book_fail(t->book, ERR_IO, "%s: %s", t->q->folder, strerror(errno));
    return;
  }
  char **learners = file_names(t->q->folder, &count);
  for (int i = 0; i < count; i++) {
    struct stat st;
    if (fstatat(folder, learners[i], &st, AT_SYMLINK_NOFOLLOW) ||
        !S_ISDIR(st.st_mode) || !learner_is_name(learners[i])) {
      tell(t, "%s: no learner's folder", learners[i]);
      continue;
    }
    char *path = xasprintf("%s/%s", t->q->folder, learners[i]);
    char **files = file_names(path, &file_count);
    for (int k = 0; k < file_count; k++)
      take_file(t, folder, learners[i], files[k]);
    file_names_free(files, file_count);
    free(path);
  }
  file_names_free(learners, count);
  close(folder);
}

// ---- Verdicts ----

static const char *evidence_of(const json_t *verdict, const char *name) {
  return json_string_value(
      json_object_get(json_object_get(verdict, "evidence"), name));
}

// A verdict of what the book never saw handed in: it was handed in when it was taken
// in, as far as anybody can tell.
static void add_unseen(struct taking *t, int64_t learner, int64_t exercise,
                       const char *hash) {
  struct book_submission s = {.learner = learner,
                              .exercise = exercise,
                              .sha256 = hash,
                              .time_ms = clock_day_ms(),
                              .time_from = "taken"};
  int64_t count = sql_number(t->book, 0,
                             "SELECT count(*) FROM submission WHERE learner = ?"
                             " AND exercise = ? AND sha256 = ?",
                             "iit", learner, exercise, hash);
  if (!count && evidence_add_submission(t->book, &s))
    t->q->submissions++;
}

// An error of the judge's has no score; any other lies within its points.
static bool has_fair_score(const json_t *v) {
  const json_t *score = json_object_get(v, "score");
  const json_t *earned = json_object_get(score, "earned");
  double possible = json_number_value(json_object_get(score, "possible"));
  double points = json_number_value(earned);
  return json_is_null(earned) ||
         (json_is_number(earned) && points >= 0 && points <= possible &&
          possible > 0 && possible <= 1000000);
}

static void take_verdict(struct taking *t, const json_t *v) {
  const char *learner = evidence_of(v, "learner");
  const char *hash = evidence_of(v, "source_sha256");
  const char *exercise = json_string_value(json_object_get(v, "exercise"));
  t->in_file++;
  if (!learner || !learner_is_name(learner) || !exercise ||
      !learner_is_name(exercise)) {
    tell(t,
         "%s: a verdict that says of no learner or exercise that it is "
         "theirs; grade --from, or grade --learner NAME, does",
         t->name);
    return;
  }
  if (!hash || !*hash) {
    tell(t, "%s: %s, %s: what was handed in could not be read", t->name,
         learner, exercise);
    return;
  }
  if (!has_fair_score(v)) {
    tell(t, "%s: %s, %s: a verdict whose score cannot be", t->name, learner,
         exercise);
    return;
  }
  int64_t id = make_learner(t, learner), of = exercise_make(t->book, exercise);
  add_unseen(t, id, of, hash);
  if (!evidence_add_verdict(t->book, id, v))
    return;
  t->q->verdicts++;
  touch(t, of);
}

// One verdict, many, or a journal's {key, verdict}.
static void take_object(struct taking *t, const json_t *o) {
  const json_t *list = json_object_get(o, "submissions");
  const json_t *kept = json_object_get(o, "verdict");
  size_t i;
  json_t *one;
  json_array_foreach(list, i, one) {
    take_verdict(t, one);
  }
  if (json_is_object(kept))
    take_verdict(t, kept);
  else if (!list && json_object_get(o, "evidence"))
    take_verdict(t, o);
}

static void take_text(void *context, char *text) {
  json_t *o = json_loads(text, 0, NULL);
  if (o)
    take_object(context, o);
  json_decref(o);
}

// Lines of JSON; how many are none.
static size_t take_lines(struct taking *t, char *data) {
  size_t bad = 0;
  for (char *line = data, *next; line; line = next) {
    next = strchr(line, '\n');
    if (next)
      *next++ = 0;
    if (!line[strspn(line, " \t\r")])
      continue;
    json_t *o = json_loads(line, 0, NULL);
    bad += !o;
    if (o)
      take_object(t, o);
    json_decref(o);
  }
  return bad;
}

static void take_verdicts(struct taking *t, const char *path) {
  struct err_info e;
  char *data;
  size_t bytes, bad = 0;
  if (file_read(path, MAX_FILE_BYTES, &data, &bytes, &e)) {
    book_fail(t->book, e.code, "%s", e.text);
    return;
  }
  t->name = path;
  t->in_file = 0;
  json_t *whole = json_loadb(data, bytes, 0, NULL);
  if (whole)
    take_object(t, whole);
  else if (data[0] == '{')
    bad = take_lines(t, data);
  else
    bad = record_read(data, bytes, take_text, t);
  if (!t->in_file)
    book_fail(t->book, ERR_ARGUMENT,
              "%s: there is no verdict in it; warpshop grade --from FOLDER "
              "keeps them in grades.journal, --json writes them",
              path);
  else if (bad)
    tell(t, "%s: %zu line%s of it %s no verdict", path, bad,
         bad == 1 ? "" : "s", bad == 1 ? "is" : "are");
  json_decref(whole);
  free(data);
}

void take_in(struct book *b, struct take *q) {
  struct taking t = {.book = b, .q = q};
  if (q->folder)
    take_folder(&t);
  for (int i = 0; i < q->file_count && !book_has_failed(b); i++)
    take_verdicts(&t, q->files[i]);
  for (int i = 0; i < t.exercise_count; i++)
    marks_settle(b, t.exercises[i], "taken in", q->changed, q->context);
  free(t.exercises);
}
