// SPDX-License-Identifier: Apache-2.0
#include "repl/top/machine.h"

#include <stdlib.h>

#include "base/mem.h"

void machine_init(struct machine *m) {
  *m = (struct machine){0};
}

void machine_free(struct machine *m) {
  free(m->processes);
  free(m->servers);
  machine_init(m);
}

void machine_look(struct machine *m, const struct survey *s,
                  struct process_watch *w) {
  free(m->processes);
  free(m->servers);
  m->survey = *s;
  m->has_survey = true;
  m->process_count = s->user_count;
  m->processes = xcalloc((size_t)s->user_count + 1, sizeof *m->processes);
  for (int i = 0; i < s->user_count; i++) {
    struct machine_process *p = &m->processes[i];
    p->is = s->users[i];
    p->is_seen = process_look(w, s->users[i].pid, &p->look);
  }
  m->servers = process_servers(w, &m->server_count);
}
