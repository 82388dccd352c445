# shellcheck shell=dash
# seconds: 300
# machine: intel-pmu
# pmu-sets - more events than counters: sets take turns, and scaled counts are what ran

fs=/dev/oprofile
# shellcheck source=tests/vm/guest/models.sh
. /vm/models.sh
tell_times() { grep . $fs/[0-9]*/enabled_ns $fs/[0-9]*/running_ns | grep -v ':0$' | sed 's/.*profile.//' | diag; }
time_of() { cat "$fs/$1/$2_ns"; }
# scaled N < tally's lines: what counter N would have found all the time, in thousandths of a sample
scaled()
{
	awk -v n="$(samples '' "$1")" -v all="$(time_of "$1" enabled)" -v ran="$(time_of "$1" running)" \
		'BEGIN { printf "%d\n", ran ? n * 1000 * all / ran : 0 }'
}
# scaled_are_right CYCLES INSTRUCTIONS CYCLES: of three counters in turns
scaled_are_right()
{
	local cycles; cycles=$(scaled "$1" < /tmp/tally)
	at_least "$model: samples of cycles" "$(samples '' "$1" < /tmp/tally)" 200
	near "$model: instructions per cycle in percent" \
		"$(percent "$(scaled "$2" < /tmp/tally)" "$cycles")" 80 8
	near "$model: cycles counted in another turn, in percent" \
		"$(percent "$(scaled "$3" < /tmp/tally)" "$cycles")" 100 8
}

echo 0 > /proc/sys/kernel/nmi_watchdog
echo 0 > /proc/sys/kernel/perf_cpu_time_max_percent
model=intel
load model=auto
is "counters, and directories for sets of them" "$(cat $fs/nr_counters) $(directories)" "7 28"
is "time_slice" "$(cat $fs/time_slice)" 10
for bad in 0 1001; do
	refused "a time slice of $bad" 'nvalid' sh -c "echo $bad > $fs/time_slice"
done

# three sets, on a general, another general and a fixed counter; a period lasts longer than a turn
put time_slice 5
counter 0 0x3c 0 8000000
counter 8 0xc0 0 8000000
counter 19 0x3c 0 8000000
tally 0 0 shares-static 4000 "$TURNS" 2 > /tmp/tally; cat /tmp/tally; diag < /tmp/tally; tell_times
grep . $fs/stats/cpu*/sample_[rt]* | sed 's/.*stats.//' | diag
at_least "switches" "$(cat $fs/stats/multiplex_counter)" 300
for n in 0 8 19; do
	near "counter $n: share of the time in percent" \
		"$(percent "$(time_of $n running)" "$(time_of $n enabled)")" 33 4
done
near "of the time no set counted, in percent" \
	"$(percent "$(cat $fs/0/running_ns $fs/8/running_ns $fs/19/running_ns | total)" "$(time_of 0 enabled)")" 100 2
is "a counter that is not used has no time" "$(time_of 1 enabled) $(time_of 1 running)" "0 0"
scaled_are_right 0 8 19

# the sets' own filters, and CPUs that come and go
counter 0 0x3c 0 2000000 0 1
counter 8 0x3c 0 2000000 1 0
counter 19 0x3c 0 2000000
(i=0; while [ $i -lt 10 ]; do
	echo 0 > /sys/devices/system/cpu/cpu1/online; usleep 100000
	echo 1 > /sys/devices/system/cpu/cpu1/online; usleep 100000
	i=$((i + 1))
done) & hotplug=$!
tally 0 0 sh -c "shares-static 2000 $TURNS 2; dd if=/dev/zero of=/dev/null bs=1M count=2000" > /tmp/tally
wait $hotplug; cat /tmp/tally; diag < /tmp/tally; tell_times
at_least "user-only samples" "$(column user '' 0 < /tmp/tally)" 200
is "of them in the kernel" "$(column kernel '' 0 < /tmp/tally)" 0
at_least "kernel-only samples" "$(column kernel '' 8 < /tmp/tally)" 50
is "of them in user space" "$(column user '' 8 < /tmp/tally)" 0
at_least "samples of CPU 1 in its turns" "$(column user 1 19 < /tmp/tally)" 20

# sets that switch all the time
put time_slice 1
counter 0 0x3c 0 100000
i=0 failed=0
while [ $i -lt 30 ]; do
	tally 0 0 shares-static 30 "$TURNS" > /tmp/said 2>&1 || failed=$((failed + 1))
	i=$((i + 1))
done
is "sessions of 30 that failed" $failed 0

# one set alone takes no turns, whichever it is
no_counters
counter 8 0xc0 0 2000000
tally 0 0 shares-static 300 "$TURNS" > /tmp/tally
is "switches of one set" "$(cat $fs/stats/multiplex_counter)" 0
is "it counts all the time" "$(time_of 8 running)" "$(time_of 8 enabled)"
at_least "samples of it" "$(column user '' 8 < /tmp/tally)" 20
unload

# perf's own turns
model=perf
load model=perf
at_least "counters that perf has" "$(cat $fs/nr_counters)" 4
n=0
while [ $n -lt "$(cat $fs/nr_counters)" ]; do counter $n 0x3c 0 8000000; n=$((n + 1)); done
counter $n 0xc0 0 8000000
counter $((n + 1)) 0x3c 0 8000000
tally 0 0 shares-static 3000 "$TURNS" 2 > /tmp/tally; cat /tmp/tally; diag < /tmp/tally; tell_times
at_most "perf: share of the time in percent" \
	"$(percent "$(time_of $n running)" "$(time_of $n enabled)")" 95
scaled_are_right 0 $n $((n + 1))
unload
no_leaks
