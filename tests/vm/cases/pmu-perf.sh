# shellcheck shell=dash
# seconds: 600
# machine: intel-pmu
# pmu-perf - counters that perf drives for us: its turns, CPUs that come and go, its throttling

fs=/dev/oprofile kernel=/proc/sys/kernel
# shellcheck source=tests/vm/guest/models.sh
. /vm/models.sh
echo 0 > $kernel/nmi_watchdog
echo 0 > $kernel/perf_cpu_time_max_percent
load model=perf
check "the model is chosen" model_is perf
at_least "counters that perf has" "$(cat $fs/nr_counters)" 4
n=$(cat $fs/nr_counters) last=$((n + 1))
# one more cycle count than there are counters, and instructions
all_in_turns()	# COUNT
{
	for i in $(seq 0 $last); do counter "$i" 0x3c 0 "$1"; done
	counter "$n" 0xc0 0 "$1"
}
all_in_turns 8000000
tally 0 0 shares-static 3000 "$TURNS" 2 > /tmp/tally; cat /tmp/tally; diag < /tmp/tally; tell_times
at_most "share of the time in percent" "$(share_of_time "$n")" 95
scaled_are_right turns 0 "$n" $last

# events of a CPU that goes are gone: what they found, and for how long they counted, is kept
all_in_turns 2000000
through_hotplug 10; tell_times
scaled_are_right hotplug 0 "$n" $last 20
at_least "samples of CPU 1 all the same" "$(samples 1 < /tmp/tally)" 100
sessions 10

# the filters, on CPUs that come back
no_counters
counter 0 0x3c 0 1000000 0 1
counter 1 0x3c 0 1000000 1 0
through_hotplug 3
at_least "user-only samples" "$(column user '' 0 < /tmp/tally)" 100
is "of them in the kernel" "$(column kernel '' 0 < /tmp/tally)" 0
at_least "kernel-only samples" "$(column kernel '' 1 < /tmp/tally)" 30
is "of them in user space" "$(column user '' 1 < /tmp/tally)" 0
is "both count all the time" "$(share_of_time 0) $(share_of_time 1)" "100.00 100.00"

# perf thins out what it is asked for every 100 cycles
rate=$(cat $kernel/perf_event_max_sample_rate)
set_rate()
{
	echo 25 > $kernel/perf_cpu_time_max_percent
	echo "$1" > $kernel/perf_event_max_sample_rate
	echo 0 > $kernel/perf_cpu_time_max_percent
}
set_rate 2000
no_counters
counter 0 0x3c 0 100
check "a runaway rate leaves time to work" tally 0 0 shares-static 300 "$TURNS"
diag < /tmp/output
at_least "what was left out is counted" "$(cat $fs/stats/cpu*/sample_throttled | total)" 100000
set_rate "$rate"
unload
no_leaks
