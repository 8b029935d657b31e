// SPDX-License-Identifier: Apache-2.0
// Whose turn it is at a shared GPU. Pure functions of what stands in the tickets
// and of a clock that only goes forward: a simulated one will do.
//
// The order of those that wait: users who hold no turn before those who do; who
// has used the GPU least in the last ten minutes; the oldest ticket. So a user
// who is passed over goes first after ten minutes at the latest: by then their
// own use is nothing, and no ticket that comes later is older.
#ifndef GPU_TURNSTILE_POLICY_H
#define GPU_TURNSTILE_POLICY_H

#include <stdint.h>

#include "gpu/turnstile/turnstile.h"

// Use of a GPU, in parts of ten seconds.
enum { TURN_PARTS = 60 };
#define TURN_PART_NS   ((uint64_t)10 * 1000000000)
#define TURN_WINDOW_NS (TURN_PARTS * TURN_PART_NS)
// Users whose use differs by less than this have used it alike.
#define TURN_ALIKE_NS ((uint64_t)100 * 1000000)

struct turn_use {
  uint64_t part; // number of the newest
  uint32_t us[TURN_PARTS];
};
// Notes `ns` of GPU time that ended at `now_ns`.
void turn_use_add(struct turn_use *u, uint64_t now_ns, uint64_t ns);
// GPU time in the ten minutes before `now_ns`.
uint64_t turn_use_sum(const struct turn_use *u, uint64_t now_ns);

// What `ns` cost a user while that many held a turn, theirs counted: those of the
// practice lane share the GPU.
uint64_t turn_charge_ns(uint64_t ns, int holders);

// One ticket.
struct turn_entrant {
  uint32_t uid; // of its file's owner
  enum turn_lane lane;
  enum turn_state state;
  bool is_absent;    // waits, and has not looked for long: passed over
  uint64_t since_ns; // that it waits or holds
  uint64_t number;   // of equal times the lower one goes first
  uint64_t used_ns;  // with this ticket, in the window
  uint64_t usual_ns; // length of its turns; 0: not known
};

struct turn_rules {
  int practice; // turns at once
};

// Where `self`, which waits, stands among `count` tickets.
void turn_stand(const struct turn_entrant *all, int count, int self,
                struct turn_rules rules, uint64_t now_ns,
                struct turn_standing *out);

#endif
