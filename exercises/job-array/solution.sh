#!/bin/bash
# STARTER: # Part 0 of twenty alone, and it asks for a GPU for a whole day.
# BEGIN SOLUTION
#SBATCH --account=edu24
#SBATCH --gres=gpu:1
#SBATCH --time=0:10:00
#SBATCH --array=0-19%4
#SBATCH --output=part-%A_%a.out
module load cuda/13.0
./warpshop run part.lua $SLURM_ARRAY_TASK_ID
# END SOLUTION
# STARTER: #SBATCH --account=edu24
# STARTER: #SBATCH --gres=gpu:1
# STARTER: #SBATCH --time=24:00:00
# STARTER: #SBATCH --output=part-%j.out
# STARTER: module load cuda/13.0
# STARTER: ./warpshop run part.lua 0
