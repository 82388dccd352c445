# shellcheck shell=dash
# seconds: 200
# machine: intel-pmu
# pmu-cycles - counters taken and given back 100 times, and with CPUs that come and go

fs=/dev/oprofile
# shellcheck source=tests/vm/guest/models.sh
. /vm/models.sh
watchdog=$(cat /proc/sys/kernel/nmi_watchdog)
echo 0 > /proc/sys/kernel/nmi_watchdog
load model=auto
check "the CPU's own counters are chosen" model_is intel
counter 0 0x3c 0 1000000
counter 3 0xc0 0 1500000
counter 5 0x3c 0 2000000
i=0 failed=0
while [ $i -lt 100 ]; do
	tally 0 0 true > /tmp/said 2>&1 || failed=$((failed + 1))
	i=$((i + 1))
done
is "sessions of 100 that failed" $failed 0
(i=0; while [ $i -lt 10 ]; do
	echo 0 > /sys/devices/system/cpu/cpu1/online; usleep 100000
	echo 1 > /sys/devices/system/cpu/cpu1/online; usleep 100000
	i=$((i + 1))
done) & hotplug=$!
tally 0 0 shares-static 3000 "$TURNS" 2 > /tmp/tally; cat /tmp/tally; diag < /tmp/tally
wait $hotplug
for n in 0 3 5; do at_least "counter $n: samples" "$(column user '' $n < /tmp/tally)" 300; done
at_least "samples of CPU 1 all the same" "$(column user 1 0 < /tmp/tally)" 50
# asked for a sample every 100 cycles, the machine goes on working
no_counters
counter 0 0x3c 0 100
check "a runaway rate leaves time to work" tally 0 0 shares-static 300 "$TURNS"
diag < /tmp/said
at_least "what was left out is counted" "$(cat $fs/stats/cpu*/sample_throttled | total)" 100000
unload
echo "$watchdog" > /proc/sys/kernel/nmi_watchdog
is "the watchdog is as it was" "$(cat /proc/sys/kernel/nmi_watchdog)" "$watchdog"
perf-hold 0 > /tmp/held
is "perf counts" "$(cat /tmp/held)" ok
no_leaks
