// SPDX-License-Identifier: Apache-2.0
// Events of a room: what the instructor's program reads is what the learner's wrote,
// whatever its letters; and what none wrote is none.
#include <fcntl.h>
#include <grp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/record.h"
#include "class/event.h"

struct place {
  char folder[64], *own;
  struct room *room;
};

static int set_up(void **state) {
  struct place *p = xcalloc(1, sizeof *p);
  struct err_info e = {0};
  const struct group *g = getgrgid(getegid());
  char *all[] = {(char *)"x"}, *name = NULL;
  strcpy(p->folder, "/tmp/event.XXXXXX");
  if (!mkdtemp(p->folder))
    return -1;
  setenv("XDG_STATE_HOME", p->folder, 1);
  char *path = xasprintf("%s/room", p->folder);
  struct room_new q = {path, g ? g->gr_name : "root", all, 0};
  if (room_new(&q, &e) || room_open(path, &p->room, &e) ||
      room_join(p->room, &name, &e)) {
    print_message("%s\n", e.text);
    return -1;
  }
  p->own = xasprintf("%s/%s", path, name);
  free(path);
  free(name);
  *state = p;
  return 0;
}

static int tear_down(void **state) {
  struct place *p = *state;
  char *command = xasprintf("rm -rf '%s'", p->folder);
  int failed = system(command); // of our own making
  room_close(p->room);
  free(command);
  free(p->own);
  free(p);
  return failed;
}

static void note(void *context, uid_t uid, const struct event *ev) {
  assert_int_equal(uid, geteuid());
  str_addf(context, "%s|%s|%s|%s|%s\n", event_text(ev->kind), ev->what,
           ev->text, ev->code, ev->time_ms > 0 ? "" : "no time");
}

static void note_odd(void *context, const char *text) {
  str_addf(context, "odd: %s\n", text);
}

static void expect(const struct place *p, const char *want) {
  struct str got = STR_INIT;
  struct err_info e;
  struct event_reader *reader = event_reader_open(p->room);
  struct event_source to = {note, note_odd, &got};
  str_add(&got, "");
  assert_int_equal(event_read(reader, &to, &e), ERR_OK);
  assert_string_equal(got.data, want);
  event_reader_close(reader);
  str_free(&got);
}

static void test_every_letter(void **state) {
  const struct place *p = *state;
  struct event_log *log = event_log_open(p->own);
  struct err_info e;
  struct str want = STR_INIT;
  int64_t from = clock_day_ms();
  for (int c = 1; c < 128; c++) {
    char text[] = {'a', (char)c, 'z', 0}, end[] = {(char)c, 0};
    assert_int_equal(event_add(log, EVENT_ASK, text, end, "", &e), ERR_OK);
    str_addf(&want, "ask|%s|%s||\n", text, end);
  }
  for (const char *const *t =
           (const char *const[]){"", "ü", "a\\u0041\"b", "\xff", "名前", NULL};
       *t; t++) {
    assert_int_equal(event_add(log, EVENT_FAIL, *t, "", *t, &e), ERR_OK);
    const char *is = **t == '\xff' ? "?" : *t; // no text that JSON can hold
    str_addf(&want, "fail|%s||%s|\n", is, is);
  }
  expect(p, want.data);
  assert_true(clock_day_ms() >= from);
  event_log_close(log);
  str_free(&want);
}

// 500 bytes are kept, and of those no half of a letter.
static void test_long_texts_end_behind_a_letter(void **state) {
  static const struct {
    int before, kept;
    const char *letter;
  } cases[] = {{498, 500, "ü"},  {499, 499, "ü"},  {498, 498, "名"},
               {499, 499, "名"}, {497, 500, "名"}, {500, 500, "ü"}};
  const struct place *p = *state;
  struct event_log *log = event_log_open(p->own);
  struct err_info e;
  struct str want = STR_INIT;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct str text = STR_INIT;
    for (int k = 0; k < cases[i].before; k++)
      str_add(&text, "a");
    str_addf(&text, "%sb", cases[i].letter);
    assert_int_equal(event_add(log, EVENT_ASK, text.data, "", "", &e), ERR_OK);
    str_addf(&want, "ask|%.*s|||\n", cases[i].kept, text.data);
    str_free(&text);
  }
  expect(p, want.data);
  event_log_close(log);
  str_free(&want);
}

static void test_every_kind(void **state) {
  const struct place *p = *state;
  struct event_log *log = event_log_open(p->own);
  struct err_info e;
  struct str want = STR_INIT;
  for (int k = EVENT_JOIN; k <= EVENT_LEAVE; k++) {
    assert_int_equal(event_add(log, (enum event_kind)k, "w", "t", "c", &e),
                     ERR_OK);
    str_addf(&want, "%s|w|t|c|\n", event_text((enum event_kind)k));
  }
  expect(p, want.data);
  event_log_close(log);
  str_free(&want);
}

// Records with the right checksum that event_add does not write like that.
static void test_other_forms(void **state) {
  static const struct {
    const char *payload, *want;
  } of[] = {
      {"{\"kind\":\"hint\",\"ms\":5}", "hint||||\n"},
      {"{\"ms\":5,\"kind\":\"hint\",\"what\":\"a\"}", "hint|a|||\n"},
      {"{\"ms\":5,\"kind\":\"hint\",\"what\":\"a\",\"text\":\"b\",\"code\":"
       "\"c\",\"more\":[1]}",
       "hint|a|b|c|\n"},
      {"{\"ms\": 5,\"kind\":\"hint\",\"what\":\"\\u0041\"}", "hint|A|||\n"},
      {"{\"ms\":-5,\"kind\":\"hint\",\"what\":\"a\",\"text\":\"b\",\"code\":"
       "\"c\"}",
       "hint|a|b|c|no time\n"},
      {"{\"ms\":5,\"kind\":\"nod\",\"what\":\"a\",\"text\":\"b\",\"code\":"
       "\"c\"}",
       ""},
      {"{\"ms\":5,\"kind\":\"hint\",\"what\":\"a\",\"text\":\"b\",\"code\":"
       "\"c\"",
       ""},
      {"{\"ms\":5,\"kind\":\"hint\",\"what\":\"a\",\"text\":\"b\",\"code\":"
       "\"c\"}}",
       ""},
      {"{\"ms\":5x,\"kind\":\"hint\",\"what\":\"a\",\"text\":\"b\",\"code\":"
       "\"c\"}",
       ""},
      {"{\"ms\":,\"kind\":\"hint\",\"what\":\"a\",\"text\":\"b\",\"code\":"
       "\"c\"}",
       ""},
      {"{\"ms\":5,\"kind\":\"hint\",\"what\":\"\xff\",\"text\":\"b\",\"code\":"
       "\"c\"}",
       ""},
      {"{\"ms\":5,\"kind\":\"hint\",\"what\":\"\t\",\"text\":\"b\",\"code\":"
       "\"c\"}",
       ""},
      {"{\"ms\":5,\"kind\":\"hint", ""},
      {"{\"ms\":", ""},
      {"[]", ""},
      {"", ""},
  };
  const struct place *p = *state;
  struct str want = STR_INIT;
  struct err_info e;
  char *path = xasprintf("%s/events/of-my-own.log", p->own);
  int fd;
  assert_int_equal(record_open(path, 0640, &fd, &e), ERR_OK);
  str_add(&want, "");
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    const char *payload = of[i].payload;
    record_append(fd, path, payload, strlen(payload), &e);
    str_add(&want, of[i].want);
  }
  expect(p, want.data);
  close(fd);
  free(path);
  str_free(&want);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_every_letter, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_long_texts_end_behind_a_letter,
                                      set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_every_kind, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_other_forms, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
