# shellcheck shell=dash
# seconds: 300
# machine: amd-pmu
# modules: oprofile-ibs
# ibs - instruction-based sampling, which no emulated CPU has: the registers are made up, all else is as
# it is (module/selftest/fake_ibs.c)

fs=/dev/oprofile
# shellcheck source=tests/vm/guest/models.sh
. /vm/models.sh
echo 0 > /proc/sys/kernel/nmi_watchdog

stat() { cat "$fs/stats/cpu$1/sample_$2"; }
lost() { cat "$fs/stats/cpu$1"/sample_lost_* "$fs/stats/cpu$1/sample_invalid_eip" | total; }

# sampled WHAT COMMAND...: tally it; every sample received was delivered or is lost under a name
sampled()
{
	local what=$1 c; shift
	check "$what: tally" tally 0 0 "$@"
	cp "$SCRATCH/output" /tmp/tally
	diag < /tmp/tally
	for c in 0 1; do
		grep . $fs/stats/cpu$c/sample_* | sed 's/.*stats.//' | grep -v ':0$' | diag
		is "$what: CPU $c: received = delivered + lost" "$(stat $c received)" \
			"$(($(stat $c delivered) + $(lost $c)))"
	done
	is "$what: what was delivered was read" "$(samples < /tmp/tally)" \
		"$(cat $fs/stats/cpu*/sample_delivered | total)"
}
work() { echo "shares-static $1 $TURNS 2"; }

check "perf's function that is kept from it is there" grep -q ' perf_ibs_init$' /proc/kallsyms
load model=auto
is "no such directories without it" "$(cd $fs && echo ibs_*)" 'ibs_*'
check "and models says why" grep 'ibs: impossible: .*does not offer instruction-based sampling' $fs/models
unload
check "module with made-up registers loads" insmod /vm/mod/oprofile-ibs.ko selftest=1
mount -t oprofilefs none $fs
check "it is possible" grep '^ibs: possible$' $fs/models
is "its files" "$(cd $fs && echo ibs_*/*)" \
	"ibs_fetch/enable ibs_fetch/max_count ibs_fetch/rand_enable ibs_op/branch_target ibs_op/dispatched_ops ibs_op/enable ibs_op/max_count"
refused "a count below the least" 'nvalid argument' sh -c "echo 143 > $fs/ibs_op/max_count"
put ibs_op/max_count 134217712
put ibs_op/max_count 250000

put ibs_fetch/enable 1
put ibs_op/enable 1
is "alone" "$(cat $fs/model)" ibs
# shellcheck disable=SC2046 # words
sampled alone $(work 2000)
fetches=$(samples '' fetch < /tmp/tally) ops=$(samples '' op < /tmp/tally)
at_least "fetches" "$fetches" 500
near "ops for each fetch" "$(percent "$ops" "$fetches")" 100 2
at_least "of them in user space" "$(column user '' op < /tmp/tally)" 500
at_least "of them on CPU 1, in percent" "$(percent "$(samples 1 op < /tmp/tally)" "$ops")" 10

put ibs_fetch/enable 0
put ibs_op/branch_target 1
counter 0 0x76 0 1000000
is "beside counters" "$(cat $fs/model)" amd
# shellcheck disable=SC2046 # words
sampled beside $(work 2000)
at_least "ops" "$(samples '' op < /tmp/tally)" 500
at_least "cycles" "$(samples '' 0 < /tmp/tally)" 500
is "fetches" "$(samples '' fetch < /tmp/tally)" 0
no_counters

put cpu_buffer_size 16
put buffer_size 1024
put buffer_watershed 100
put ibs_fetch/enable 1
# shellcheck disable=SC2046 # words
sampled "buffers too small" $(work 1000)
at_least "some were lost" "$(($(lost 0) + $(lost 1)))" 1
put buffer_watershed 32768 2> /dev/null
put buffer_size 131072
put buffer_watershed 32768
put cpu_buffer_size 8192

cat > /tmp/hotplug << END
shares-static 200 $TURNS 2
for i in 1 2 3; do
	echo 0 > /sys/devices/system/cpu/cpu1/online
	shares-static 100 $TURNS 2
	echo 1 > /sys/devices/system/cpu/cpu1/online
	taskset 2 shares-static 200 $TURNS 1
done
END
sampled hotplug sh /tmp/hotplug
at_least "ops on CPU 1 after it came back" "$(samples 1 op < /tmp/tally)" 200
unload

# The whole path: events by name, what the daemon derives from the registers, and the report.
check "module loads again" insmod /vm/mod/oprofile-ibs.ko
opcontrol --init
check "opcontrol takes IBS events" opcontrol --collector=module --no-vmlinux \
	--event=IBS_FETCH_ALL:750000 --event=IBS_FETCH_ICACHE_MISSES:750000 \
	--event=IBS_OP_ALL:750000 --event=IBS_OP_BRANCH_RETIRED:750000 \
	--event=IBS_OP_TAG_TO_RETIRE:750000 --callgraph=32 --start
is "model" "$(cat $fs/model)" ibs
until_samples 100000 /vm/bin/shares-static shares-static 1000 "$TURNS" 2
opcontrol --status
check "opcontrol --shutdown" opcontrol --shutdown
opcontrol --deinit
# samples_at EVENT: of the workload, all and by symbol in /tmp/symbols
samples_at()
{
	symbols "event:$1" image:/vm/bin/shares-static > /tmp/symbols
	total < /tmp/symbols
}
fetches=$(samples_at IBS_FETCH_ALL) misses=$(samples_at IBS_FETCH_ICACHE_MISSES)
branches=$(samples_at IBS_OP_BRANCH_RETIRED) cycles=$(samples_at IBS_OP_TAG_TO_RETIRE)
ops=$(samples_at IBS_OP_ALL)
at_least "op samples in the files" "$ops" 1000
for share in sixty_percent:60 thirty_percent:30 ten_percent:10; do
	near "${share%:*} in percent" \
		"$(percent "$(samples_of "${share%:*}" < /tmp/symbols)" "$ops")" "${share#*:}" 3
done
near "cache misses in percent of the fetches" "$(percent "$misses" "$fetches")" 50 4
near "branches in percent of the ops" "$(percent "$branches" "$ops")" 25 4
is "cycles from tag to retirement" "$cycles" "$((25 * ops))"

# The made-up registers' interrupt always hits the kernel, which was entered at the sampled place.
opreport --stacks=folded event:IBS_OP_ALL > /tmp/folded; head -n 20 /tmp/folded
folded() { awk -v of="$1" '$0 ~ of { n += $NF } END { print n + 0 }' /tmp/folded; }
at_least "percent of the ops of the workload's functions that work() called" \
	"$(percent "$(folded ';work;[a-z]*_percent ')" "$(folded '_percent ')")" 80
