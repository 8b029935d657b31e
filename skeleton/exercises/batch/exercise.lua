-- SPDX-License-Identifier: Apache-2.0
-- docs/exercises.md explains every field.
return {
  kind = "batch",
  title = "A job with one GPU",
  task = "A script for sbatch: one GPU, at most half an hour; it runs ./hello.",
  minutes = 5,
  -- One thing each that the script must say or run.
  cases = {
    {name = "one GPU", wants = "gpus == 1"},
    {name = "a limit", wants = "time <= 0:30:00"},
    {name = "the program", wants = "runs ./hello"},
  },
  hints = {
    "Wishes are lines that begin with #SBATCH, above the first command.",
    "--gres=gpu:1 is a GPU, --time=0:30:00 half an hour.",
  },
  -- Shown after the first pass: what the solution costs, and what is next.
  editorial = "Who asks for little waits little: one GPU for half an hour fits into a gap"
    .. " that a day does not. Next: many such jobs in one array.",
  mutants = {
    {
      name = "two-gpus",
      replace = {"gpu:1", "gpu:2"},
      explain = "Two GPUs are asked for, and one was to be.",
    },
    {
      name = "below-a-command",
      replace = {"#SBATCH --gres=gpu:1\n./hello", "./hello\n#SBATCH --gres=gpu:1"},
      explain = "The line stands below the first command, where Slurm reads none.",
    },
    {
      name = "half-a-day",
      replace = {"0:30:00", "12:30:00"},
      explain = "Twelve hours too many: the job waits longer for its turn.",
    },
    {
      name = "nothing-run",
      replace = {"./hello", "echo hello"},
      explain = "echo prints a word; the program is ./hello.",
    },
  },
}
