#!/bin/bash
# STARTER: # The job for sort.lua. Slurm reads what stands here; nobody runs it yet.
# BEGIN SOLUTION
#SBATCH --account=edu24
#SBATCH --time=0:50:00
#SBATCH --cpus-per-task=4
#SBATCH --output=sort-%j.out
#SBATCH --gres=gpu:1
module load cuda/13.0
# END SOLUTION
./warpshop run sort.lua
