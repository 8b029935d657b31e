// SPDX-License-Identifier: Apache-2.0
// What comes back to a learner, as a gradebook adds it: each once, in order, whatever
// is torn; and a room's keys.
#include <fcntl.h>
#include <grp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "class/key.h"
#include "class/return.h"

struct place {
  char folder[64], *path, *log;
  struct room *room;
};

static int set_up(void **state) {
  struct place *p = xcalloc(1, sizeof *p);
  struct err_info e = {0};
  const struct group *g = getgrgid(getegid());
  char *all[] = {(char *)"x"};
  strcpy(p->folder, "/tmp/return.XXXXXX");
  if (!mkdtemp(p->folder))
    return -1;
  setenv("XDG_STATE_HOME", p->folder, 1);
  p->path = xasprintf("%s/room", p->folder);
  struct room_new q = {p->path, g ? g->gr_name : "root", all, 0};
  if (room_new(&q, &e) || room_open(p->path, &p->room, &e)) {
    print_message("%s\n", e.text);
    return -1;
  }
  p->log = xasprintf("%s/return/%u/log", p->room->folder, (unsigned)geteuid());
  *state = p;
  return 0;
}

static int tear_down(void **state) {
  struct place *p = *state;
  char *command = xasprintf("rm -rf '%s'", p->folder);
  int failed = system(command); // of our own making
  room_close(p->room);
  free(command);
  free(p->path);
  free(p->log);
  free(p);
  return failed;
}

static enum err add_mark(const struct place *p, int number,
                         struct err_info *e) {
  json_t *body = json_pack("{s:s,s:i,s:i,s:i}", "exercise", "vector-add",
                           "mark", number, "of", 10, "number", number);
  enum err err = return_append(p->room, geteuid(), "mark", body, e);
  json_decref(body);
  return err;
}

static void note(void *context, const struct return_item *item) {
  char *to = context;
  assert_string_equal(item->kind, "mark");
  assert_true(item->time_ms > 0);
  sprintf(to + strlen(to), "%d ",
          (int)json_integer_value(json_object_get(item->body, "mark")));
}

static int64_t read_all(const struct place *p, int64_t from, char *out) {
  struct err_info e = {0};
  int64_t to;
  *out = 0;
  assert_int_equal(return_read(p->room, from, &to, note, out, &e), ERR_OK);
  return to;
}

static void test_each_once(void **state) {
  const struct place *p = *state;
  struct err_info e = {0};
  char seen[200];
  assert_int_equal(return_length(p->room->folder), 0);
  assert_int_equal(read_all(p, 0, seen), 0);
  for (int i = 1; i <= 3; i++)
    assert_int_equal(add_mark(p, i, &e), ERR_OK);
  assert_int_equal(add_mark(p, 2, &e), ERR_OK); // begun again
  int64_t end = read_all(p, 0, seen);
  assert_string_equal(seen, "1 2 3 ");
  assert_int_equal(end, return_length(p->room->folder));
  add_mark(p, 4, &e);
  read_all(p, end, seen);
  assert_string_equal(seen, "4 ");
}

// Cut at every byte of the last record, as by a kill, and begun again.
static void test_cut_anywhere(void **state) {
  const struct place *p = *state;
  struct err_info e = {0};
  char seen[200];
  add_mark(p, 1, &e);
  int64_t from = return_length(p->room->folder);
  add_mark(p, 2, &e);
  int64_t to = return_length(p->room->folder);
  for (int64_t cut = from; cut < to; cut++) {
    assert_int_equal(truncate(p->log, cut), 0);
    assert_int_equal(add_mark(p, 2, &e), ERR_OK);
    read_all(p, 0, seen);
    assert_string_equal(seen, "1 2 ");
  }
}

static void test_no_half_record(void **state) {
  const struct place *p = *state;
  struct err_info e = {0};
  char seen[200];
  add_mark(p, 1, &e);
  int64_t whole = return_length(p->room->folder);
  add_mark(p, 2, &e);
  assert_int_equal(truncate(p->log, return_length(p->room->folder) - 3), 0);
  assert_int_equal(read_all(p, 0, seen), whole); // the rest is still to come
  assert_string_equal(seen, "1 ");
}

// Two instructors who give the same marks at once: each mark is there once.
static void test_at_once(void **state) {
  enum { PROCESSES = 8, MARKS = 30 };
  int gate[2];
  const struct place *p = *state;
  struct err_info e = {0};
  char seen[400], want[400] = "";
  assert_int_equal(pipe(gate), 0);
  for (int k = 0; k < PROCESSES; k++)
    if (!fork()) {
      int failed = 0;
      char none;
      close(gate[1]);
      if (read(gate[0], &none, 1)) // its end is what all wait for
        _exit(1);
      for (int i = 1; i <= MARKS; i++)
        failed |= add_mark(p, i, &e) != ERR_OK;
      _exit(failed);
    }
  close(gate[0]);
  close(gate[1]);
  for (int k = 0, status; k < PROCESSES; k++) {
    assert_true(wait(&status) > 0);
    assert_int_equal(status, 0);
  }
  for (int i = 1; i <= MARKS; i++)
    sprintf(want + strlen(want), "%d ", i);
  read_all(p, 0, seen);
  assert_string_equal(seen, want);
}

// A room that lost the folder says so, and what the program reads from is not
// taken for it.
static void test_no_folder(void **state) {
  const struct place *p = *state;
  struct err_info e = {0};
  char *gone = xasprintf("%s/return", p->path);
  assert_int_equal(rmdir(gone), 0);
  assert_int_equal(add_mark(p, 1, &e), ERR_IO);
  assert_non_null(strstr(e.text, "/room: No such file or directory"));
  free(gone);
}

static void test_keys(void **state) {
  const struct place *p = *state;
  struct err_info e = {0};
  struct room_secret s;
  char signature[KEY_SIGNATURE_HEX], id[KEY_ID_HEX], other[KEY_ID_HEX];
  assert_int_equal(key_load(p->room, &s, &e), ERR_OK);
  key_sign(&s, "a text", signature);
  assert_true(key_verify(p->room, "a text", signature));
  assert_false(key_verify(p->room, "a texT", signature));
  assert_false(key_verify(p->room, "a text", ""));
  assert_false(key_verify(p->room, "a text", NULL));
  signature[5] = signature[5] == '0' ? '1' : '0';
  assert_false(key_verify(p->room, "a text", signature));
  key_id(&s, "a", id);
  key_id(&s, "b", other);
  assert_string_not_equal(id, other);
}

static void test_sealing(void **state) {
  const struct place *p = *state;
  struct err_info e = {0};
  char key[KEY_HEX + 1] = "", *path = xasprintf("%s/key", p->folder);
  assert_int_equal(key_share(p->folder, &e), ERR_OK);
  FILE *f = fopen(path, "re");
  assert_non_null(f);
  assert_non_null(fgets(key, sizeof key, f));
  fclose(f);
  char *box = key_seal(key, "a mark");
  char *text = key_open(box);
  assert_string_equal(text, "a mark");
  free(text);
  box[7] = box[7] == '0' ? '1' : '0';
  assert_null(key_open(box));
  assert_null(key_open("00"));
  assert_null(key_open("no hex"));
  assert_null(key_seal("no key", "a mark"));
  free(box);
  free(path);
}

static void test_another_rooms_key(void **state) {
  struct place *p = *state;
  struct err_info e = {0};
  struct room_secret s;
  p->room->key[0] ^= 1;
  assert_int_equal(key_load(p->room, &s, &e), ERR_ARGUMENT);
  assert_non_null(strstr(e.text, "another room's"));
  assert_int_equal(add_mark(p, 1, &e), ERR_ARGUMENT);
  p->room->has_key = false;
  assert_int_equal(add_mark(p, 1, &e), ERR_ARGUMENT);
  assert_non_null(strstr(e.text, "class new"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_each_once),      TEST(test_cut_anywhere),
      TEST(test_no_half_record), TEST(test_at_once),
      TEST(test_no_folder),      TEST(test_keys),
      TEST(test_sealing),        TEST(test_another_rooms_key),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
