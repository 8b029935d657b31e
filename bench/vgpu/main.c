// SPDX-License-Identifier: Apache-2.0
// Times kernels on the virtual GPU, unchecked and checked, beside OpenCL on the
// same CPU and plain C: `make bench-vgpu`. They take turns, so that clocks and
// neighbours hit all alike; a time is the median of the rounds, with the
// quartiles behind it, and a ratio the median of the rounds' ratios. With names
// of problems, those alone; with --cpu, processor time of all threads in place
// of wall time. The tables are Markdown, for RESULTS.md.
//
// Status 1: a limit is missed. 2: others kept the machine busy, so that nothing
// can be said of some limit.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/median.h"
#include "bench/vgpu/problem.h"

enum { ROUNDS = 11 };
enum who { PLAIN, OPENCL, UNCHECKED, CHECKED, CONTENDERS };

static const struct contender *const contenders[CONTENDERS] = {
    &plain, &opencl, &virtual_unchecked, &virtual_checked};
static const char *const names[CONTENDERS] = {"plain C", "OpenCL", "unchecked",
                                              "checked"};

// Limits of the ratios, and how many of the cores others may keep busy.
static const double MOST_OF_OPENCL[] = {0.8, 1.5}; // tuned, untuned
static const double MOST_OF_UNCHECKED = 3.0;
static const double MOST_OF_SMALL = 1.5; // beside the smallest arrays
static const double MOST_OTHERS = 0.05;

struct result {
  const struct problem *p;
  double ms[CONTENDERS][ROUNDS];
  bool has[CONTENDERS];
  double others; // cores that were busy for somebody else
  struct work_done work;
};

struct spread {
  double median, low, high; // and quartiles
};

static struct spread spread_of(const double *values) {
  double v[ROUNDS];
  memcpy(v, values, sizeof v);
  median_sort(v, ROUNDS);
  return (struct spread){v[ROUNDS / 2], v[ROUNDS / 4],
                         v[ROUNDS - 1 - ROUNDS / 4]};
}

static struct spread ratio_of(const struct result *r, enum who a, enum who b) {
  double v[ROUNDS];
  for (int n = 0; n < ROUNDS; n++)
    v[n] = r->ms[a][n] / r->ms[b][n];
  return spread_of(v);
}

// ---- Measuring ----

static void compare(const struct problem *p, const uint32_t *result,
                    const uint32_t *right, enum who who) {
  size_t wrong = count_wrong(p, result, right);
  if (wrong)
    printf("%s, %s: WRONG, %zu values differ from plain C's\n", p->title,
           names[who], wrong);
}

// Each runs twice in its turn, since the first run finds the caches full of the
// others' data.
static void take_turns(struct result *r, void *const *state) {
  for (int n = 0; n < ROUNDS; n++)
    for (int k = 0; k < CONTENDERS; k++) {
      if (!state[k])
        continue;
      contenders[k]->run(state[k]);
      r->ms[k][n] = contenders[k]->run(state[k]);
    }
}

static struct result measure(const struct problem *p) {
  struct result r = {.p = p, .work = virtual_count(p)};
  void *state[CONTENDERS];
  size_t words = p->count[p->result];
  uint32_t *right = calloc(words, 4), *result = calloc(words, 4);
  for (int k = 0; k < CONTENDERS; k++) {
    state[k] = contenders[k]->begin(p, k == PLAIN ? right : result);
    r.has[k] = state[k] != NULL;
    if (state[k] && k != PLAIN)
      compare(p, result, right, (enum who)k);
  }
  free(right);
  free(result);
  machine_others();
  take_turns(&r, state);
  r.others = machine_others();
  for (int k = 0; k < CONTENDERS; k++)
    if (state[k])
      contenders[k]->end(state[k]);
  return r;
}

// ---- Tables ----

static void print_spread(struct spread s, const char *format) {
  printf(" ");
  printf(format, s.median);
  printf(" (");
  printf(format, s.low);
  printf("..");
  printf(format, s.high);
  printf(") |");
}

// The status that the result stands for.
static int judge(const struct machine *m, const struct result *r) {
  if (!r->has[OPENCL]) {
    printf(" not called: no OpenCL |\n");
    return 2;
  }
  if (!counts_cpu_time && r->others > MOST_OTHERS * m->cores) {
    printf(" not called: others used %.2f cores |\n", r->others);
    return 2;
  }
  bool is_met = ratio_of(r, UNCHECKED, OPENCL).median <=
                    MOST_OF_OPENCL[r->p->is_untuned] &&
                ratio_of(r, CHECKED, UNCHECKED).median <= MOST_OF_UNCHECKED;
  printf(" %s |\n", is_met ? "met" : "MISSED");
  return is_met ? 0 : 1;
}

static int print_times(const struct machine *m, const struct result *r) {
  printf("| %s |", r->p->title);
  for (int k = 0; k < CONTENDERS; k++)
    if (r->has[k])
      print_spread(spread_of(r->ms[k]), "%.1f");
    else
      printf(" |");
  if (r->has[OPENCL])
    print_spread(ratio_of(r, UNCHECKED, OPENCL), "%.2f");
  else
    printf(" |");
  print_spread(ratio_of(r, CHECKED, UNCHECKED), "%.2f");
  return judge(m, r);
}

// The shares of the time that the machine would need at its best for the bytes
// and for the arithmetic, which may overlap; what is left goes into the
// engine's instructions. The largest of the three is what bounds it.
static void print_bounds(const struct machine *m, const struct result *r) {
  double s = spread_of(r->ms[UNCHECKED]).median / 1e3;
  double memory = r->p->bytes / m->copy / s;
  double arithmetic =
      (r->work.flops / m->flops + r->work.special / m->special) / s;
  double most = memory > arithmetic ? memory : arithmetic;
  const char *bound = 1 - most > most       ? "instruction dispatch"
                      : memory > arithmetic ? "memory"
                                            : "arithmetic";
  printf("| %s | %.1f | %.0f | %.0f | %.1f | %.1f | %.2f | %.2f | %s |\n",
         r->p->title, r->work.instructions / 1e6,
         r->work.instructions / s / 1e6, 32 * r->work.instructions / s / 1e9,
         r->p->bytes / s / 1e9, r->work.flops / s / 1e9, memory, arithmetic,
         bound);
}

// ---- Small launches ----

// What a small checked launch costs must not depend on its arrays' size: all
// take turns, and the least of the rounds counts. Gives the status.
static int print_small(void) {
  enum { SIZES = 5, SMALL_ROUNDS = 31, LAUNCHES = 100 };
  static const size_t kib[SIZES] = {4, 64, 1 << 10, 1 << 14, 1 << 16};
  void *state[SIZES];
  double least[SIZES], most = 0;
  for (int k = 0; k < SIZES; k++) {
    state[k] = virtual_small_begin(kib[k] << 10);
    least[k] = 1e9;
  }
  for (int n = 0; n < SMALL_ROUNDS; n++)
    for (int k = 0; k < SIZES; k++) {
      double us = virtual_small_run(state[k], LAUNCHES) * 1e3;
      least[k] = us < least[k] ? us : least[k];
    }
  printf("\n| small checked launch and wait, arrays of | us | to 4 KiB "
         "|\n|---|---|---|\n");
  for (int k = 0; k < SIZES; k++) {
    printf("| %zu KiB | %.1f | %.2f |\n", kib[k], least[k],
           least[k] / least[0]);
    most = least[k] / least[0] > most ? least[k] / least[0] : most;
    virtual_small_end(state[k]);
  }
  printf("\nThe most is %.2f of the least array's (limit %.1f): %s\n", most,
         MOST_OF_SMALL, most <= MOST_OF_SMALL ? "met" : "MISSED");
  return most <= MOST_OF_SMALL ? 0 : 1;
}

static bool is_asked_for(const struct problem *p, char **names_asked) {
  bool is = !*names_asked;
  for (; *names_asked; names_asked++)
    is |= !strcmp(*names_asked, p->name);
  return is;
}

int main(int argc, char **argv) {
  static struct result results[32];
  int count = 0, status = 0;
  struct machine m = machine_measure();
  char **asked = argv + (argc > 0);
  counts_cpu_time = *asked && !strcmp(*asked, "--cpu");
  asked += counts_cpu_time;
  virtual_open();
  printf("%s, %d cores; %s; medians of %d rounds, quartiles.\n\n", m.name,
         m.cores, opencl_name(), ROUNDS);
  printf(
      "| ms%s | plain C | OpenCL | unchecked | checked | unchecked / OpenCL | "
      "checked / unchecked | limits |\n|---|---|---|---|---|---|---|---|\n",
      counts_cpu_time ? " of processor time" : "");
  for (int i = 0; i < problem_count; i++) {
    if (!is_asked_for(&problems[i], asked))
      continue;
    results[count] = measure(&problems[i]);
    int is = print_times(&m, &results[count++]);
    status = is == 1 || status == 1 ? 1 : is > status ? is : status;
    fflush(stdout);
  }
  printf(
      "\nAt its best this machine copies %.1f GB/s (read and written), does "
      "%.0f Gflop/s and %.2f G divisions, roots, exponentials and logarithms "
      "a second.\n\n",
      m.copy / 1e9, m.flops / 1e9, m.special / 1e9);
  printf("| unchecked | M warp instructions | M/s | G thread instructions/s | "
         "GB/s | Gflop/s | of the time: memory | arithmetic | bound by "
         "|\n|---|---|---|---|---|---|---|---|---|\n");
  for (int n = 0; n < count; n++)
    print_bounds(&m, &results[n]);
  static const struct problem small = {.name = "small"};
  if (is_asked_for(&small, asked) && print_small())
    status = 1;
  virtual_close();
  return status;
}
