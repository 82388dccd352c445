# shellcheck shell=dash
# seconds: 900
# machine: intel-icount
# programs: perf
# handler-cost - what a sample costs, in instructions: ours and perf record's, at the same rate
#
# On this machine a nanosecond is an instruction, and so is a tick of the time stamp counter. The
# interrupt is measured from outside, as the gap it makes in a program that reads the clock (gaps).
# From interrupt to file is measured as what all of the machine does more than without profiling
# (busy), daemon and perf included, and what is left to do after the workload, too. It is done for a
# short and for a long workload, and the difference taken: what starting and stopping costs falls out.

period=100000
# shellcheck source=tests/vm/guest/models.sh
. /vm/models.sh
echo 0 > /proc/sys/kernel/nmi_watchdog
echo 1000000 > /proc/sys/kernel/perf_event_max_sample_rate
echo 0 > /proc/sys/kernel/perf_cpu_time_max_percent

# So many tenths of a second of work: in one process, or in ten for each of them.
cat > /tmp/one <<-WORK
	exec shares-static \${1}00 $TURNS
WORK
cat > /tmp/many <<-WORK
	exec spawn \${1}0 2 $((10 * TURNS)) /vm/bin/v00 /vm/bin/v01
WORK

# lengths HOW WORK: "BUSY SAMPLES" of short and of long work, into /tmp/HOW-WORK
lengths()
{
	local tenths
	"$1" sh "/tmp/$2" 1 > /tmp/warm		# what is done the first time only
	for tenths in 10 30; do
		echo "$("$1" sh "/tmp/$2" $tenths) $(samples)"
	done > "/tmp/$1-$2"
	cat "/tmp/$1-$2"
}

# per_sample HOW WORK
per_sample()
{
	paste -d ' ' "/tmp/$1-$2" "/tmp/alone-$2" | awk '
		NR == 1 { busy = $1 - $3; samples = $2 }
		NR == 2 { printf "%.0f\n", ($1 - $3 - busy) / ($2 - samples) }'
}

samples() { echo 0; }
alone() { busy "$@"; }
lengths alone one
lengths alone many

# perf as it is used, and without the look that it has at all its samples in the end: then it does
# not tell how many there are, which is as many as before.
recording="perf record -a -e cycles -c $period -o /tmp/perf.data"
samples() { sed -n 's/.*(\([0-9]*\) samples).*/\1/p' /tmp/perf.out; }
# shellcheck disable=SC2086 # several words
perf_record() { busy $recording "$@" 2> /tmp/perf.out; }
# shellcheck disable=SC2086
perf_record_B() { busy $recording -B "$@" 2> /tmp/perf.out; }
perf=
if perf --version; then
	perf=1
	lengths perf_record one
	lengths perf_record many
	samples() { awk -v n="$tenths" 'NR == (n > 10) + 1 { print $2 }' /tmp/perf_record-one; }
	lengths perf_record_B one
	$recording gaps 1000 > /tmp/perf.gaps 2> /tmp/perf.out; cat /tmp/perf.gaps
fi

load model=intel
profile_event CPU_CLK_UNHALTED:$period --exact-count
is "what samples" "$(cat $fs/model)" intel
samples() { echo $(($(cat $fs/stats/cpu0/sample_received) - $(cat /tmp/before))); }
ours()
{
	cat $fs/stats/cpu0/sample_received > /tmp/before
	busy sh -c "$*; opcontrol --dump"
}
lengths ours one
lengths ours many
gaps 1000 > /tmp/gaps; cat /tmp/gaps
is "throttled" "$(cat $fs/stats/cpu0/sample_throttled)" 0
profile_end

# figure NAME VALUE [RIVAL VALUE]
figure() { echo "# bench $1 $2 instructions${3:+ rival $3 $4}" >&3; }
gap=$(cut -d ' ' -f 1 /tmp/gaps) one=$(per_sample ours one) many=$(per_sample ours many)
at_most "instructions of the interrupt, with the kernel's part" "$gap" 1500
if [ -z "$perf" ]; then
	figure sample_interrupt "$gap"
	figure sample_to_file "$one"
	figure sample_to_file_processes "$many"
	return 0
fi
perf_gap=$(cut -d ' ' -f 1 /tmp/perf.gaps)
perf_one=$(per_sample perf_record one) perf_many=$(per_sample perf_record many)
figure sample_interrupt "$gap" perf_record "$perf_gap"
figure sample_to_file "$one" perf_record "$perf_one"
figure sample_to_file "$one" perf_record_B "$(per_sample perf_record_B one perf_record)"
figure sample_to_file_processes "$many" perf_record "$perf_many"
at_most "from interrupt to file, in percent of perf's" "$(percent "$one" "$perf_one")" 50
at_most "the same with many processes" "$(percent "$many" "$perf_many")" 50
