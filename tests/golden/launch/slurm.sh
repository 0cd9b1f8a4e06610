#!/bin/sh
#SBATCH --job-name=layerloom-iris-001
#SBATCH --nodes=2
#SBATCH --ntasks=8
#SBATCH --ntasks-per-node=4
#SBATCH --cpus-per-task=3
#SBATCH --gpus-per-node=4
#SBATCH --partition=gpu
#SBATCH --output=log.txt
#SBATCH --open-mode=append
#SBATCH --no-requeue
#SBATCH --signal=TERM@60

# Account, time limit and the like: the SBATCH_* variables of the shell that submits.
export LAYERLOOM_WORKSPACE='/shared/my work'
export LAYERLOOM_MACHINES=2
export LOCAL_WORLD_SIZE=4
export OMP_NUM_THREADS=3
export MKL_NUM_THREADS=3
export OMP_WAIT_POLICY=PASSIVE
export PYTHONSAFEPATH=1
export PYTHONUNBUFFERED=1
export LAYERLOOM_ATTEMPT=3.$SLURM_JOB_ID

srun --kill-on-bad-exit=0 --wait=300 --chdir=/ --cpus-per-task=3 \
  sh -c 'export RANK="$SLURM_PROCID" WORLD_SIZE="$SLURM_NTASKS" LOCAL_RANK="$SLURM_LOCALID"; exec "$@"' rank \
  /usr/bin/python -P /shared/layerloom/run_module.py core.worker.main '/shared/my runs/iris-001'
