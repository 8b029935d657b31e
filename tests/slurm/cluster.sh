# shellcheck shell=bash disable=SC2154 # of who sources it
# SPDX-License-Identifier: Apache-2.0
# A Slurm of one node on this machine: no systemd, no database, all state below
# $cluster, which the caller has set to a folder of its own; /etc/slurm is not
# touched. Sourced by tests that run as root:
#   cluster_lacks          says what is missing; empty: nothing
#   cluster_up, cluster_down
#   controller_kill, controller_up
# slurm.conf(5), gres.conf(5); munged(8).

cluster_lacks() {
  [ "$(id -u)" = 0 ] || echo "needs root"
  local name
  for name in slurmctld slurmd munged; do
    PATH=$PATH:/usr/sbin command -v $name >/dev/null || echo "needs $name"
  done
}

wait_for() { # COMMAND...: until it succeeds
  local k
  for ((k = 0; k < ${HANG_S:-300} * 10; k++)); do
    "$@" >/dev/null 2>&1 && return 0
    sleep 0.1
  done
  echo "# waited in vain for: $*" >&2
  return 1
}

# Its own key, socket and processes: a munge of the machine's stays as it is.
munge_up() {
  local m=$cluster/munge
  mkdir -p "$m" && head -c 128 /dev/urandom >"$m/key" && chmod 600 "$m/key" && chmod 755 "$m"
  # Others' programs must reach the socket.
  munged --force --key-file="$m/key" --socket="$m/socket" --pid-file="$m/pid" \
    --log-file="$m/log" --seed-file="$m/seed" || return 1
  wait_for munge --socket="$m/socket" --no-input
}

conf() {
  local host cpus=${CLUSTER_CPUS:-$(nproc)} memory
  host=$(hostname -s)
  memory=$(($(awk '/MemTotal/ {print $2}' /proc/meminfo) / 1024 - 512))
  cat <<EOF
ClusterName=warpshop
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$cluster/munge/socket
CryptoType=crypto/munge
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/slurmd.pid
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool
SlurmctldLogFile=$cluster/slurmctld.log
SlurmdLogFile=$cluster/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/filetxt
JobCompLoc=$cluster/done.txt
ReturnToService=2
SlurmdParameters=config_overrides
KillWait=5
MaxArraySize=${CLUSTER_ARRAY:-1001}
GresTypes=gpu,shard
NodeName=$host NodeAddr=127.0.0.1 CPUs=$cpus RealMemory=$memory Gres=gpu:1,shard:4
PartitionName=workshop Nodes=$host Default=YES MaxTime=00:30:00 State=UP
EOF
}

is_ready() { sinfo -h -o %t | grep -Eq 'idle|mix|alloc'; }

# The first port that is free, of two in a row.
free_port() {
  local p
  for p in $(seq 16900 2 17100); do
    ss -ltn 2>/dev/null | grep -Eq ":($p|$((p + 1))) " || break
  done
  echo "$p"
}

# As after a power cut of both: the node says anew what runs on it, and tasks
# that the controller believes to run there, because it was dead when they ended,
# are known to be over.
controller_up() {
  slurmctld -i
  wait_for sh -c 'scontrol ping | grep -q "is UP"'
  stop_one "$cluster/slurmd.pid"
  slurmd -N "$(hostname -s)"
}
controller_kill() {
  kill -KILL "$(cat "$cluster/slurmctld.pid")"
  wait_for sh -c '! scontrol ping | grep -q "is UP"'
}

# One at a time: a port is free until a controller has it.
cluster_up() {
  local rc
  exec 8>"${TMPDIR:-/tmp}/warpshop-tests-slurm.$(id -u)" && flock 8
  cluster_begin
  rc=$?
  flock -u 8 # of what was started, too, which has it still
  exec 8>&-
  return $rc
}
cluster_begin() {
  export SLURM_CONF=$cluster/slurm.conf PATH=$PATH:/usr/sbin
  port=$(free_port)
  mkdir -p "$cluster"/{state,spool} && chmod 755 "$cluster"
  munge_up || return 1
  # Any device file stands for a GPU, as long as nothing is confined to it.
  mknod "$cluster/gpu0" c 1 3 || return 1
  conf >"$SLURM_CONF"
  printf 'Name=gpu Count=1 File=%s\nName=shard Count=4 File=%s\n' \
    "$cluster/gpu0" "$cluster/gpu0" >"$cluster/gres.conf"
  echo "CgroupPlugin=cgroup/v1" >"$cluster/cgroup.conf"
  slurmctld -c -i && wait_for sh -c 'scontrol ping | grep -q "is UP"' || return 1
  slurmd -N "$(hostname -s)" && wait_for is_ready
}

stop_one() { # FILE: that holds its process's number
  local pid
  pid=$(cat "$1" 2>/dev/null)
  [ -n "$pid" ] && kill "$pid" 2>/dev/null && wait_for sh -c "! kill -0 $pid"
}

# What was started, and nothing else; of tasks that the controller lost, the
# steps remain.
cluster_down() {
  local name exe
  scancel --user=root 2>/dev/null
  for name in slurmd.pid slurmctld.pid munge/pid; do
    stop_one "$cluster/$name"
  done
  for exe in /proc/[0-9]*; do
    grep -qz "^SLURM_CONF=$cluster/slurm.conf$" "$exe/environ" 2>/dev/null &&
      grep -q '^slurmstepd' "$exe/cmdline" 2>/dev/null && kill -KILL "${exe#/proc/}"
  done
}
