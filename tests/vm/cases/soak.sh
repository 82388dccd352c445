# shellcheck shell=dash
# seconds: 600
# collectors: module perf
# soak - half an hour of everything that wears a profiler out: see tests/soak, which runs this
#
# LASTING for each collector. In the first half the daemon is killed every 20 s and the module
# unloaded; in the second it lives, and its memory is watched. The workload knows its owners: each
# program works at another place of its file (workloads/variant.c), and churn's builds tell theirs
# by their build IDs. On a host, HOST=1, nothing is done to others: no hotplug, clock or suspend.

HOST=${HOST:-}
BIN=${BIN:-/vm/bin}
TRUTH=${TRUTH:-/vm/truth}
cpu1=/sys/devices/system/cpu/cpu1/online
churned=/tmp/churned

now() { cut -d . -f 1 /proc/uptime; }
row() { echo "# soak $COLLECTOR: $1: $2" >&3; }
count_of() { cat "$1.count" 2> /dev/null || echo 0; }
memory() { awk -v name="$1:" '$1 == name { print $2 }' "/proc/$(daemon_pid)/status" 2> /dev/null; }
# KiB of unwind tables, which grow up to a limit, and of the index of stacks, which grows with these
made()
{
	opcontrol --status | sed -n 's/.* unwind tables, \([0-9]*\) of .*/\1/p
		s/^  index of \([0-9]*\) kB.*/\1/p' | total
}
# "WITHOUT THESE ALL MADE FILES": the sample files that are open, at most 8192
own_memory()
{
	local all made
	all=$(memory RssAnon) made=$(made)
	echo "$((${all:-0} - ${made:-0})) $(memory VmRSS) ${made:-0}" \
		"$(grep -c "$SD/samples/" "/proc/$(daemon_pid)/maps")"
}
done_so_far() { eval "times_$1=\$((\${times_$1:-0} + 1))"; }

# works COMMAND...: samples that a full disk had no room for are no failure
works()
{
	"$@" > /tmp/output 2>&1 || grep -q 'lost .* samples that could not be written' /tmp/output ||
		{ failed=$((failed + 1)); diag < /tmp/output; }
}

# --- what happens to it ---

kill_daemon()
{
	local pid; pid=$(daemon_pid)
	kill -9 "$pid"
	while runs "$pid"; do usleep 10000; done
	works opcontrol --start
}

reload_module()
{
	works opcontrol --shutdown
	works opcontrol --deinit
	works opcontrol --start
}

hotplug() { echo 0 > $cpu1; usleep 500000; echo 1 > $cpu1; }

step_clock()
{
	date -s "@$(($(date +%s) + 3600))"; usleep 500000
	date -s "@$(($(date +%s) - 3600))"
}

fill_disk()
{
	dd if=/dev/zero of="$SD/filler" bs=64k
	sleep 5
	rm "$SD/filler"
}

# where the machine has what it takes
suspend()
{
	echo 0 > /sys/class/rtc/rtc0/wakealarm
	echo +4 > /sys/class/rtc/rtc0/wakealarm
	echo freeze > /sys/power/state
}

# disturb WHAT...: one after the other until END, a log line each 10 s
disturb()
{
	local end=$1; shift
	while :; do
		for what; do
			[ "$(now)" -lt "$end" ] || return 0
			if $what > /tmp/disturbed 2>&1; then done_so_far "$what"; else cat /tmp/disturbed; fi
			sleep 5
			works opcontrol --dump
			echo "$(now) $(own_memory)" >> /tmp/memory.$part
		done
	done
}

# mean NR < "TIME WITHOUT ALL MADE FILES" lines of the memory
mean() { awk -v n="$1" '{ sum += $n } END { printf "%.0f\n", NR ? sum / NR : 0 }'; }

# --- the workload ---

keep_busy() { while :; do shares-pie 1000 "$TURNS"; shares-static 200 "$TURNS"; done; }

failed=0
mkdir -p "$SD" && mount -t tmpfs -o size=1g session "$SD"

# a count that is about to pass 2^32
count=$(count_for 1000)
start_soak()
{
	[ "$COLLECTOR" != module ] || opcontrol --init || not_ok "opcontrol --init"
	check "opcontrol --start" opcontrol --session-dir="$SD" --collector="$COLLECTOR" \
		--exact-count --event="CPU_CLK_UNHALTED:$count" --callgraph=16 --start
}
start_soak
until_samples 100 "$BIN/shares-static" shares-static 300 "$TURNS"
# the next daemon counts what the files of a killed one hold
pid=$(daemon_pid)
kill -9 "$pid"
while runs "$pid"; do usleep 10000; done
raised=$(odb-check raise "$CURRENT" "$BIN/shares-static" 10)
at_least "a count was raised to just below 2^32" "$raised" 1
start_soak

begin=$(now)
# what a daemon needs at first is there an eighth later, when its memory is looked at
middle=$((begin + LASTING / 2)) filled=$((begin + LASTING * 5 / 8))
three=$((begin + LASTING * 13 / 16))
end=$((begin + LASTING))
jobs=
# shellcheck disable=SC2046 # one word per number
variants=$(printf "$BIN/v%02d " $(seq 0 19))
churn alive "${SOAK_ALIVE:-5000}" "$TURNS" > /tmp/alive & jobs="$jobs $!"
# shellcheck disable=SC2086 # several words
churn binaries $churned-binaries $((TURNS * 2)) $variants & jobs="$jobs $!"
# shellcheck disable=SC2086
churn builds $churned $((TURNS * 2)) $variants & jobs="$jobs $!"
keep_busy & jobs="$jobs $!"

others='hotplug step_clock suspend'
[ -z "$HOST" ] || others=
unload=reload_module
[ "$COLLECTOR" = module ] || unload=
rm -f /tmp/memory.*
part=1
# shellcheck disable=SC2086
disturb $middle kill_daemon $others kill_daemon $unload fill_disk
for part in 2 3 4; do
	case $part in 2) until=$filled ;; 3) until=$three ;; *) until=$end ;; esac
	# shellcheck disable=SC2086
	disturb $until ${others:-true} fill_disk
done
# shellcheck disable=SC2086
kill $jobs
wait
works opcontrol --stop
works opcontrol --dump
opcontrol --status | grep -iE 'trouble|lost' | diag
check "opcontrol --shutdown" opcontrol --shutdown

# --- what is left ---

is "starts, dumps and reloads that failed" $failed 0
books_balance
while read -r line; do row "${line%% *}" "${line#* }"; done < /tmp/counts
odb-check check "$CURRENT" > /tmp/checked || diag < /tmp/checked

odb-check where "$CURRENT" "$TRUTH" > /tmp/where
odb-check builds "$CURRENT" "$TRUTH" $churned > /tmp/builds
column_of() { awk -v n="$1" '{ sum += $n } END { printf "%.0f\n", sum }' "$2"; }
at_least "samples of binaries that were new" "$(column_of 1 /tmp/where)" 100
at_least "samples of builds of one path" "$(column_of 1 /tmp/builds)" 100
awk '$2 > 0 { print "wrong: " FILENAME ": " $0 }' /tmp/where /tmp/builds | diag
is "samples of these with a wrong owner" \
	"$(($(column_of 2 /tmp/where) + $(column_of 2 /tmp/builds)))" 0

symbols image:"$BIN/shares-pie" > /tmp/symbols
near_shares "" < /tmp/symbols
grep _percent /tmp/symbols | keep_shares shares-pie
at_least "opreport counts beyond 2^32" "$(symbols image:"$BIN/shares-static" | total)" 4294967306
if [ -s /tmp/memory.3 ] && [ -s /tmp/memory.4 ]; then
	third=$(mean 2 < /tmp/memory.3) fourth=$(mean 2 < /tmp/memory.4)
	# a sample file that is open takes 1.4 KiB, with its images
	files=$(($(mean 5 < /tmp/memory.4) - $(mean 5 < /tmp/memory.3)))
	[ $files -gt 0 ] || files=0
	at_most "memory of the daemon in the end, KiB, against $third and $files fewer files before" \
		"$fourth" $((third + third / 20 + 1024 + files * 2))
else
	skip "memory of the daemon" "too short to look at it"
fi

for what in kill_daemon reload_module hotplug step_clock suspend fill_disk; do
	eval "row $what \${times_$what:-0}"
done
row "processes alive" "$(cat /tmp/alive)"
row "binaries that were new" "$(count_of $churned-binaries), $(column_of 1 /tmp/where) samples"
row "builds of one path" "$(count_of $churned), $(column_of 1 /tmp/builds) samples"
row "samples with a wrong owner" "$(($(column_of 2 /tmp/where) + $(column_of 2 /tmp/builds)))"
row "samples in the files" "$(awk -v more="$raised" \
	'{ printf "%.0f, in %d files", $2 - more, $1 }' /tmp/checked)"
for part in 1 2 3 4; do
	[ ! -s /tmp/memory.$part ] || row "resident, KiB, part $part" \
		"$(mean 3 < /tmp/memory.$part), unwind tables and index $(mean 4 < /tmp/memory.$part), \
neither these nor files $(mean 2 < /tmp/memory.$part), open sample files $(mean 5 < /tmp/memory.$part)"
done
no_leaks
[ "$COLLECTOR" != module ] || opcontrol --deinit
umount "$SD"
