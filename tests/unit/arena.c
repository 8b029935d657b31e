// SPDX-License-Identifier: Apache-2.0
// gpu/remote/arena.h: blocks never overlap, merge when free, have memory
// behind them, and give it back.
#include "gpu/remote/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory_left.h"

static struct arena *arena;
static struct err_info e;

static int set_up(void **state) {
  (void)state;
  return arena_new(&arena, &e);
}

static int tear_down(void **state) {
  (void)state;
  arena_free(arena);
  return 0;
}

static void *take(size_t bytes) {
  void *p;
  assert_int_equal(arena_alloc(arena, bytes, &p, &e), ERR_OK);
  return p;
}

static void alignment(void **state) {
  (void)state;
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  void *a = take(0), *b = take(1), *c = take(65), *d = take(64 << 10),
       *f = take(3), *g = take(1 << 20);
  assert_non_null(a);
  assert_ptr_not_equal(a, b);
  assert_int_equal((uintptr_t)b % 64, 0);
  assert_int_equal((uintptr_t)c % 64, 0);
  assert_int_equal((uintptr_t)d % page, 0);
  assert_int_equal((uintptr_t)g % page, 0);
  assert_true(arena_used(arena) >= (1 << 20) + (64 << 10) + 4 * 64);
  void *all[] = {a, b, c, d, f, g, NULL};
  for (int i = 0; i < 7; i++)
    arena_release(arena, all[i]);
  assert_int_equal(arena_used(arena), 0);
}

// Random blocks, each filled with its own byte: an overlap would show.
static void random_blocks(void **state) {
  (void)state;
  enum { SLOTS = 300, STEPS = 20000 };
  static struct {
    unsigned char *p;
    size_t bytes;
    unsigned char fill;
  } slots[SLOTS];
  uint64_t random = 88172645463325252ull;
  for (int step = 0; step < STEPS; step++) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    int i = (int)(random % SLOTS);
    if (slots[i].p) {
      for (size_t k = 0; k < slots[i].bytes; k += 61)
        assert_int_equal(slots[i].p[k], slots[i].fill);
      arena_release(arena, slots[i].p);
      slots[i].p = NULL;
      continue;
    }
    slots[i].bytes = (size_t)(random >> 20) % (1u << (random >> 50) % 19);
    slots[i].fill = (unsigned char)step;
    slots[i].p = take(slots[i].bytes);
    memset(slots[i].p, slots[i].fill, slots[i].bytes);
  }
  for (int i = 0; i < SLOTS; i++)
    arena_release(arena, slots[i].p);
  assert_int_equal(arena_used(arena), 0);
  // All is one block again: the whole arena's addresses can be asked for,
  // and what stands in the way is memory.
  void *p;
  assert_int_equal(arena_alloc(arena, arena_size(arena), &p, &e), ERR_NOMEM);
  assert_non_null(strstr(e.text, "this machine has"));
}

static void large_blocks_give_memory_back(void **state) {
  (void)state;
  size_t bytes = 96 << 20;
  struct stat before, after;
  for (int i = 0; i < 40; i++) { // 3.75 GiB in all
    char *p = take(bytes), *q = take(bytes);
    p[0] = q[bytes - 1] = 1;
    arena_release(arena, p);
    arena_release(arena, q);
  }
  fstat(arena_fd(arena), &before);
  uint64_t idle = memory_total() / 16;
  idle = idle < (1ull << 30) ? idle : 1ull << 30;
  assert_true(arena_reserved(arena) <= idle + bytes);
  // The books agree with the file's own blocks of 512 bytes.
  assert_true((uint64_t)before.st_blocks * 512 <= arena_reserved(arena));
  // Memory goes back when somebody else needs it all.
  void *p;
  assert_int_equal(arena_alloc(arena, arena_size(arena) / 2, &p, &e),
                   ERR_NOMEM);
  fstat(arena_fd(arena), &after);
  assert_int_equal(after.st_blocks, 0);
  assert_int_equal(arena_reserved(arena), 0);
}

// Whoever gets it, all of its pages are there: none is missing when it is touched.
static void large_blocks_have_all_their_memory(void **state) {
  (void)state;
  struct stat st;
  size_t sizes[] = {(2 << 20) + 4096, (7 << 20) + 1, (101 << 20) + 12345};
  size_t all = 0;
  for (int i = 0; i < 3; i++) {
    take(sizes[i]);
    all += sizes[i];
    fstat(arena_fd(arena), &st);
    assert_true((size_t)st.st_blocks * 512 >= all);
  }
}

static void out_of_memory_is_an_error(void **state) {
  (void)state;
  void *p;
  size_t sizes[] = {SIZE_MAX, SIZE_MAX - 63, SIZE_MAX / 2,
                    (size_t)arena_size(arena) + 1,
                    (size_t)arena_size(arena) - 4096};
  char *held = take(1 << 20);
  memset(held, 7, 1 << 20);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    assert_int_equal(arena_alloc(arena, sizes[i], &p, &e), ERR_NOMEM);
    assert_null(p);
  }
  assert_int_equal(held[(1 << 20) - 1], 7);
  arena_release(arena, held);
}

static void pinned_pages_stay(void **state) {
  (void)state;
  char *p = take(200 << 20);
  uint64_t offset;
  assert_true(arena_holds(arena, p, 200 << 20, &offset));
  assert_int_equal(arena_pin(arena, offset, 200 << 20, &e), ERR_OK);
  uint64_t pinned = arena_reserved(arena);
  assert_true(pinned >= 200 << 20);
  p[5] = 42;
  arena_release(arena, p);
  void *none;
  assert_int_equal(arena_alloc(arena, arena_size(arena) / 2, &none, &e),
                   ERR_NOMEM);
  assert_int_equal(p[5], 42); // reading freed memory: the page is still there
  assert_int_equal(arena_reserved(arena), pinned);
  arena_unpin(arena, offset, 200 << 20);
  assert_int_equal(arena_alloc(arena, arena_size(arena) / 2, &none, &e),
                   ERR_NOMEM);
  assert_int_equal(arena_reserved(arena), 0);
}

static void another_mapping_sees_it(void **state) {
  (void)state;
  char *p = take(1 << 20);
  uint64_t offset;
  assert_true(arena_holds(arena, p, 1 << 20, &offset));
  assert_false(arena_holds(arena, p, arena_size(arena) + 1 - offset, &offset));
  assert_false(arena_holds(arena, &arena, 1, &offset));
  assert_false(arena_holds(arena, p, SIZE_MAX, &offset));
  char *other = mmap(NULL, 1 << 20, PROT_READ, MAP_SHARED, arena_fd(arena),
                     (off_t)offset);
  assert_ptr_not_equal(other, MAP_FAILED);
  strcpy(p + 77, "shared");
  assert_string_equal(other + 77, "shared");
  munmap(other, 1 << 20);
  // The file cannot be cut under the reader's feet.
  assert_int_equal(ftruncate(arena_fd(arena), 0), -1);
  arena_release(arena, p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(alignment, set_up, tear_down),
      cmocka_unit_test_setup_teardown(random_blocks, set_up, tear_down),
      cmocka_unit_test_setup_teardown(large_blocks_give_memory_back, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(large_blocks_have_all_their_memory,
                                      set_up, tear_down),
      cmocka_unit_test_setup_teardown(out_of_memory_is_an_error, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(pinned_pages_stay, set_up, tear_down),
      cmocka_unit_test_setup_teardown(another_mapping_sees_it, set_up,
                                      tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
