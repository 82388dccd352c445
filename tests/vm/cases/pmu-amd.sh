# shellcheck shell=dash
# seconds: 300
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
seen_with_irqs_off
rmmod optest
at_least "samples with interrupts off, in percent" \
	"$(percent "$(column inside 1 2 < /tmp/tally)" "$(column kernel 1 2 < /tmp/tally)")" 95
is "user-only samples in the kernel" "$(column kernel '' 1 < /tmp/tally)" 0
is "kernel-only samples in user space" "$(column user '' 2 < /tmp/tally)" 0

no_counters
shares_are_right amd CPU_CLK_UNHALTED:1000000
