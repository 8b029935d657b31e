// SPDX-License-Identifier: Apache-2.0
// The queues of this machine's shared GPUs (gpu/turnstile), for class watch.
#ifndef CLASS_QUEUE_H
#define CLASS_QUEUE_H

#include "class/view.h"

// A table for people, "" where no GPU here is shared; to be freed.
char *queue_text(const struct view *v, const struct view_options *q);
// [{gpu, sick, mps, tickets: [{learner, lane, state, place, wait_s, since_s, used_s,
// memory_bytes}]}]
json_t *queue_json(const struct view *v, const struct view_options *q);

#endif
