-- SPDX-License-Identifier: Apache-2.0
return {
  kind = "batch",
  title = "A job for the night",
  task = "A script for sbatch: account edu24, one GPU, 4 cores of the host, 45"
    .. " minutes to one hour, what it prints in a file of its own; it loads"
    .. " cuda/13.0 and runs ./warpshop run sort.lua.",
  minutes = 15,
  cases = {
    {name = "who pays", wants = "account == edu24"},
    {name = "one GPU", wants = "gpus == 1", weight = 2},
    {name = "long enough", wants = "time >= 0:45:00"},
    {name = "short enough", wants = "time <= 1:00:00"},
    {name = "four cores", wants = "cpus == 4"},
    {name = "a file of its own", wants = "output"},
    {name = "its modules", wants = "runs module load cuda/13.0",
      before = "./warpshop run sort.lua"},
    {name = "the program", wants = "runs ./warpshop run sort.lua", weight = 2},
  },
  hints = {
    "A wish is a line that begins with #SBATCH, above the first command:"
      .. " #SBATCH --account=edu24 is the first.",
    "A time is hours:minutes:seconds. With one colon alone it is minutes and"
      .. " seconds, and a plain number is minutes.",
    "--gres=gpu:1 is a GPU, --cpus-per-task=4 are cores, --output=sort-%j.out"
      .. " is a file with the job's number in its name.",
  },
  editorial = "One GPU for 50 minutes: the account pays five sixths of a GPU"
    .. " hour if the job takes them all, and less if it is done earlier. An"
    .. " hour at most lets the scheduler fit it in before a large job. Next:"
    .. " many such jobs at once, as an array (--array=1-20).",
  mutants = {
    {name = "below a command", replace = {
        "#SBATCH --gres=gpu:1\nmodule load cuda/13.0",
        "module load cuda/13.0\n#SBATCH --gres=gpu:1"},
      explain = "The line that asks for the GPU stands below a command. Slurm"
        .. " reads wishes up to the first command and says nothing of the"
        .. " others: the job waits its turn, starts, and finds no GPU."},
    {name = "fifty seconds", replace = {"0:50:00", "0:50"},
      explain = "The job is ended after fifty seconds. A time with one colon"
        .. " alone is minutes and seconds, and with two colons the hours come"
        .. " first."},
    {name = "to be on the safe side", replace = {"0:50:00", "10:00:00"},
      explain = "Ten hours for fifty minutes' work: a job so long is not let in"
        .. " before a large one that waits, and so it waits behind it."},
    {name = "nobody pays", replace = {"#SBATCH --account=edu24\n", ""},
      explain = "No account is named. Where a centre has no other one for you,"
        .. " sbatch refuses the job; where it has, the wrong one pays."},
    {name = "a remark", replace = {"#SBATCH --account", "# SBATCH --account"},
      explain = "With a blank behind the hash sign the line is a remark like"
        .. " any other, for the shell and for Slurm: no account is named."},
    {name = "processes for GPUs", replace = {"--gres=gpu:1", "--ntasks=1"},
      explain = "No GPU is asked for. It is a resource beside the host's cores,"
        .. " with options of its own, such as --gres: --ntasks counts"
        .. " processes."},
    {name = "processes for cores", replace = {"--cpus-per-task", "--ntasks"},
      explain = "No cores are asked for, and each process gets one."
        .. " --cpus-per-task=4 is one process with four; four tasks are four"
        .. " processes, for a program that is started four times."},
    {name = "nothing loaded", replace = {"module load cuda/13.0\n", ""},
      explain = "cuda/13.0 is not loaded. The job's shell is a new one, on"
        .. " another computer: what you loaded at the login node is not"
        .. " there."},
    {name = "loaded too late", replace = {
        "#SBATCH --gres=gpu:1\nmodule load cuda/13.0\n",
        "#SBATCH --gres=gpu:1\n./warpshop run sort.lua\n"
        .. "module load cuda/13.0\n"},
      explain = "The program starts before its module is loaded: commands run"
        .. " from above to below."},
  },
}
