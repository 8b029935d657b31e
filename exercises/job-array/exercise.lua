-- SPDX-License-Identifier: Apache-2.0
return {
  kind = "batch",
  title = "Twenty jobs",
  task = "One script, twenty jobs, four at a time: ./warpshop run part.lua"
    .. " with the numbers 0 to 19, for account edu24, a GPU and 10 to 15"
    .. " minutes each, cuda/13.0, and for each job a file of its own.",
  needs = {"batch-script"},
  minutes = 10,
  cases = {
    {name = "who pays", wants = "account == edu24"},
    {name = "one GPU each", wants = "gpus == 1", weight = 2},
    {name = "long enough", wants = "time >= 0:10:00"},
    {name = "short enough", wants = "time <= 0:15:00"},
    {name = "twenty, four at a time", wants = "array == 0-19%4", weight = 3},
    {name = "a file of its own", wants = "output == part-%A_%a.out"},
    {name = "its modules", wants = "runs module load cuda/13.0",
      before = "./warpshop run part.lua"},
    {name = "its own part",
      wants = "runs ./warpshop run part.lua $SLURM_ARRAY_TASK_ID", weight = 2},
  },
  hints = {
    "--array=0-4 makes five jobs of one script, numbered 0, 1, 2, 3, 4.",
    "--array=0-19%4 lets at most four of them run at once.",
    "The job finds its number in $SLURM_ARRAY_TASK_ID. In the name of the"
      .. " output file %A is the number of all of them, and %a the job's own:"
      .. " part-%A_%a.out.",
  },
  editorial = "Twenty jobs of ten minutes find gaps where one of three hours"
    .. " and twenty minutes waits, and the part that fails is done again by"
    .. " itself: sbatch --array=7 job.sh. %4 is for those who share the"
    .. " cluster with you. Next: a last job that puts the parts together,"
    .. " --dependency=afterok:N.",
  mutants = {
    {name = "twenty-one", replace = {"0-19", "0-20"},
      explain = "From 0 to 20 are twenty-one jobs: both ends count. The last"
        .. " one finds no part."},
    {name = "from one", replace = {"0-19", "1-20"},
      explain = "The parts have the numbers 0 to 19: part 0 is left out, and"
        .. " there is no part 20."},
    {name = "all at once", replace = {"0-19%4", "0-19"},
      explain = "Nothing holds them back: as many run at once as there are GPUs"
        .. " free, and the others' jobs wait."},
    {name = "twenty GPUs", replace = {"gpu:1", "gpu:4"},
      explain = "A wish is made for each job: every one of them would hold four"
        .. " GPUs, and use one."},
    {name = "all the time", replace = {"0:10:00", "3:20:00"},
      explain = "The time is that of one job, not of all together. So long a"
        .. " job is not let in before a large one that waits."},
    {name = "always the first", replace = {"$SLURM_ARRAY_TASK_ID", "0"},
      explain = "All twenty jobs compute part 0. Which number a job has, it"
        .. " finds in SLURM_ARRAY_TASK_ID."},
    {name = "the job's number", replace = {"$SLURM_ARRAY_TASK_ID",
        "$SLURM_JOB_ID"},
      explain = "SLURM_JOB_ID is a number that Slurm has given, such as"
        .. " 6907137, and no part has it."},
    {name = "one file", replace = {"part-%A_%a.out", "part.out"},
      explain = "All twenty write to one file, over each other."},
    {name = "nothing loaded", replace = {"module load cuda/13.0\n", ""},
      explain = "cuda/13.0 is not loaded. A job's shell is a new one, on"
        .. " another computer."},
  },
}
