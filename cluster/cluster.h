// SPDX-License-Identifier: Apache-2.0
// Slurm through its commands: what is configured, what is queued, what is handed
// over. No library of Slurm's is linked (it is bound to one version of it), no
// shell is in between, and accounting is not needed. slurm.schedmd.com, manual
// pages of sbatch, squeue and scontrol.
#ifndef CLUSTER_CLUSTER_H
#define CLUSTER_CLUSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

// Are sbatch and squeue among the programs here?
bool slurm_is_here(void);
bool slurm_has_srun(void);

struct slurm_config {
  int most_tasks;  // of one array (MaxArraySize)
  bool has_shards; // GPUs are handed out in parts (GresTypes)
};

// ERR_NOT_FOUND: there is no Slurm here; ERR_NOT_READY: its controller does not
// answer, with its own words.
enum err slurm_config_read(struct slurm_config *out, struct err_info *e);
// The same of what `scontrol show config` prints.
void slurm_config_parse(const char *text, struct slurm_config *out);

// A task that the queue has, or had a moment ago.
struct slurm_task {
  char *comment; // its job's
  int index;     // in its array; -1: it is in none
  bool is_live;  // it waits, runs or may run again
  bool runs;
  char *state;  // "PD"
  char *reason; // "Resources", "None"
};

struct slurm_queue {
  int count;
  struct slurm_task *list;
};

// The caller's own. Errors as of slurm_config_read.
enum err slurm_queue_read(struct slurm_queue *out, struct err_info *e);
// The same of lines "index|state|comment|reason"; others are passed over.
void slurm_queue_parse(const char *text, struct slurm_queue *out);
void slurm_queue_free(struct slurm_queue *q);

// Everybody's jobs that wait or are about to start, those first that come first,
// one line each: "partition|state|reason|start|comment". Gives up after `limit_s`.
// To be freed.
enum err slurm_pending_read(char **out, double limit_s, struct err_info *e);

// Hands over `words`, a NULL-terminated list for sbatch. ERR_ARGUMENT: refused,
// with its words; ERR_NOT_READY: nobody knows whether it was taken.
enum err slurm_submit(const char *const *words, struct err_info *e);

// Hands over a batch script; `*id` gets the job's number as sbatch says it, to be
// freed. Errors as of slurm_submit, and ERR_NOT_FOUND.
enum err slurm_submit_script(const char *path, char **id, struct err_info *e);

// sinfo's partitions, one line each: "name|gres|available|time limit", or an error
// as of slurm_config_read. To be freed.
enum err slurm_partitions_read(char **out, struct err_info *e);

// ---- What a user asks of Slurm, as one word: "partition=gpu,time=1:00:00" ----

enum { SLURM_MAX_WISHES = 16 };

struct slurm_wish {
  int count;
  char *options[SLURM_MAX_WISHES]; // "--partition=gpu", for sbatch and srun
  int each;                        // hand-ins of one task; 0: not said
};

// `text` is what stands behind "slurm:", or empty. ERR_ARGUMENT names the part
// that is none, and what there is.
enum err slurm_wish_parse(const char *text, struct slurm_wish *out,
                          struct err_info *e);
// Does it say this option, such as "--time"?
bool slurm_wish_has(const struct slurm_wish *w, const char *option);
void slurm_wish_free(struct slurm_wish *w);

// ---- A batch script that is written ----

// Its second line: who has it may write the file anew.
#define JOB_MARK "# Written by warpshop batch; sbatch sends it once more."
enum { JOB_ASKS = 12 };

// What is asked; all of it is the caller's.
struct job_script {
  const char *program;          // that runs the script: warpshop's path
  const char *script;           // the Lua file
  char *const *args;            // of the script, ended by NULL; or NULL
  const char *values[JOB_ASKS]; // as job_ask has set them
};

// "gpu", "2". ERR_ARGUMENT: it is none of what job.def lists, or no such value.
enum err job_ask(struct job_script *b, const char *name, const char *value,
                 struct err_info *e);
// The script, and the name of a file for it: "train.sbatch". To be freed.
char *job_text(const struct job_script *b);
char *job_file(const struct job_script *b);
// A line for each option.
void job_options(struct str *out);

// ---- A login node: it has Slurm's commands and no GPU, and we run in no job ----

bool login_is_here(void);

// Has this machine a GPU? Looks at device nodes alone: no driver is opened.
bool login_has_gpu(void);

// The command that gets a GPU here and starts warpshop at it, from what sinfo says
// of the partitions; NULL: none has a GPU, or Slurm does not answer. To be freed.
char *login_line(void);
// The same of lines "name|gres|available|time limit".
char *login_line_of(const char *partitions);

// "1234, 43 min left" of the job that we run in; NULL: in none. To be freed.
char *login_job(void);

// ---- A node for a device ----

// What a user asks of Slurm as "slurm:gpu=1,time=1:00:00", the srun that gets it,
// and how the wait for it stands.

// "slurm" or "slurm:...", whether or not the rest can be read.
bool slurm_node_is_name(const char *name);

struct slurm_node;

// ERR_ARGUMENT: something in it cannot be asked, and what can; ERR_NOT_FOUND: there
// is no srun here, or no warpshop-device. Freed with slurm_node_free.
enum err slurm_node_new(const char *name, struct slurm_node **out,
                        struct err_info *e);
void slurm_node_free(struct slurm_node *n); // NULL is fine
// The same for so many tasks of a program, a list of words that stay the caller's as
// long as it lives; `wish` is what stands behind "slurm:"; with has_gpus each gets one
// GPU. Within a job they are a step of it.
enum err slurm_tasks_new(const char *wish, int tasks, bool has_gpus,
                         const char *const *program, struct slurm_node **out,
                         struct err_info *e);

// What is there: "cuda:0" where GPUs are asked for, else "virtual:0".
const char *slurm_node_device(const struct slurm_node *n);
// For how long, in seconds; 0: the partition's own time, which is not known here.
int64_t slurm_node_limit_s(const struct slurm_node *n);
// srun and its words, ended with a NULL: it starts `warpshop-device --stdio` there.
const char *const *slurm_node_command(const struct slurm_node *n);

// "place 2 of 5 in workshop, Resources: nodes are busy; expected at 13:40". Asks
// squeue at most every 5 s, for 3 s.
void slurm_node_say_wait(struct slurm_node *n, char *text, size_t bytes);
// The same of what squeue prints, lines "partition|state|reason|start|comment" in
// the order of priority, for the job with that comment.
void slurm_node_parse_wait(const char *queue, const char *comment, char *text,
                           size_t bytes);

#endif
