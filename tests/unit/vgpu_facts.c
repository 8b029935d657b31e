// SPDX-License-Identifier: Apache-2.0
// Sets of facts (gpu/vgpu/slice/slice.h): each kept once, whatever was looked up
// before.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu/vgpu/slice/slice.h"

enum { THREADS = 13, SETS = 1 << THREADS };

static uint64_t threads_of(struct vg_slice_facts *f, uint32_t fact) {
  uint64_t set = 0;
  vg_facts_collect(f, fact, &set);
  return set;
}

// Many more sets than there is room for unions that were made lately, and than
// the index had places to begin with.
static void unions_are_of_both(void **state) {
  (void)state;
  static uint32_t fact[SETS];
  struct vg_slice_facts *f = vg_facts_new(THREADS);
  for (uint32_t s = 1; s < SETS; s++) {
    uint32_t lowest = (uint32_t)__builtin_ctz(s);
    fact[s] = vg_fact_union(f, fact[s & (s - 1)], vg_fact_of_thread(f, lowest));
    assert_int_equal(threads_of(f, fact[s]), s);
  }
  // The first two have low numbers, the last a higher one than half of all.
  static const uint32_t with[] = {1, 2, SETS / 2};
  for (uint32_t n = 0; n < sizeof with / sizeof *with; n++)
    for (uint32_t s = 1; s < SETS; s++)
      assert_int_equal(vg_fact_union(f, fact[with[n]], fact[s]),
                       fact[s | with[n]]);
  vg_facts_free(f);
}

static void nodes_differ_in_each_part(void **state) {
  (void)state;
  struct vg_slice_facts *f = vg_facts_new(THREADS);
  uint32_t a = vg_fact_of_thread(f, 1), b = vg_fact_of_thread(f, 2);
  uint32_t node = vg_node_value(f, 0, (struct vg_slice_value){a, 1});
  assert_int_equal(vg_node_value(f, 0, (struct vg_slice_value){a, 1}), node);
  uint32_t others[] = {vg_node_value(f, 1, (struct vg_slice_value){a, 1}),
                       vg_node_value(f, 1, (struct vg_slice_value){a, 2}),
                       vg_node_value(f, 1, (struct vg_slice_value){b, 2})};
  for (int n = 0; n < 3; n++) {
    assert_int_not_equal(others[n], node);
    for (int k = 0; k < n; k++)
      assert_int_not_equal(others[n], others[k]);
  }
  // And each is found again, although another was asked for last.
  assert_int_equal(vg_node_value(f, 0, (struct vg_slice_value){a, 1}), node);
  assert_int_equal(vg_node_value(f, 1, (struct vg_slice_value){a, 2}),
                   others[1]);
  vg_facts_free(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(unions_are_of_both),
      cmocka_unit_test(nodes_differ_in_each_part),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
