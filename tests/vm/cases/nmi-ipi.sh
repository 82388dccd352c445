# shellcheck shell=dash
# seconds: 400
# nmi-ipi - without counters: CPUs that sample each other by NMI see what the timer can't

fs=/dev/oprofile
# shellcheck source=tests/vm/guest/models.sh
. /vm/models.sh
rounds_of() { cat $fs/stats/cpu"$1"/sample_received $fs/stats/cpu"$1"/sample_throttled | total; }

load model=nmi-ipi
check "the model is chosen" model_is nmi-ipi
is "it samples by time" "$(cat $fs/model) $(cat $fs/cpu_type)" "nmi-ipi timer"
put timer/count "$(count_for 1000)"
insmod /vm/mod/optest.ko
# idle is sampled, too, in the kernel: before the work begins, and as it ends
seen_with_irqs_off 300
at_least "samples of CPU 1" "$(column kernel 1 < /tmp/tally)" 300
at_least "samples with interrupts off, in percent" \
	"$(percent "$(column inside 1 < /tmp/tally)" "$(column kernel 1 < /tmp/tally)")" 95
near "rounds of CPU 1 beside those of CPU 0, in percent" \
	"$(percent "$(rounds_of 1)" "$(rounds_of 0)")" 100 5
# each CPU has its turn at being the one whose timer samples
tally 0 0 shares-static 1000 "$TURNS" 2 > /tmp/tally; cat /tmp/tally
for cpu in 0 1; do
	at_least "CPU $cpu: samples by timer" "$(cat $fs/stats/cpu$cpu/sample_by_timer)" 50
	at_least "CPU $cpu: samples by NMI" \
		$(($(cat $fs/stats/cpu$cpu/sample_received) - $(cat $fs/stats/cpu$cpu/sample_by_timer))) 50
done
# CPU 1 comes and goes while it is hit
through_hotplug 5
at_least "samples of CPU 0 meanwhile" "$(column user 0 < /tmp/tally)" 100
unload

# the timer's samples are all after the fact
load model=timer
put timer/count "$(count_for 1000)"
seen_with_irqs_off 100
at_most "the timer's samples with interrupts off, in percent" \
	"$(percent "$(column inside 1 < /tmp/tally)" "$(column kernel 1 < /tmp/tally)")" 5
unload
rmmod optest

# the whole path
load model=nmi-ipi
shares_are_right nmi-ipi "CPU_CLK_UNHALTED:$(count_for 500)"
no_leaks
