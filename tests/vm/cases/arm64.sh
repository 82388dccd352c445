# shellcheck shell=dash
# seconds: 200
# arm64 - cycles counted by perf's kernel counters, on another architecture, by both collectors
#
# The sessions are read on the machine that runs the tests: see arm64.host.

fs=/dev/oprofile
# shellcheck source=tests/vm/guest/models.sh
. /vm/models.sh
echo 0 > /proc/sys/kernel/perf_cpu_time_max_percent
load model=auto
diag < $fs/models
check "perf's counters are chosen" model_is perf
is "cpu_type" "$(cat $fs/cpu_type)" arm/armv8-pmuv3
at_least "directories" "$(directories)" 2

# CPU_CYCLES; only user, only kernel
counter 0 0x11 0 1000000 0 1
counter 1 0x11 0 1000000 1 0
tally 0 0 sh -c "shares-static 1000 $TURNS 2; dd if=/dev/zero of=/dev/null bs=1M count=300" \
	> /tmp/tally
cat /tmp/tally; diag < /tmp/tally
at_least "user-only samples" "$(column user '' 0 < /tmp/tally)" 100
is "of them in the kernel" "$(column kernel '' 0 < /tmp/tally)" 0
at_least "kernel-only samples" "$(column kernel '' 1 < /tmp/tally)" 30
is "of them in user space" "$(column user '' 1 < /tmp/tally)" 0
no_counters

# the whole path
for COLLECTOR in module perf; do
	profile_event CPU_CYCLES:1000000
	[ $COLLECTOR != module ] || is "what samples" "$(cat $fs/model)" perf
	for kind in static pie; do
		until_samples 5000 /vm/bin/shares-$kind shares-$kind 1000 "$TURNS" 2
	done
	profile_end
	mkdir -p "$RESULTS/$COLLECTOR"
	cp -r "$SD" "$RESULTS/$COLLECTOR/session"
	rm -r "$SD"/samples
done

load model=perf
counter 0 0x11 0x1 1000000
refused "a unit mask, which the architecture has none of" 'omain' tally 0 0 true
diag < $fs/models
unload
