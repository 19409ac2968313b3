#!/bin/sh
# SPDX-License-Identifier: MIT
# A cluster of one node by Debian's slurmctld and slurmd in a clean chroot, with two software GPUs as generic resources and the
# configuration of docs/packages.md: two jobs run at the same time, each asks for a GPU, and each sees its own device alone.
# Prints TAP. Not part of make check: it needs root and Debian's archive.
#   usage: tests/clean/slurm.sh        environment: see tests/clean/_chroot.sh
set -eu
name=slurm
. tests/clean/_chroot.sh
. tests/tap.sh
build_debs
make_chroot
mkdir "$root/root/packages"
cp "$debs"/sov-tools_*.deb "$root/root/packages/"
install_in_chroot slurmctld slurmd slurm-client munge procps $(cd "$root" && ls root/packages/*.deb | sed 's|^|/|')
diag "$(inside slurmctld -V)"

# A device file per GPU: a software GPU has none, so the node of /dev/null stands for it.
for i in 0 1; do
	[ -e "$root/dev/sovsoft$i" ] || mknod -m 666 "$root/dev/sovsoft$i" c 1 3
done
host=$(hostname -s)
mkdir -p "$root/etc/slurm" "$root/run/munge" "$root/var/spool/slurm" "$root/jobs"
# The lines between the marks are those of docs/packages.md.
cp_from_page() { # FILE: the block of the page that begins with "# FILE"
	awk -v file="# $1" '$0 == file { on = 1; next } /^```$/ { on = 0 } on' docs/packages.md
}
cat >"$root/etc/slurm/slurm.conf" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=46817
SlurmdPort=46818
SlurmUser=root
AuthType=auth/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
ReturnToService=2
StateSaveLocation=/var/spool/slurm
SlurmdSpoolDir=/var/spool/slurm/d
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 Gres=gpu:2
PartitionName=all Nodes=ALL Default=YES OverSubscribe=FORCE:2
$(cp_from_page slurm.conf)
END
cp_from_page gres.conf >"$root/etc/slurm/gres.conf"
cp_from_page sov-task-prolog >"$root/etc/slurm/sov-task-prolog"
chmod 755 "$root/etc/slurm/sov-task-prolog"
echo 'CgroupPlugin=disabled' >"$root/etc/slurm/cgroup.conf"
grep -q TaskProlog "$root/etc/slurm/slurm.conf" && grep -q sovsoft "$root/etc/slurm/gres.conf" && page=0 || page=1
ok $page "docs/packages.md has the configuration"

pids=
stop() {
	for pid in $pids; do kill "$pid" 2>/dev/null || :; done
	wait 2>/dev/null || :
}
at_exit=stop
start() { # LOG COMMAND...
	log=$1
	shift
	inside "$@" >"$work/$log" 2>&1 &
	pids="$! $pids"
}
# Debian's package makes the key; the daemon runs as root here.
[ -s "$root/etc/munge/munge.key" ] || dd if=/dev/urandom of="$root/etc/munge/munge.key" bs=128 count=1 2>/dev/null
inside chown -R root:root /etc/munge /var/lib/munge /var/log/munge /run/munge
chmod 700 "$root/etc/munge" "$root/var/lib/munge" "$root/var/log/munge"
chmod 400 "$root/etc/munge/munge.key"
chmod 755 "$root/run/munge"
start munge munged --force --foreground
sleep 1
start slurmctld slurmctld -D
start slurmd slurmd -D -N "$host"
ready=1
for _ in $(seq 60); do
	case $(inside sinfo -h -o %t 2>/dev/null) in idle) ready=0 && break ;; esac
	sleep 1
done
ok $ready "the node is idle"
[ $ready -eq 0 ] || diag "$(tail -n 15 "$work/slurmctld" "$work/slurmd" "$work/munge")"

# Each job says what it sees, and stays until the other one runs too.
cat >"$root/jobs/job" <<'END'
#!/bin/sh
echo "GPU $SLURM_JOB_GPUS"
sov devices | sed -n 's/^\([0-9]\)  *\([a-z0-9.]*\) .*/device \1 \2/p'
: >"/jobs/here.$1"
for _ in $(seq 60); do
	if [ -e /jobs/here.1 ] && [ -e /jobs/here.2 ]; then
		echo together
		exit 0
	fi
	sleep 1
done
END
chmod 755 "$root/jobs/job"
for n in 1 2; do
	inside sbatch -Q --gres=gpu:1 -n1 -o "/jobs/out.$n" /jobs/job "$n" >"$work/log" 2>&1
	ok $? "job $n is accepted"
done
for _ in $(seq 90); do
	[ "$(cat "$root"/jobs/out.? 2>/dev/null | grep -c together)" -lt 2 ] || break
	sleep 1
done
out=$(sort "$root"/jobs/out.1 "$root"/jobs/out.2 2>/dev/null)
diag "$out"
is "$(echo "$out" | grep '^GPU')" "GPU 0
GPU 1" "Slurm gives each job a GPU of its own"
is "$(echo "$out" | grep -c '^together')" 2 "both jobs run at the same time"
is "$(echo "$out" | grep '^device')" "device 0 ga100.0
device 0 gh100.0" "each job sees one device, its own"
[ "$tap_failed" -eq 0 ] || diag "$(inside squeue 2>&1; tail -n 15 "$work/slurmctld" "$work/slurmd")"
tap_done
