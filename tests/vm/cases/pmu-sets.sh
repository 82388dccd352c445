# shellcheck shell=dash
# seconds: 600
# machine: intel-pmu
# pmu-sets - more events than counters: sets take turns, and scaled counts are what ran

fs=/dev/oprofile
# shellcheck source=tests/vm/guest/models.sh
. /vm/models.sh
echo 0 > /proc/sys/kernel/nmi_watchdog
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
tally 0 0 shares-static 6000 "$TURNS" 2 > /tmp/tally; cat /tmp/tally; diag < /tmp/tally; tell_times
grep . $fs/stats/cpu*/sample_[rt]* | sed 's/.*stats.//' | diag
at_least "switches" "$(cat $fs/stats/multiplex_counter)" 300
for n in 0 8 19; do
	near "counter $n: share of the time in percent" "$(share_of_time $n)" 33 8
done
near "of the time no set counted, in percent" \
	"$(percent "$(cat $fs/0/running_ns $fs/8/running_ns $fs/19/running_ns | total)" "$(time_of 0 enabled)")" 100 2
is "a counter that is not used has no time" "$(time_of 1 enabled) $(time_of 1 running)" "0 0"
scaled_are_right intel 0 8 19

# the sets' own filters, and CPUs that come and go
counter 0 0x3c 0 2000000 0 1
counter 8 0x3c 0 2000000 1 0
counter 19 0x3c 0 2000000
through_hotplug 5
tell_times
at_least "user-only samples" "$(column user '' 0 < /tmp/tally)" 50
is "of them in the kernel" "$(column kernel '' 0 < /tmp/tally)" 0
at_least "kernel-only samples" "$(column kernel '' 8 < /tmp/tally)" 10
is "of them in user space" "$(column user '' 8 < /tmp/tally)" 0
at_least "samples of CPU 1 in its turns" "$(column user 1 19 < /tmp/tally)" 20

# sets that switch all the time
put time_slice 1
counter 0 0x3c 0 100000
sessions 30

# one set alone takes no turns, whichever it is
no_counters
counter 8 0xc0 0 2000000
tally 0 0 shares-static 300 "$TURNS" > /tmp/tally
is "switches of one set" "$(cat $fs/stats/multiplex_counter)" 0
is "it counts all the time" "$(time_of 8 running)" "$(time_of 8 enabled)"
at_least "samples of it" "$(column user '' 8 < /tmp/tally)" 20
unload
no_leaks
