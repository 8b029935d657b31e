#!/bin/bash
# BEGIN SOLUTION
#SBATCH --time=0:30:00
#SBATCH --gres=gpu:1
./hello
# END SOLUTION
# STARTER: echo "nothing is asked for yet"
