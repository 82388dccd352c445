# shellcheck shell=dash
# seconds: 300
# machine: intel-icount
# pmu-exact - ratios of events, alone and in turns, where a nanosecond is an instruction
#
# Counters of the other machines count the time that a CPU really runs, and find an overflow late
# when the host is busy. Here the same work has the same count, so what is off is our doing.

fs=/dev/oprofile
# shellcheck source=tests/vm/guest/models.sh
. /vm/models.sh
echo 0 > /proc/sys/kernel/nmi_watchdog
echo 0 > /proc/sys/kernel/perf_cpu_time_max_percent

# in_ratio CYCLES INSTRUCTIONS MS: counters of one set; two threads have so much work each
in_ratio()
{
	tally 0 0 shares-static "$3" "$TURNS" 2 > /tmp/tally; cat /tmp/tally; diag < /tmp/tally
	near "$model: cycles sampled" "$(samples '' "$1" < /tmp/tally)" $(($3 * 2)) $(($3 / 20))
	near "$model: instructions per cycle in percent" "$(percent \
		"$(samples '' "$2" < /tmp/tally)" "$(samples '' "$1" < /tmp/tally)")" 80 1
}

# in_turns CYCLES INSTRUCTIONS CYCLES: counters of which the last has another turn than the first
in_turns()
{
	tally 0 0 shares-static 1500 "$TURNS" 2 > /tmp/tally; cat /tmp/tally; diag < /tmp/tally
	tell_times
	scaled_are_right "$model in turns" "$1" "$2" "$3" 2
}

for model in intel perf; do
	load model=$model
	counter 0 0x3c 0 1000000
	counter 1 0xc0 0 1000000
	in_ratio 0 1 500
	no_counters
	if [ $model = intel ]; then
		put time_slice 5
		last=19
		counter 0 0x3c 0 1000000
		counter 8 0xc0 0 1000000
		counter $last 0x3c 0 1000000
		in_turns 0 8 $last
		for n in 0 8 19; do
			near "counter $n: share of the time in percent" "$(share_of_time $n)" 33.3 3
		done
	else
		last=$(($(cat $fs/nr_counters) + 1))
		for n in $(seq 0 $last); do counter "$n" 0x3c 0 1000000; done
		counter 1 0xc0 0 1000000
		in_turns 0 1 $last
		at_most "perf: share of the time in percent" "$(share_of_time 0)" 95
	fi
	unload
done
