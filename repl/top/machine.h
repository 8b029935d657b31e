// SPDX-License-Identifier: Apache-2.0
// What is to be seen of a machine at one moment: its GPUs (gpu/nvml), who uses them,
// and warpshop's own device servers of this user, virtual ones too.
#ifndef REPL_TOP_MACHINE_H
#define REPL_TOP_MACHINE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "display/display.h"
#include "gpu/nvml/nvml.h"

enum { NAME_BYTES = 40, COMMAND_BYTES = 256 };

// What /proc says of a process. Names are UTF-8 without control characters.
struct process_look {
  uid_t uid;
  char user[NAME_BYTES];
  char command[COMMAND_BYTES];
  pid_t parent;
  uint64_t cpu_ticks;
  int64_t bytes; // of memory
};

// A process that uses a GPU.
struct machine_process {
  struct survey_user is;
  bool is_seen; // here; else it has ended, or runs in another container
  struct process_look look;
};

// A device server of warpshop's, of this user.
struct machine_server {
  pid_t pid;
  char device[NAME_BYTES]; // "virtual:0"
  uint64_t launches;
  struct process_look look;
  char program[COMMAND_BYTES]; // which started it
  struct nvml_value cpu;       // per cent of one core, since the look before
};

struct machine {
  bool has_survey; // one has come
  struct survey survey;
  struct machine_process *processes;
  int process_count;
  struct machine_server *servers;
  int server_count;
};

// ---- machine.c ----

void machine_init(struct machine *m);
void machine_free(struct machine *m);
// Takes over a new survey, and looks at /proc.
struct process_watch;
void machine_look(struct machine *m, const struct survey *s,
                  struct process_watch *w);

// ---- process.c ----

// `root` NULL: /proc.
struct process_watch *process_watch_new(const char *root);
void process_watch_free(struct process_watch *w);
bool process_look(const struct process_watch *w, pid_t pid,
                  struct process_look *out);
// This user's device servers, by number; the caller frees them.
struct machine_server *process_servers(struct process_watch *w, int *count);

// ---- order.c ----

enum sort_key {
#define SORT(name, text, help) SORT_##name,
#include "repl/top/sort.def"
#undef SORT
  SORTS
};
const char *sort_name(enum sort_key k);
bool sort_find(const char *name, enum sort_key *out);

struct choice {
  enum sort_key sort;
  struct typed filter; // of processes: user, command or number; "" for all
  uint32_t gpus;       // a bit each; 0: all
};
bool choice_has_gpu(const struct choice *c, int gpu);
// Numbers of GPUs, of processes and of servers in the order in which they are shown;
// how many. `out` has room for all.
int choice_gpus(const struct choice *c, const struct machine *m, int *out);
int choice_processes(const struct choice *c, const struct machine *m, int *out);
int choice_servers(const struct choice *c, const struct machine *m, int *out);

#endif
