# shellcheck shell=dash
# seconds: 120
# machine: intel-pmu
# pmu-debug - each model's interrupts and CPU hotplug, for a kernel that checks locks and memory
#
# Whether the samples are right is for the other cases to see.

fs=/dev/oprofile
# shellcheck source=tests/vm/guest/models.sh
. /vm/models.sh
echo 0 > /proc/sys/kernel/nmi_watchdog

# in_turns MODEL FIRST LAST: with these two counters, of different sets; FIRST is of user space only
in_turns()
{
	check "$1 is chosen" model_is "$1"
	sessions 3
	through_hotplug 2
	for n in "$2" "$3"; do
		at_least "$1: samples of counter $n" "$(samples '' "$n" < /tmp/tally)" 10
		near "$1: share of its time" "$(share_of_time "$n")" 50 49
	done
	is "$1: user-only samples in the kernel" "$(column kernel '' "$2" < /tmp/tally)" 0
	unload
}

load model=auto
counter 0 0x3c 0 2000000 0 1
counter 8 0xc0 0 2000000
counter 19 0x3c 0 2000000
in_turns intel 0 19

load model=perf
last=$(cat $fs/nr_counters)
for n in $(seq 0 "$last"); do counter "$n" 0x3c 0 2000000 0 1; done
in_turns perf 0 "$last"

load model=nmi-ipi
put timer/count "$(count_for 2000)"
sessions 3
through_hotplug 2
at_least "nmi-ipi: samples" "$(samples < /tmp/tally)" 50
unload
no_leaks
