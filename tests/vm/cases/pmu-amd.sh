# shellcheck shell=dash
# seconds: 600
# machine: amd-pmu
# pmu-amd - sample by AMD's counters, which have no register that tells what overflowed

fs=/dev/oprofile
# shellcheck source=tests/vm/guest/models.sh
. /vm/models.sh
echo 0 > /proc/sys/kernel/nmi_watchdog
load model=auto
diag < $fs/models
check "the CPU's own counters are chosen" model_is amd
is "cpu_type" "$(cat $fs/cpu_type)" x86-64/generic
is "counters" "$(cat $fs/nr_counters)" 6

counter 0 0x76 0 8000000
counter 5 0xc0 0 8000000
events_are_in_ratio 0 5

no_counters
counter 1 0x76 0 1000000 0 1
counter 2 0x76 0 1000000 1 0
insmod /vm/mod/optest.ko
seen_with_irqs_off 100
rmmod optest
at_least "samples with interrupts off, in percent" \
	"$(percent "$(column inside 1 2 < /tmp/tally)" "$(column kernel 1 2 < /tmp/tally)")" 95
is "user-only samples in the kernel" "$(column kernel '' 1 < /tmp/tally)" 0
is "kernel-only samples in user space" "$(column user '' 2 < /tmp/tally)" 0

# two sets, whose counters can't be stopped at one stroke, and CPUs that come and go
no_counters
counter 0 0x76 0 2000000 0 1
counter 7 0xc0 0 2000000
counter 11 0x76 0 2000000
sessions 20
through_hotplug 5; tell_times
at_least "user-only samples in turns" "$(column user '' 0 < /tmp/tally)" 50
is "of them in the kernel" "$(column kernel '' 0 < /tmp/tally)" 0
at_least "samples of CPU 1 in its turns" "$(column user 1 11 < /tmp/tally)" 20
near "share of the first set's time in percent" "$(share_of_time 0)" 50 15
near "share of the second's in percent" "$(share_of_time 11)" 50 15
near "instructions per cycle in one set, in percent" \
	"$(percent "$(scaled 7 < /tmp/tally)" "$(scaled 11 < /tmp/tally)")" 80 15

# a rate that can't be kept
no_counters
counter 0 0x76 0 100
check "a runaway rate leaves time to work" tally 0 0 shares-static 100 "$TURNS"
at_least "what was left out is counted" "$(cat $fs/stats/cpu*/sample_throttled | total)" 30000

no_counters
shares_are_right amd CPU_CLK_UNHALTED:500000
