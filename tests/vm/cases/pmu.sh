# shellcheck shell=dash
# seconds: 400
# machine: intel-pmu
# pmu - sample by the CPU's counters: what they say is what ran, and they are given back as found

fs=/dev/oprofile
# shellcheck source=tests/vm/guest/models.sh
. /vm/models.sh
echo 0 > /proc/sys/kernel/nmi_watchdog
load model=auto
diag < $fs/models
check "the CPU's own counters are chosen" model_is intel
is "cpu_type" "$(cat $fs/cpu_type)" i386/arch_perfmon
is "counters" "$(cat $fs/nr_counters)" 7
is "the timer samples while no counter is enabled" "$(cat $fs/model)" timer

# cycles and instructions at their known ratio
counter 0 0x3c 0 8000000
counter 1 0xc0 0 8000000
is "the counters sample now" "$(cat $fs/model)" intel
events_are_in_ratio 0 1

# only user, only kernel, on the fixed counters
no_counters
counter 4 0xc0 0 1000000 0 1
counter 5 0x3c 0 1000000 1 0
tally 0 0 sh -c "shares-static 1000 $TURNS 2; dd if=/dev/zero of=/dev/null bs=1M count=1000" \
	> /tmp/tally; cat /tmp/tally
at_least "user-only samples" "$(column user '' 4 < /tmp/tally)" 300
is "of them in the kernel" "$(column kernel '' 4 < /tmp/tally)" 0
at_least "kernel-only samples" "$(column kernel '' 5 < /tmp/tally)" 50
is "of them in user space" "$(column user '' 5 < /tmp/tally)" 0

# code that runs with interrupts off, on the general and the fixed cycle counter
no_counters
counter 1 0x3c 0 1000000
counter 5 0 2 1000000
insmod /vm/mod/optest.ko
seen_with_irqs_off 100
for n in 1 5; do
	at_least "counter $n: samples with interrupts off, in percent" \
		"$(percent "$(column inside 1 $n < /tmp/tally)" "$(column kernel 1 $n < /tmp/tally)")" 95
done
rmmod optest

# an impossible wish is refused with a reason
no_counters
counter 4 0x3c 0 1000000
refused "a fixed counter can't count another event" 'EDOM|omain' tally 0 0 true
grep -q 'intel: chosen, impossible: counter 4' $fs/models
is "models says which and why" $? 0
no_counters

# the whole path, with the daemon: 60, 30 and 10 %
shares_are_right intel CPU_CLK_UNHALTED:500000

# perf has the counters: its own model samples by them, from a forced one all is refused
echo 0 > /proc/sys/kernel/perf_cpu_time_max_percent
perf-hold 600 > /tmp/held & holder=$!
until grep -q . /tmp/held; do usleep 100000; done
is "perf counts" "$(cat /tmp/held)" ok
load model=auto
diag < $fs/models
check "the perf model is chosen" model_is perf
is "intel's says why not" "$(grep -c '^intel: impossible: perf has the counters' $fs/models)" 1
at_least "counters perf has" "$(cat $fs/nr_counters)" 3
counter 0 0x3c 0 1000000
counter 1 0xc0 0 1000000
insmod /vm/mod/optest.ko
seen_with_irqs_off 100
at_least "perf: samples with interrupts off, in percent" \
	"$(percent "$(column inside 1 0 < /tmp/tally)" "$(column kernel 1 0 < /tmp/tally)")" 95
rmmod optest
counter 1 0xc0 0 1000000 0 1
tally 0 0 shares-static 500 "$TURNS" 2 > /tmp/tally; cat /tmp/tally
is "user-only instructions in the kernel" "$(column kernel '' 1 < /tmp/tally)" 0
at_least "and in user space" "$(column user '' 1 < /tmp/tally)" 200
no_counters
for n in "$fs"/[0-9]*; do counter "${n##*/}" 0xc0 0 1000000; done
counter 0 0xc0 0 0
refused "a count of 0" 'omain' tally 0 0 true
diag < $fs/models
unload
load model=intel
counter 0 0x3c 0 1000000
refused "intel's model can't have what perf has" 'No such device' tally 0 0 true
kill $holder; wait $holder
check "and can once perf lets go" tally 0 0 true
perf-hold 0 > /tmp/held
is "perf counts between sessions" "$(cat /tmp/held)" ok
tally 0 0 sh -c 'perf-hold 0 > /tmp/held'
is "perf is refused meanwhile" "$(cat /tmp/held)" EBUSY
perf-hold 0 > /tmp/held
is "and not afterwards" "$(cat /tmp/held)" ok
unload

# forced models
load model=amd
is "another vendor's model is chosen when forced, and impossible" \
	"$(grep -c '^amd: chosen, impossible: not an AMD CPU' $fs/models)" 1
refused "the buffer can't be opened then" 'No such device' tally 0 0 true
unload
refused "an unknown model is no module" 'Invalid argument' \
	insmod /opt/oprofile/module/oprofile.ko model=nonsense
