// SPDX-License-Identifier: Apache-2.0
// Tests of base/wire.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/wire.h"

struct pair {
  int here, there;
  int calls; // of the wait
};

static void open_pair(struct pair *p) {
  int fds[2];
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
  *p = (struct pair){fds[0], fds[1], 0};
}

static void close_pair(struct pair *p) {
  close(p->here);
  if (p->there >= 0)
    close(p->there);
}

// Sends the second half only when the first has long been read.
static enum err send_more(void *context) {
  struct pair *p = context;
  if (++p->calls == 4)
    assert_true(wire_write(p->there, "half", 4));
  return ERR_OK;
}

static void test_bytes_come_in_pieces(void **state) {
  (void)state;
  struct pair p;
  char got[9] = "";
  open_pair(&p);
  assert_true(wire_write(p.there, "one ", 4));
  assert_int_equal(wire_read_while(p.here, got, 8, send_more, &p), ERR_OK);
  assert_string_equal(got, "one half");
  assert_true(wire_write(p.there, "together", 8));
  assert_true(wire_read(p.here, got, 8));
  assert_string_equal(got, "together");
  close_pair(&p);
}

static enum err give_up(void *context) {
  struct pair *p = context;
  return ++p->calls < 3 ? ERR_OK : ERR_CANCELLED;
}

static void test_a_wait_ends_with_its_error(void **state) {
  (void)state;
  struct pair p;
  char got[8];
  open_pair(&p);
  assert_int_equal(wire_read_while(p.here, got, 8, give_up, &p), ERR_CANCELLED);
  assert_int_equal(p.calls, 3);
  close_pair(&p);
}

static void test_the_other_side_is_gone(void **state) {
  (void)state;
  struct pair p;
  char got[8];
  open_pair(&p);
  assert_true(wire_write(p.there, "one", 3));
  close(p.there);
  p.there = -1;
  assert_int_equal(wire_read_while(p.here, got, 8, give_up, &p), ERR_IO);
  assert_false(wire_read(p.here, got, 8));
  assert_false(wire_write(p.here, got, 8)); // and no signal ends us
  close_pair(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bytes_come_in_pieces),
      cmocka_unit_test(test_a_wait_ends_with_its_error),
      cmocka_unit_test(test_the_other_side_is_gone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
