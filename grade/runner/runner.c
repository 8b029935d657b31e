// SPDX-License-Identifier: Apache-2.0
// The launches of one case of a submission, and what they left behind.
//
// Theory of operation: the submission's module is loaded anew, its arrays are
// made (runner_image.c), and after the launches everything is copied back and
// compared with what was there before. The reference's results stay in this
// process and are in no memory that is shared with the device's.
#include "grade/runner/runner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/median.h"
#include "base/mem.h"
#include "base/str.h"
#include "gpu/remote/remote.h"
#include "grade/input/input.h"
#include "grade/runner/runner_image.h"
#include "grade/verdict/verdict.h"

enum { MAX_REPEATS = 64 };

// Limits of one wait. A real GPU's is by the clock: nobody counts what it does.
// On the checked device counted work decides, and these are for our own
// mistakes alone: the server's processor time, which is the same on a busy
// machine, for the first run and for the second.
static const double gpu_limit_s = 10;
static const double cpu_limit_s = 60, last_cpu_limit_s = 300;

struct runner {
  struct runner_options options;
  struct arena *arena;
  struct gpu_device *d;
  struct gpu_device_info info;
  bool has_info;
  struct str output;
};

static void keep_output(void *context, const char *text, size_t bytes) {
  struct runner *r = context;
  size_t room = VERDICT_OUTPUT_BYTES - r->output.len;
  str_add_bytes(&r->output, text, bytes < room ? bytes : room);
}

char *runner_take_output(struct runner *r) {
  char *clean =
      text_clean(r->output.data, r->output.len, VERDICT_OUTPUT_BYTES, 1);
  str_clear(&r->output);
  return clean;
}

static bool is_real_gpu(const struct runner *r) {
  return str_starts(r->options.device, "cuda:");
}

static double first_limit_s(const struct runner *r) {
  return r->options.cpu_limit_s > 0 ? r->options.cpu_limit_s : cpu_limit_s;
}

// The same on every machine, so that no verdict depends on it.
#define DEVICE_BYTES ((uint64_t)1 << 30)

enum err runner_open(const struct runner_options *options, struct runner **out,
                     struct err_info *e) {
  struct runner *r = xcalloc(1, sizeof *r);
  r->options = *options;
  str_init(&r->output);
  enum err err = arena_new(&r->arena, e);
  struct remote_options remote = {
      .program = options->program,
      .device = options->device,
      .arena = r->arena,
      .gpu = {.print = keep_output,
              .context = r,
              .memory_bytes = DEVICE_BYTES,
              .schedule_seed = options->schedule_seed},
      .is_cancelled = options->is_cancelled,
      .context = options->context,
      .deadline_s = gpu_limit_s,
      .cpu_deadline_s = is_real_gpu(r) ? 0 : first_limit_s(r),
  };
  if (!err)
    err = remote_open(&remote, &r->d, e);
  if (err)
    runner_close(r);
  *out = err ? NULL : r;
  return err;
}

void runner_close(struct runner *r) {
  if (!r)
    return;
  if (r->d)
    r->d->backend->close(r->d);
  if (r->arena)
    arena_free(r->arena);
  str_free(&r->output);
  free(r);
}

int runner_pid(const struct runner *r) {
  return remote_pid(r->d);
}

// A server that died with the last submission is replaced here.
static enum err revive(struct runner *r, struct err_info *e) {
  remote_reap(r->d);
  return remote_has_died(r->d) ? remote_restart(r->d, e) : ERR_OK;
}

static enum err ask_info(struct runner *r, struct err_info *e) {
  enum err err = revive(r, e);
  if (!err && !r->has_info)
    err = r->d->backend->info(r->d, &r->info, e);
  return err;
}

enum err runner_info(struct runner *r, struct gpu_device_info *out,
                     struct err_info *e) {
  enum err err = ask_info(r, e);
  if (err == ERR_DEVICE_LOST) // killed while it opened: another, once
    err = ask_info(r, e);
  if (err)
    return err;
  r->has_info = true;
  *out = r->info;
  return ERR_OK;
}

// ---- One run ----

struct run {
  struct runner *r;
  const struct run_request *q;
  struct run_result *out;
  struct run_images images;
  gpu_handle module;
  struct loaded {
    gpu_handle function;
    struct gpu_function_info info;
    struct exercise_launch last;
  } kernels[EXERCISE_MAX_KERNELS];
  bool is_timing; // nothing is looked at between its launches
  bool has_work;  // that was not asked for since
  int counted;    // launches whose counts were not asked for yet
  gpu_ptr flush;  // what clears the cache, or 0
  char params[GPU_MAX_PARAM_BYTES];
};

// ---- Launching ----

static void put_param(struct run *run, const struct exercise_launch *l, int i) {
  const struct exercise_param *p =
      &run->q->exercise->kernels[l->kernel].params[i];
  const struct launch_arg *a = &l->args[i];
  char *to = run->params + run->kernels[l->kernel].info.params[i].offset;
  float f = (float)a->number;
  if (p->direction == PARAM_TEXTURE) {
    memcpy(to, &run->images.of[a->array].texture, sizeof(uint64_t));
  } else if (p->is_array) {
    gpu_ptr at = run->images.of[a->array].at + run->images.of[a->array].zone;
    memcpy(to, &at, sizeof at);
  } else if (p->dtype == DTYPE_F32)
    memcpy(to, &f, sizeof f);
  else if (p->dtype == DTYPE_F64)
    memcpy(to, &a->number, sizeof a->number);
  else
    memcpy(to, &a->integer, dtype_bytes(p->dtype)); // little endian
}

// Fills the submission's __constant__ array of that name.
static enum err fill_constant(struct run *run, int i, struct err_info *e) {
  const struct exercise_param *p = &run->q->exercise->params[i];
  const struct case_arg *a = &run->q->input->args[i];
  struct gpu_device *d = run->r->d;
  size_t width = dtype_bytes(p->dtype), bytes = 0;
  gpu_ptr at = 0;
  enum err err =
      d->backend->variable_get(d, run->module, p->name, &at, &bytes, e);
  if (!err && bytes == p->room * width)
    return d->backend->copy_in(d, at, a->data, a->count * width, 0, e);
  if (err && err != ERR_NOT_FOUND)
    return err;
  struct str s = STR_INIT;
  exercise_add_constant(p, &s);
  if (err)
    err_set(e, ERR_COMPILE,
            "there is no %s, which the host fills: declare it outside of the "
            "kernel, and read it there",
            s.data);
  else
    err_set(e, ERR_COMPILE, "%s has %zu bytes, and must be %s", p->name, bytes,
            s.data);
  str_free(&s);
  run->out->lacks_constant = true;
  return ERR_COMPILE;
}

static enum err load(struct run *run, struct err_info *e) {
  const struct run_request *q = run->q;
  struct gpu_device *d = run->r->d;
  run->has_work = true;
  enum err err = d->backend->module_load(
      d, q->program->code, q->program->code_bytes, &run->module, e);
  for (int i = 0; i < q->exercise->kernel_count && !err; i++)
    err = d->backend->function_get(d, run->module, q->kernels->of[i]->mangled,
                                   &run->kernels[i].function,
                                   &run->kernels[i].info, e);
  for (int i = 0; i < q->exercise->param_count && !err; i++)
    if (q->exercise->params[i].direction == PARAM_CONSTANT)
      err = fill_constant(run, i, e);
  return err;
}

// The local memory of all threads that are on the device at once must fit: it
// would be looked for when the launch has begun, and taken from everybody.
static enum err check_local(const struct gpu_device_info *d,
                            const struct gpu_function_info *info,
                            const struct gpu_launch *l, struct err_info *e) {
  uint64_t threads = 1;
  uint64_t most = (uint64_t)d->attributes[GPU_ATTR_MULTIPROCESSOR_COUNT] *
                  (uint64_t)d->attributes[GPU_ATTR_MAX_THREADS_PER_SM];
  for (int i = 0; i < 3; i++)
    threads *= (uint64_t)l->grid[i] * l->block[i];
  if (most && threads > most)
    threads = most;
  if (!d->total_bytes || threads * info->local_bytes <= d->total_bytes)
    return ERR_OK;
  return err_set(e, ERR_NOMEM,
                 "every thread needs %u bytes of local memory, and the device "
                 "has %llu for all of them",
                 info->local_bytes, (unsigned long long)d->total_bytes);
}

static bool counts(const struct run *run) {
  return run->q->wants_counts && run->r->info.is_checked;
}

// What earlier launches left of it; 0 is the device's own limit.
static uint64_t work_left(const struct run *run) {
  uint64_t limit = run->q->work_limit, used = run->out->work.all;
  return !limit || limit > used ? limit - (limit ? used : 0) : 1;
}

static enum err queue_launch(struct run *run, const struct exercise_launch *l,
                             struct err_info *e) {
  const struct gpu_device_info *device = &run->r->info;
  const struct loaded *k = &run->kernels[l->kernel];
  struct gpu_launch q = {
      .function = k->function,
      .shared_bytes = l->shared_bytes,
      .flags =
          (counts(run) ? GPU_LAUNCH_COUNT | GPU_LAUNCH_ACCESSES : 0u) |
          (run->q->wants_trace ? GPU_LAUNCH_TRACE : 0u) |
          (counts(run) && run->q->wants_feeds ? GPU_LAUNCH_FEEDS : 0u) |
          (l->is_cooperative ? GPU_LAUNCH_COOPERATIVE : 0u) |
          (device->is_checked ? GPU_LAUNCH_IN_ORDER | GPU_LAUNCH_PAYS_MEMORY
                              : 0u),
      .budget = run->q->exercise->budget,
      .grid_budget = work_left(run),
      .param_bytes = k->info.param_bytes,
      .params = run->params,
  };
  memcpy(q.grid, l->grid, sizeof q.grid);
  memcpy(q.block, l->block, sizeof q.block);
  for (int i = 0; i < run->q->exercise->kernels[l->kernel].param_count; i++)
    put_param(run, l, i);
  enum err err = gpu_check_launch(device, &k->info, &q, e);
  if (!err)
    err = check_local(device, &k->info, &q, e);
  if (err)
    return err;
  run->has_work = true;
  run->counted += counts(run);
  return run->r->d->backend->launch(run->r->d, &q, e);
}

// ---- Looking at what is left ----

// Arrays are told by the address that each finding names as its base.
static int param_at(const struct run *run, gpu_ptr base) {
  for (int i = 0; i < run->q->exercise->param_count; i++)
    if (base && run->images.of[i].at == base)
      return i;
  return -1;
}

// The launch that a finding is of: the last one of its kernel.
static const struct exercise_launch *launch_of(const struct run *run,
                                               const struct gpu_finding *f) {
  for (int i = 0; i < run->q->exercise->kernel_count; i++)
    if (!strncmp(run->q->kernels->of[i]->mangled, f->function,
                 sizeof f->function - 1))
      return &run->kernels[i].last;
  return &run->kernels[0].last;
}

// Was the same seen in an earlier launch? Then it is the same mistake, of more
// threads.
static bool adds_to_earlier(struct run_result *out, const struct gpu_finding *f,
                            int param, const struct exercise_launch *l) {
  for (int i = 0; i < out->finding_count; i++) {
    struct gpu_finding *g = &out->findings[i];
    if (out->finding_launch[i].number == l->number || g->kind != f->kind ||
        g->severity != f->severity || g->at.line != f->at.line ||
        g->at.column != f->at.column || g->at.access != f->at.access ||
        out->finding_param[i] != param ||
        out->finding_launch[i].kernel != l->kernel)
      continue;
    g->count += f->count;
    return true;
  }
  return false;
}

static void take_findings(struct run *run) {
  struct run_result *out = run->out;
  struct gpu_device *d = run->r->d;
  struct gpu_finding seen[RUN_MAX_FINDINGS];
  int room = RUN_MAX_FINDINGS - out->finding_count;
  int count = d->backend->findings(d, seen, room);
  for (int i = 0; i < count; i++) {
    const struct exercise_launch *l = launch_of(run, &seen[i]);
    int param = param_at(run, seen[i].base), at = out->finding_count;
    if (adds_to_earlier(out, &seen[i], param, l))
      continue;
    out->findings[at] = seen[i];
    out->finding_param[at] = param;
    out->finding_launch[at] = *l;
    out->finding_count++;
  }
}

static void take_counts(struct run *run) {
  struct run_result *out = run->out;
  struct gpu_device *d = run->r->d;
  struct run_counts c;
  for (; run->counted > 0 && !remote_has_died(d) &&
         !d->backend->counts(d, &c.counts, &c.lines, NULL);
       run->counted--) {
    size_t count = (size_t)out->count_count + 1;
    out->counts = xrealloc(out->counts, count * sizeof *out->counts);
    out->counts[out->count_count++] = c;
  }
}

static void take_trace(struct run *run, const struct exercise_launch *l) {
  struct run_result *out = run->out;
  struct gpu_device *d = run->r->d;
  struct gpu_placement placement;
  struct run_trace t = {.kernel = l->kernel};
  bool can = run->q->wants_trace && run->r->info.is_checked;
  if (!can || remote_has_died(d) ||
      d->backend->placement(d, &placement, &t.places, NULL))
    return;
  t.placed = placement.placed;
  memcpy(t.grid, l->grid, sizeof t.grid);
  size_t count = (size_t)out->trace_count + 1;
  out->traces = xrealloc(out->traces, count * sizeof *out->traces);
  out->traces[out->trace_count++] = t;
}

static void take_work(struct run *run) {
  struct gpu_device *d = run->r->d;
  struct gpu_work work;
  if (run->r->info.is_checked && run->has_work &&
      !d->backend->work(d, &work, NULL))
    run_add_work(&run->out->work, &work);
  run->has_work = false;
}

// ---- The result ----

void run_add_work(struct gpu_work *sum, const struct gpu_work *w) {
  sum->all += w->all;
  sum->loads += w->loads;
  sum->prints += w->prints;
  sum->mistakes += w->mistakes;
  sum->cells += w->cells;
}

void run_result_free(struct run_result *out) {
  for (int i = 0; i < EXERCISE_MAX_PARAMS; i++) {
    free(out->data[i]);
    free(out->poison[i]);
    out->data[i] = out->poison[i] = NULL;
  }
  for (int i = 0; i < out->count_count; i++)
    free(out->counts[i].lines);
  for (int i = 0; i < out->trace_count; i++)
    free(out->traces[i].places);
  free(out->counts);
  free(out->notes);
  free(out->traces);
  out->counts = NULL;
  out->notes = NULL;
  out->traces = NULL;
  out->count_count = out->trace_count = 0;
}

// ---- The launches ----

static enum err launch(void *context, const struct exercise_launch *l,
                       struct err_info *e) {
  struct run *run = context;
  run->kernels[l->kernel].last = *l;
  enum err err = queue_launch(run, l, e);
  if (run->is_timing)
    return err;
  if (!err)
    err = remote_wait(run->r->d, GPU_ALL_STREAMS, e);
  take_findings(run);
  take_trace(run, l);
  take_work(run);
  return err;
}

static gpu_ptr element_at(const struct run *run, int array, size_t i) {
  enum dtype t = run->q->exercise->params[array].dtype;
  const struct image *m = &run->images.of[array];
  return m->at + m->zone + i * dtype_bytes(t);
}

// Waits, and takes what was seen of the copy.
static enum err finish_copy(struct run *run, enum err err, struct err_info *e) {
  run->has_work = true;
  if (!err)
    err = remote_wait(run->r->d, GPU_ALL_STREAMS, e);
  if (!run->is_timing)
    take_findings(run);
  return err;
}

static enum err read_elements(void *context, int array, size_t first,
                              size_t count, void *to, struct err_info *e) {
  struct run *run = context;
  struct gpu_device *d = run->r->d;
  size_t bytes = count * dtype_bytes(run->q->exercise->params[array].dtype);
  return finish_copy(
      run,
      d->backend->copy_out(d, to, element_at(run, array, first), bytes, 0, e),
      e);
}

static enum err write_elements(void *context, int array, size_t first,
                               size_t count, const void *from,
                               struct err_info *e) {
  struct run *run = context;
  struct gpu_device *d = run->r->d;
  size_t bytes = count * dtype_bytes(run->q->exercise->params[array].dtype);
  return finish_copy(
      run,
      d->backend->copy_in(d, element_at(run, array, first), from, bytes, 0, e),
      e);
}

static enum err launch_all(struct run *run, struct err_info *e) {
  struct launch_device d = {run, launch, read_elements, write_elements};
  return exercise_launch(run->q->exercise, run->q->input, &d,
                         &run->out->launch_end, e);
}

// ---- Timing ----

// All launches between two events, in microseconds.
static enum err time_all(struct run *run, const gpu_handle events[2],
                         double *us, struct err_info *e) {
  struct gpu_device *d = run->r->d;
  double ms = 0;
  run->is_timing = true;
  enum err err = d->backend->event_record(d, events[0], 0, e);
  if (!err)
    err = launch_all(run, e);
  if (!err)
    err = d->backend->event_record(d, events[1], 0, e);
  if (!err)
    err = remote_wait(d, GPU_ALL_STREAMS, e);
  if (!err)
    err = d->backend->event_elapsed(d, events[0], events[1], &ms, e);
  *us = 1000 * ms;
  run->is_timing = false;
  return err;
}

static enum err create_events(struct gpu_device *d, gpu_handle events[2],
                              struct err_info *e) {
  events[0] = events[1] = 0;
  enum err err = d->backend->event_create(d, &events[0], e);
  return err ? err : d->backend->event_create(d, &events[1], e);
}

static void destroy_events(struct gpu_device *d, const gpu_handle events[2]) {
  for (int i = 0; i < 2; i++)
    if (events[i] && !remote_has_died(d))
      d->backend->event_destroy(d, events[i], NULL);
}

static enum err fill_all(struct run *run, struct err_info *e) {
  enum err err = ERR_OK;
  for (int i = 0; i < run->q->exercise->param_count && !err; i++)
    err = run_images_fill(&run->images, i, e);
  return err;
}

static enum err time_launches(struct run *run, struct err_info *e) {
  struct run_result *out = run->out;
  struct gpu_device *d = run->r->d;
  double us[MAX_REPEATS];
  int count = run->q->repeats < MAX_REPEATS ? run->q->repeats : MAX_REPEATS;
  gpu_handle events[2];
  enum err err = create_events(d, events, e);
  for (int i = 0; i < count && !err; i++) {
    err = fill_all(run, e);
    if (!err)
      err = time_all(run, events, &us[i], e);
  }
  if (!err) {
    out->kernel_us = median_of(us, (size_t)count);
    for (int i = 0; i < count; i++)
      us[i] = fabs(us[i] - out->kernel_us);
    out->mad_us = median_of(us, (size_t)count);
  }
  destroy_events(d, events);
  return err;
}

// Writes twice the L2 cache's size, so that nothing of the inputs is in it, and
// keeps the GPU at work while the launches are queued.
static enum err clear_cache(struct run *run, struct err_info *e) {
  struct gpu_device *d = run->r->d;
  size_t bytes = 2 * (size_t)run->r->info.attributes[GPU_ATTR_L2_CACHE_BYTES];
  struct gpu_fill fill = {.width = 4, .count = bytes / 4};
  if (run->r->info.is_checked || !bytes)
    return ERR_OK;
  enum err err = d->backend->mem_alloc(d, bytes, 0, &run->flush, e);
  if (!err)
    err = d->backend->cache_reset(d, e);
  fill.to = run->flush;
  return err ? err : d->backend->mem_set(d, &fill, e);
}

static enum err launch_timed(struct run *run, struct err_info *e) {
  struct gpu_device *d = run->r->d;
  gpu_handle events[2];
  enum err err = create_events(d, events, e);
  if (!err)
    err = remote_wait(d, GPU_ALL_STREAMS, e); // the inputs are there
  if (!err)
    err = clear_cache(run, e);
  if (!err)
    err = time_all(run, events, &run->out->kernel_us, e);
  destroy_events(d, events);
  return err;
}

// ---- The whole run ----

// Is this a failure of the kernel's own, which a verdict can speak of? A module
// that does not load is one, too: inline PTX reaches the device unread.
static bool is_outcome(enum err err) {
  return (err >= ERR_COMPILE && err <= ERR_LAUNCH) || err == ERR_DEVICE_LOST;
}

static bool has_error_of(const struct run_result *out, enum err kind) {
  for (int i = 0; i < out->finding_count; i++)
    if (out->findings[i].kind == (int)kind &&
        out->findings[i].severity == GPU_ERROR)
      return true;
  return false;
}

// A launch that used up its budget ended by itself, and says so by a finding.
// One that was stopped from here did not end on this machine, and whatever it
// has left is no verdict.
static enum err judge_outcome(struct run_result *out, enum err err,
                              const struct err_info *e) {
  out->outcome = err;
  if (e)
    out->why = *e;
  return is_outcome(err) || has_error_of(out, err) ? ERR_OK : err;
}

// The function that launches could not go on, or went on for ever. Whose fault it
// is, the judge finds out.
static void note_end(struct run_result *out, const struct err_info *e) {
  if (out->launch_end == LAUNCH_RAISED)
    judge_outcome(out, ERR_ARGUMENT, e);
  else if (out->launch_end == LAUNCH_ENDLESS)
    judge_outcome(out, ERR_TIMEOUT, e);
}

static enum err run_once(struct run *run, struct err_info *e) {
  struct run_result *out = run->out;
  struct runner *r = run->r;
  struct gpu_device_info info;
  enum err err = runner_info(r, &info, e);
  if (err)
    return err;
  run->images = (struct run_images){
      .d = r->d,
      .q = run->q,
      .arena = r->arena,
      .has_zones = !info.is_checked || r->options.force_guards,
  };
  err = run_images_make(&run->images, e);
  if (err)
    return err;
  remote_was_stopped(r->d);
  err = load(run, e);
  if (!err)
    err = run->q->is_timed ? launch_timed(run, e) : launch_all(run, e);
  take_findings(run);
  take_counts(run);
  take_work(run);
  if (r->info.is_checked && remote_was_stopped(r->d))
    return err == ERR_CANCELLED || err == ERR_DEVICE_LOST ? err : ERR_TIMEOUT;
  if (err)
    err = judge_outcome(out, err, e);
  else
    note_end(out, e);
  // A checked device goes on after a finding, so what it left can be read.
  bool can_look = !out->outcome || r->info.is_checked;
  if (!err && can_look && run->kernels[0].function) {
    err = run_images_look(&run->images, out, e);
    if (err)
      take_findings(run);
    if (err)
      err = out->outcome && err != ERR_DEVICE_LOST ? ERR_OK
                                                   : judge_outcome(out, err, e);
  }
  if (!err && !out->outcome && run->q->repeats)
    err = time_launches(run, e);
  return err;
}

// Was the server killed under it, or its launch stopped? Neither says anything
// of the kernel yet.
static bool must_repeat(enum err err, const struct run_result *out) {
  return err == ERR_DEVICE_LOST || out->outcome == ERR_DEVICE_LOST ||
         err == ERR_TIMEOUT;
}

static void drop(struct run *run) {
  struct gpu_device *d = run->r->d;
  run_images_drop(&run->images);
  if (run->flush && !remote_has_died(d))
    d->backend->mem_free(d, run->flush, NULL);
  if (run->module && !remote_has_died(d))
    d->backend->module_unload(d, run->module, NULL);
}

// Once more on a server of its own, with far more time.
static enum err run_again(struct run *run, size_t said, struct err_info *e) {
  struct run_result *out = run->out;
  struct runner *r = run->r;
  run_result_free(out);
  memset(out, 0, sizeof *out);
  out->kernel_us = out->mad_us = NAN;
  if (r->output.len > said) { // by the first try
    r->output.len = said;
    r->output.data[said] = 0;
  }
  enum err err = remote_restart(r->d, e);
  if (err)
    return err;
  if (!is_real_gpu(r))
    remote_set_cpu_deadline(r->d, last_cpu_limit_s);
  err = run_once(run, e);
  if (!is_real_gpu(r))
    remote_set_cpu_deadline(r->d, first_limit_s(r));
  return err;
}

enum err runner_run(struct runner *r, const struct run_request *q,
                    struct run_result *out, struct err_info *e) {
  struct run run = {.r = r, .q = q, .out = out};
  struct err_info own = {0};
  size_t said = r->output.len;
  memset(out, 0, sizeof *out);
  out->kernel_us = out->mad_us = NAN;
  enum err err = run_once(&run, &own);
  drop(&run);
  if (must_repeat(err, out)) {
    run = (struct run){.r = r, .q = q, .out = out};
    err = run_again(&run, said, &own);
    drop(&run);
  }
  if (err == ERR_DEVICE_LOST) { // twice
    out->outcome = err;
    out->why = own;
    return ERR_OK;
  }
  if (err == ERR_TIMEOUT)
    err_set(&own, err,
            "this machine did not finish the launch in %g s of processor time",
            last_cpu_limit_s);
  if (err && e)
    *e = own;
  return err;
}

void run_counts_add_up(const struct run_counts *list, int count,
                       struct run_counts *sum) {
  *sum = (struct run_counts){0};
  if (count)
    sum->counts = list[0].counts;
  sum->counts.line_count = 0;
  memset(sum->counts.count, 0, sizeof sum->counts.count);
  for (int i = 0; i < count; i++)
    gpu_counts_add(&sum->counts, &sum->lines, &list[i].counts, list[i].lines);
}

// ---- Turns ----

enum err runner_take_alone(struct runner *r, struct err_info *e) {
  enum err err = revive(r, e);
  return err ? err : remote_take_alone(r->d, e);
}

void runner_give_back(struct runner *r) {
  struct err_info e;
  remote_give_back(r->d, &e); // one that is gone has no turn
}

bool runner_shares_turns(const struct runner *r, int pid) {
  return remote_shares_turns(r->d, pid);
}
