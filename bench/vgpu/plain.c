// SPDX-License-Identifier: Apache-2.0
// The problems in C, as a good programmer writes them without intrinsics, on
// two threads.
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "bench/vgpu/problem.h"

struct half { // one thread's share
  void (*run)(float **arrays, int from, int to, int n);
  float **a;
  int from, to, n;
};

static void saxpy(float **a, int from, int to, int n) {
  (void)n;
  const float *restrict x = a[0];
  float *restrict y = a[1];
  for (int i = from; i < to; i++)
    y[i] = 2.0f * x[i] + y[i];
}

// Rows from..to of c = a b, in the order that caches like.
static void matmul(float **m, int from, int to, int n) {
  const float *restrict a = m[0], *restrict b = m[1];
  float *restrict c = m[2];
  for (int r = from; r < to; r++) {
    memset(c + r * n, 0, sizeof *c * (size_t)n);
    for (int k = 0; k < n; k++)
      for (int q = 0; q < n; q++)
        c[r * n + q] += a[r * n + k] * b[k * n + q];
  }
}

static float normal(float d) {
  float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  float c =
      0.39894228f * expf(-0.5f * d * d) *
      (k * (0.31938153f +
            k * (-0.356563782f +
                 k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1.0f - c : c;
}

static void black_scholes(float **a, int from, int to, int n) {
  (void)n;
  for (int i = from; i < to; i++) {
    float r = 0.02f, v = 0.3f, s = a[0][i], x = a[1][i], t = a[2][i];
    float q = sqrtf(t), d1 = (logf(s / x) + (r + 0.5f * v * v) * t) / (v * q);
    float n1 = normal(d1), n2 = normal(d1 - v * q), e = expf(-r * t);
    a[3][i] = s * n1 - x * e * n2;
    a[4][i] = x * e * (1.0f - n2) - s * (1.0f - n1);
  }
}

static void reduce(float **a, int from, int to, int n) {
  (void)n;
  for (int b = from / 256; b < to / 256; b++) {
    float sum = 0;
    for (int i = 0; i < 256; i++)
      sum += a[0][b * 256 + i];
    a[1][b] = sum;
  }
}

const struct plain_code plain_tuned[] = {{"saxpy", saxpy},
                                         {"naive", matmul},
                                         {"tiled", matmul},
                                         {"reduce", reduce},
                                         {"black_scholes", black_scholes},
                                         {NULL, NULL}};

static void *run_half(void *arg) {
  struct half *h = arg;
  h->run(h->a, h->from, h->to, h->n);
  return NULL;
}

struct arrays {
  const struct problem *p;
  const struct plain_code *code;
  float *a[MAX_ARRAYS];
};

static double run(void *state) {
  struct arrays *x = state;
  pthread_t other;
  int n = x->p->n;
  double start = spent_ms();
  struct half low = {x->code->run, x->a, 0, n / 2, n};
  struct half high = {x->code->run, x->a, n / 2, n, n};
  pthread_create(&other, NULL, run_half, &high);
  run_half(&low);
  pthread_join(other, NULL);
  return spent_ms() - start;
}

static void *begin(const struct problem *p, uint32_t *result) {
  struct arrays *x = calloc(1, sizeof *x);
  x->p = p;
  x->code = p->is_untuned ? plain_untuned : plain_tuned;
  while (x->code->name && strcmp(x->code->name, p->name))
    x->code++;
  if (!x->code->name)
    abort(); // a problem that nobody wrote in C
  for (int i = 0; i < p->arrays; i++)
    x->a[i] = (float *)first_words(p, i);
  run(x);
  memcpy(result, x->a[p->result], 4 * p->count[p->result]);
  return x;
}

static void end(void *state) {
  struct arrays *x = state;
  for (int i = 0; i < x->p->arrays; i++)
    free(x->a[i]);
  free(x);
}

const struct contender plain = {begin, run, end};
