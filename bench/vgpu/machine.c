// SPDX-License-Identifier: Apache-2.0
// What this machine could do at most, on all cores that the process may use,
// and how busy others keep it.
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench/vgpu/problem.h"
#include "gpu/vgpu/ops/approx.h"

enum { MAX_CORES = 256, TRIES = 7, COPY_BYTES = 64 << 20, FEW = 1024 };
enum { FMA_ROUNDS = 1 << 20, SPECIAL_ROUNDS = 256, CHAINS = 12, WIDTH = 16 };

typedef float wide __attribute__((vector_size(WIDTH * 4)));

struct core {
  pthread_t thread;
  pthread_barrier_t *start;
  void (*work)(struct core *c);
  double began, ended; // milliseconds
  char *from, *to;
  volatile float sink;
};

static void copy(struct core *c) {
  memcpy(c->to, c->from, COPY_BYTES);
}

// Chains of fused multiply-adds, enough of them to hide their latency.
static void multiply(struct core *c) {
  wide v[CHAINS];
  for (int k = 0; k < CHAINS; k++)
    for (int l = 0; l < WIDTH; l++)
      v[k][l] = (float)(k + l);
  for (int n = 0; n < FMA_ROUNDS; n++)
    for (int k = 0; k < CHAINS; k++)
      for (int l = 0; l < WIDTH; l++)
        v[k][l] = fmaf(v[k][l], 0.5f, 1.0f);
  for (int k = 0; k < CHAINS; k++)
    c->sink += v[k][k];
}

// An exponential, a logarithm, a root and a division of each, as exact as the
// virtual GPU's.
static void compute(struct core *c) {
  float x[FEW], a[FEW], b[FEW];
  for (int k = 0; k < FEW; k++)
    x[k] = 1.0f + (float)k / FEW;
  for (int n = 0; n < SPECIAL_ROUNDS; n++) {
    for (int k = 0; k < FEW; k++)
      a[k] = (float)approx_exp2((double)x[k]);
    for (int k = 0; k < FEW; k++)
      b[k] = (float)approx_log2((double)x[k]);
    for (int k = 0; k < FEW; k++)
      x[k] = 1.0f + sqrtf(b[k]) / a[k];
  }
  c->sink = x[FEW / 2];
}

static void *run_core(void *arg) {
  struct core *c = arg;
  pthread_barrier_wait(c->start);
  c->began = now_ms();
  c->work(c);
  c->ended = now_ms();
  return NULL;
}

// The best of some tries on all cores, from the first begin to the last end:
// seconds.
static double best_of(struct core *cores, int count,
                      void (*work)(struct core *c)) {
  double best = 1e9;
  for (int t = 0; t < TRIES; t++) {
    pthread_barrier_t start;
    pthread_barrier_init(&start, NULL, (unsigned)count);
    for (int n = 0; n < count; n++) {
      cores[n].start = &start;
      cores[n].work = work;
      pthread_create(&cores[n].thread, NULL, run_core, &cores[n]);
    }
    double began = INFINITY, ended = 0;
    for (int n = 0; n < count; n++) {
      pthread_join(cores[n].thread, NULL);
      began = fmin(began, cores[n].began);
      ended = fmax(ended, cores[n].ended);
    }
    double took = (ended - began) / 1e3;
    best = took < best ? took : best;
    pthread_barrier_destroy(&start);
  }
  return best;
}

static void read_name(char *out, size_t size) {
  char line[256];
  FILE *f = fopen("/proc/cpuinfo", "re");
  snprintf(out, size, "a machine without a name");
  while (f && fgets(line, sizeof line, f)) {
    char *text = strncmp(line, "model name", 10) ? NULL : strchr(line, ':');
    if (!text)
      continue;
    text[strcspn(text, "\n")] = '\0';
    snprintf(out, size, "%s", text + 2);
    break;
  }
  if (f)
    fclose(f);
}

struct machine machine_measure(void) {
  struct machine m;
  static struct core cores[MAX_CORES];
  cpu_set_t set;
  m.cores = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
  m.cores = m.cores < MAX_CORES ? m.cores : MAX_CORES;
  read_name(m.name, sizeof m.name);
  for (int n = 0; n < m.cores; n++) {
    cores[n].from = malloc(COPY_BYTES);
    cores[n].to = malloc(COPY_BYTES);
    memset(cores[n].from, n, COPY_BYTES);
    memset(cores[n].to, n, COPY_BYTES);
  }
  m.copy = 2.0 * COPY_BYTES * m.cores / best_of(cores, m.cores, copy);
  for (int n = 0; n < m.cores; n++) {
    free(cores[n].from);
    free(cores[n].to);
  }
  m.flops = 2.0 * FMA_ROUNDS * CHAINS * WIDTH * m.cores /
            best_of(cores, m.cores, multiply);
  m.special =
      4.0 * SPECIAL_ROUNDS * FEW * m.cores / best_of(cores, m.cores, compute);
  return m;
}

// Seconds of all cores in which they did not idle, and those of this process.
static double busy_seconds(double *own) {
  unsigned long long v[8] = {0};
  FILE *f = fopen("/proc/stat", "re");
  int n = f ? fscanf(f, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", v, v + 1,
                     v + 2, v + 3, v + 4, v + 5, v + 6, v + 7)
            : 0;
  if (f)
    fclose(f);
  struct rusage r;
  getrusage(RUSAGE_SELF, &r);
  *own = (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
         (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e6;
  unsigned long long busy = v[0] + v[1] + v[2] + v[5] + v[6] + v[7];
  return n == 8 ? (double)busy / (double)sysconf(_SC_CLK_TCK) : *own;
}

double machine_others(void) {
  static double last_at, last_busy, last_own;
  double at = now_ms() / 1e3, own, busy = busy_seconds(&own);
  double cores = (busy - last_busy - (own - last_own)) / (at - last_at);
  last_at = at;
  last_busy = busy;
  last_own = own;
  return cores > 0 ? cores : 0;
}
