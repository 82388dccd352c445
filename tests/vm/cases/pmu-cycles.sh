# shellcheck shell=dash
# seconds: 200
# machine: intel-pmu
# pmu-cycles - counters taken and given back 100 times, and with CPUs that come and go

fs=/dev/oprofile
# shellcheck source=tests/vm/guest/models.sh
. /vm/models.sh

# watchdog_has_a_counter WHEN: perf has one for it, so that the model is perf's
watchdog_has_a_counter()
{
	echo 1 > /proc/sys/kernel/nmi_watchdog
	load model=auto
	is "$1, the watchdog has a counter" "$(grep -cE \
		'^intel: impossible: perf has the counters|^perf: chosen$' $fs/models)" 2
	unload
	echo 0 > /proc/sys/kernel/nmi_watchdog
}

watchdog_has_a_counter before
load model=auto
check "the CPU's own counters are chosen" model_is intel
counter 0 0x3c 0 1000000
counter 3 0xc0 0 1500000
counter 5 0x3c 0 2000000
sessions 100
through_hotplug 10
for n in 0 3 5; do at_least "counter $n: samples" "$(column user '' $n < /tmp/tally)" 150; done
at_least "samples of CPU 1 all the same" "$(column user 1 0 < /tmp/tally)" 50
# asked for a sample every 100 cycles, the machine goes on working
no_counters
counter 0 0x3c 0 100
check "a runaway rate leaves time to work" tally 0 0 shares-static 300 "$TURNS"
diag < /tmp/output
at_least "what was left out is counted" "$(cat $fs/stats/cpu*/sample_throttled | total)" 100000
unload
perf-hold 0 > /tmp/held
is "perf counts" "$(cat /tmp/held)" ok
watchdog_has_a_counter afterwards
no_leaks
