// SPDX-License-Identifier: Apache-2.0
// The back end's streams and events: names for places in the one queue.
#include "gpu/vgpu/device/vgpu_stream.h"

#include <inttypes.h>

#include "base/mem.h"

static bool stream_is_known(const struct vg_device *d, gpu_handle s) {
  return s < MAX_STREAMS && d->stream_used[s];
}

enum err vg_check_stream(const struct vg_device *d, gpu_handle s,
                         struct err_info *e) {
  if (stream_is_known(d, s))
    return ERR_OK;
  return err_set(e, ERR_ARGUMENT, "stream %" PRIu64 " does not exist", s);
}

enum err vg_back_stream_create(struct gpu_device *base, gpu_handle *out,
                               struct err_info *e) {
  struct vg_device *d = vg_own(base);
  for (gpu_handle s = 1; s < MAX_STREAMS; s++)
    if (!d->stream_used[s]) {
      d->stream_used[s] = true;
      d->stream_last[s] = 0;
      *out = s;
      return ERR_OK;
    }
  return err_set(e, ERR_NOMEM, "no more than %d streams", MAX_STREAMS - 1);
}

enum err vg_back_stream_destroy(struct gpu_device *base, gpu_handle s,
                                struct err_info *e) {
  struct vg_device *d = vg_own(base);
  enum err err = vg_check_stream(d, s, e);
  if (err)
    return err;
  if (s == 0)
    return err_set(e, ERR_ARGUMENT, "the default stream stays");
  d->stream_used[s] = false;
  return ERR_OK;
}

static enum err find_event(struct vg_device *d, gpu_handle h,
                           struct event **out, struct err_info *e) {
  if (h < 1 || h >= MAX_EVENTS || !d->events[h] || !d->events[h]->is_used)
    return err_set(e, ERR_ARGUMENT, "event %" PRIu64 " does not exist", h);
  *out = d->events[h];
  return ERR_OK;
}

// Event records are kept when an event goes: queued work may point at them.
enum err vg_back_event_create(struct gpu_device *base, gpu_handle *out,
                              struct err_info *e) {
  struct vg_device *d = vg_own(base);
  for (gpu_handle h = 1; h < MAX_EVENTS; h++) {
    struct event *ev = d->events[h];
    if (ev && ev->is_used)
      continue;
    if (!ev)
      ev = d->events[h] = xcalloc(1, sizeof *ev);
    pthread_mutex_lock(&d->lock);
    ev->is_used = true;
    ev->queued = ev->done; // no record of its former owner counts
    ev->ms = 0;
    pthread_mutex_unlock(&d->lock);
    *out = h;
    return ERR_OK;
  }
  return err_set(e, ERR_NOMEM, "no more than %d events", MAX_EVENTS - 1);
}

enum err vg_back_event_destroy(struct gpu_device *base, gpu_handle h,
                               struct err_info *e) {
  struct vg_device *d = vg_own(base);
  struct event *ev = NULL;
  enum err err = find_event(d, h, &ev, e);
  if (!err) {
    pthread_mutex_lock(&d->lock);
    ev->is_used = ev->queued != ev->done; // a pending record keeps the place
    pthread_mutex_unlock(&d->lock);
  }
  return err;
}

enum err vg_back_event_record(struct gpu_device *base, gpu_handle h,
                              gpu_handle stream, struct err_info *e) {
  struct vg_device *d = vg_own(base);
  struct event *ev = NULL;
  enum err err = vg_check_stream(d, stream, e);
  if (err || (err = find_event(d, h, &ev, e)))
    return err;
  struct work *k = vg_work_new(WORK_EVENT);
  k->event = ev;
  pthread_mutex_lock(&d->lock);
  k->stamp = ++ev->queued;
  pthread_mutex_unlock(&d->lock);
  vg_submit(d, stream, k);
  return ERR_OK;
}

enum err vg_back_event_poll(struct gpu_device *base, gpu_handle h,
                            struct err_info *e) {
  struct vg_device *d = vg_own(base);
  struct event *ev = NULL;
  enum err err = find_event(d, h, &ev, e);
  if (err)
    return err;
  pthread_mutex_lock(&d->lock);
  bool is_done = ev->done == ev->queued;
  pthread_mutex_unlock(&d->lock);
  return is_done ? ERR_OK : ERR_NOT_READY;
}

enum err vg_back_event_elapsed(struct gpu_device *base, gpu_handle from,
                               gpu_handle to, double *ms, struct err_info *e) {
  struct vg_device *d = vg_own(base);
  struct event *a = NULL, *b = NULL;
  enum err err = find_event(d, from, &a, e);
  if (err || (err = find_event(d, to, &b, e)))
    return err;
  pthread_mutex_lock(&d->lock);
  bool is_done = a->done == a->queued && b->done == b->queued;
  bool is_recorded = a->ms != 0 && b->ms != 0;
  *ms = b->ms - a->ms;
  pthread_mutex_unlock(&d->lock);
  if (!is_done)
    return err_set(e, ERR_NOT_READY, "an event has not been reached yet");
  if (!is_recorded)
    return err_set(e, ERR_ARGUMENT, "an event was never recorded");
  return ERR_OK;
}

// One queue: what was recorded before is done before.
enum err vg_back_stream_wait(struct gpu_device *base, gpu_handle stream,
                             gpu_handle h, struct err_info *e) {
  struct vg_device *d = vg_own(base);
  struct event *ev = NULL;
  enum err err = vg_check_stream(d, stream, e);
  return err ? err : find_event(d, h, &ev, e);
}
