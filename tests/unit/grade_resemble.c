// SPDX-License-Identifier: Apache-2.0
// What a wrong result is like: told where it is one thing in all cases, and only
// there.
#include "grade/resemble/resemble.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

enum { X, OUT, WIDTH, HEIGHT, PARAMS, MOST = 600 };

// What element i of n is: the right one goes in.
typedef float (*made_by)(int i, int n, const float *right, const float *x);

static const float poison = 12345;
static const struct tolerance exact = {.ulp = 0};

struct world {
  struct exercise ex;
  struct resemble *like;
};

static struct world begin(enum direction direction) {
  struct world w = {.ex = {.param_count = PARAMS}};
  w.ex.params[X] = (struct exercise_param){PARAM_IN, DTYPE_F32, "", "x"};
  w.ex.params[OUT] = (struct exercise_param){direction, DTYPE_F32, "", "out"};
  w.ex.params[WIDTH] = (struct exercise_param){PARAM_VALUE, DTYPE_I32, "", "w"};
  w.ex.params[HEIGHT] =
      (struct exercise_param){PARAM_VALUE, DTYPE_I32, "", "h"};
  return w;
}

static float right_one(int i) {
  return (float)((i * 37) % 1001) - 300.25f;
}

// A case of n elements, in blocks of `block`; `of_x`: elements of x.
static void add(struct world *w, int n, int of_x, uint32_t block,
                made_by made) {
  float x[MOST], want[MOST], got[MOST], before[MOST];
  for (int i = 0; i < of_x; i++)
    x[i] = (float)((i * 53) % 997) / 8 + 1;
  for (int i = 0; i < n; i++) {
    want[i] = right_one(i);
    before[i] = poison;
  }
  for (int i = 0; i < n; i++)
    got[i] = made(i, n, want, x);
  uint32_t grid = ((uint32_t)of_x + block - 1) / block;
  struct case_input in = {
      .arg_count = PARAMS, .grid = {grid, 1, 1}, .block = {block, 1, 1}};
  in.args[X] = (struct case_arg){.data = x, .count = (size_t)of_x};
  in.args[OUT] = (struct case_arg){.data = before, .count = (size_t)n};
  in.args[WIDTH].integer = 4;
  in.args[HEIGHT].integer = n / 4;
  struct case_input right = in;
  right.args[OUT].data = want;
  struct run_result r = {.has_data = true};
  r.data[OUT] = got;
  r.poison[OUT] = before;
  if (!w->like)
    w->like = resemble_new(&w->ex);
  resemble_add(w->like, &exact, &in, &right, &r);
}

static void end(struct world *w, const char *expected) {
  char *text = resemble_text(w->like);
  if (expected)
    assert_string_equal(text ? text : "nothing", expected);
  else
    assert_null(text);
  free(text);
  resemble_free(w->like);
}

static float right(int i, int n, const float *want, const float *x) {
  return (void)n, (void)x, want[i];
}
static float nothing(int i, int n, const float *want, const float *x) {
  return (void)i, (void)n, (void)want, (void)x, poison;
}
static float no_last(int i, int n, const float *want, const float *x) {
  return (void)x, i < n - 1 ? want[i] : poison;
}
static float no_first(int i, int n, const float *want, const float *x) {
  return (void)n, (void)x, i ? want[i] : poison;
}
static float one_block(int i, int n, const float *want, const float *x) {
  return (void)n, (void)x, i < 32 ? want[i] : poison;
}
static float whole_blocks(int i, int n, const float *want, const float *x) {
  return (void)x, i < n / 32 * 32 ? want[i] : poison;
}
static float swapped(int i, int n, const float *want, const float *x) {
  return (void)x, i % 32 < (n + 31) / 32 ? want[i] : poison;
}
static float some(int i, int n, const float *want, const float *x) {
  return (void)n, (void)x, (i * i) % 7 < 3 ? want[i] : poison;
}
static float minus(int i, int n, const float *want, const float *x) {
  return (void)n, (void)x, -want[i];
}
static float twice(int i, int n, const float *want, const float *x) {
  return (void)n, (void)x, 2 * want[i];
}
static float thrice(int i, int n, const float *want, const float *x) {
  return (void)n, (void)x, 3 * want[i];
}
static float moved(int i, int n, const float *want, const float *x) {
  return (void)n, (void)x, i ? want[i - 1] : 0;
}
static float mirrored(int i, int n, const float *want, const float *x) {
  return (void)x, want[n - 1 - i];
}
static float turned(int i, int n, const float *want, const float *x) {
  return (void)x, want[i % (n / 4) * 4 + i / (n / 4)];
}
static float turned_back(int i, int n, const float *want, const float *x) {
  return (void)x, want[i % 4 * (n / 4) + i / 4];
}
static float mixed(int i, int n, const float *want, const float *x) {
  return (void)x, want[(i * 7) % n];
}
static float near(int i, int n, const float *want, const float *x) {
  return (void)n, (void)x, want[i] * 1.00001f;
}
static float of_x(int i, int n, const float *want, const float *x) {
  return (void)n, (void)want, x[i] - 4;
}
static float lower_half(int i, int n, const float *want, const float *x) {
  float sum = 0;
  for (int k = 0; k < 16; k++)
    sum += x[32 * i + k];
  return (void)n, (void)want, sum;
}
// One more, and rounded otherwise than the right one.
static float one_more(int i, int n, const float *want, const float *x) {
  return (void)n, (void)x, nextafterf(want[i] + 1, 1e9f);
}
static float anything(int i, int n, const float *want, const float *x) {
  return (void)n, (void)want, (void)x, sqrtf((float)i) + 0.3f;
}

static void test_places(void **state) {
  (void)state;
  static const struct {
    made_by made;
    const char *text;
  } all[] = {
      {nothing, "Nothing was written to out."},
      {no_last, "All of out is right but its last element, which was never "
                "written."},
      {no_first, "All of out is right but out[0], which was never written."},
      {one_block,
       "The first blockDim.x elements of out are right, those of one "
       "block, and all others were never written."},
      {whole_blocks,
       "All of out is right but the elements of the last block, "
       "which has more threads than elements are left: those were "
       "never written."},
      {swapped, "What was written of out are the elements with an index "
                "threadIdx.x * blockDim.x + blockIdx.x."},
      {some,
       "What was written of out is right, and all others were never written."},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    struct world w = begin(PARAM_OUT);
    add(&w, 300, 300, 32, all[i].made);
    add(&w, 97, 97, 32, all[i].made);
    end(&w, all[i].text);
  }
}

static void test_values(void **state) {
  (void)state;
  static const struct {
    made_by made;
    const char *text;
  } all[] = {
      {minus, "Each element of out is the right one with the other sign."},
      {twice, "Each element of out is 2 times the right one."},
      {moved, "Each element of out is what the one before it should be: out[i] "
              "holds what belongs into out[i - 1]."},
      {mirrored, "out holds the right elements from the last to the first."},
      {turned, "out holds the right elements with rows and columns exchanged."},
      {turned_back,
       "out holds the right elements with rows and columns exchanged."},
      {mixed, "out holds the right values, at other places."},
      {near, "Each element of out is within a ten-thousandth of the right one, "
             "which is more than the exercise allows."},
      {of_x, "out[i] is x[i] - w in each element."},
      {one_more, "Each element of out is the right one plus 1."},
      {anything, NULL},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    struct world w = begin(PARAM_OUT);
    add(&w, 300, 300, 32, all[i].made);
    add(&w, 88, 88, 32, all[i].made);
    end(&w, all[i].text);
  }
}

static void test_sums(void **state) {
  (void)state;
  struct world w = begin(PARAM_OUT);
  add(&w, 18, 18 * 32, 32, lower_half);
  end(&w, "out holds for each block the sum of its first half of elements of "
          "x.");
}

// Four blocks of 32: the places 0 to 34.
static float sum_of_indices(int i, int n, const float *want, const float *x) {
  return (void)n, (void)x, i < 4 + 32 - 1 ? want[i] : poison;
}

static void test_a_grid_of_indices(void **state) {
  (void)state;
  struct world w = begin(PARAM_OUT);
  add(&w, 128, 128, 32, sum_of_indices);
  add(&w, 97, 97, 32, sum_of_indices);
  end(&w, "The elements of out with an index blockIdx.x + threadIdx.x are "
          "right, and all others were never written.");
}

static void test_inout(void **state) {
  (void)state;
  struct world w = begin(PARAM_INOUT);
  add(&w, 300, 300, 32, no_last);
  end(&w, "All of out is right but its last element, which is as before the "
          "launch.");
  w = begin(PARAM_INOUT);
  add(&w, 300, 300, 32, nothing);
  add(&w, 97, 97, 32, nothing);
  end(&w, "out is as it was before the launch: no element has changed.");
}

// One thing must hold in all cases that are wrong; those that are right say
// nothing.
static void test_all_cases(void **state) {
  (void)state;
  struct world w = begin(PARAM_OUT);
  add(&w, 300, 300, 32, no_last);
  add(&w, 300, 300, 32, right);
  end(&w, "All of out is right but its last element, which was never written.");
  w = begin(PARAM_OUT);
  add(&w, 300, 300, 32, no_last);
  add(&w, 300, 300, 32, no_first);
  end(&w, "What was written of out is right, and all others were never "
          "written.");
  w = begin(PARAM_OUT);
  add(&w, 300, 300, 32, no_last);
  add(&w, 300, 300, 32, minus);
  end(&w, NULL);
  w = begin(PARAM_OUT);
  add(&w, 300, 300, 32, twice);
  add(&w, 300, 300, 32, thrice);
  end(&w, NULL);
}

// Where two hold neither is told, and a few elements may be chance.
static void test_not_sure(void **state) {
  (void)state;
  struct world w = begin(PARAM_OUT);
  add(&w, 2, 2, 32, no_last); // all but the last, the first, every second
  end(&w, NULL);
  w = begin(PARAM_OUT);
  add(&w, 3, 3, 32, twice);
  end(&w, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_places),   cmocka_unit_test(test_values),
      cmocka_unit_test(test_sums),     cmocka_unit_test(test_a_grid_of_indices),
      cmocka_unit_test(test_inout),    cmocka_unit_test(test_all_cases),
      cmocka_unit_test(test_not_sure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
