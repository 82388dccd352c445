# shellcheck shell=dash
# seconds: 300
# machine: intel-icount
# ocount - what each of its modes counts of work whose count is known; and operf on a process
#
# A millisecond of the workload is a million instructions here, of which the counter counts 80 %.

program=/vm/bin/shares-static
ms=250 threads=2
work="$program $ms $TURNS $threads"
all=$((ms * threads * 800000))
event=INST_RETIRED:0:0:1

tasks() { for task in "/proc/$pid/task/"*; do echo "${task##*/}"; done; }
counters() { for file in "/proc/$watcher/fd/"*; do readlink "$file"; done | grep -c perf_event; }

# waiting: the work as a process that has not begun, in $pid
waiting()
{
	# shellcheck disable=SC2016,SC2086 # for the other shell; words
	sh -c 'kill -STOP $$; exec "$@"' sh $work & pid=$!
	until grep -q '^State:.T' /proc/$pid/status; do usleep 10000; done
}

# interrupted: the work with all its threads, stopped when it has just begun
interrupted()
{
	# shellcheck disable=SC2086
	$work & pid=$!
	until [ "$(tasks | wc -l)" = $threads ]; do usleep 1000; done
	kill -STOP $pid
}

# counting N OPTION...: begin ocount, as $watcher, and go on when it has N counters, and sleeps
counting()
{
	local wanted=$1; shift
	ocount -b -f /tmp/counts -e $event "$@" > /tmp/output 2>&1 & watcher=$!
	until [ "$(counters)" -ge "$wanted" ] &&
		grep -q '^State:.S' /proc/$watcher/status
	do
		runs $watcher || break
		usleep 10000
	done
}

# ended: both have; what was counted is in /tmp/counts
ended()
{
	kill -CONT $pid
	wait $pid
	wait $watcher || not_ok "ocount" "exit status $?"
	cat /tmp/counts /tmp/output
}
counted() { awk -F, '!/^timestamp/ { n += $(NF - 1) } END { print n + 0 }' /tmp/counts; }
lines() { grep -vc '^timestamp' /tmp/counts; }
whole() { near "$1: in percent of the work" "$(percent "$(counted)" $all)" 100 "${2:-1}"; }

# shellcheck disable=SC2086 # words
ocount -b -f /tmp/counts -e $event $work
whole "a command"

waiting
counting 1 -p $pid
ended
whole "-p"

interrupted
counting 2 -t --process-list=$pid
ended
is "-t: a line for each thread" "$(lines)" $threads
whole "-t, from when it had begun" 20
at_least "-t: the thread that did less, in percent" \
	"$(percent "$(awk -F, '{ print $(NF - 1) }' /tmp/counts | sort -n | head -n 1)" "$(counted)")" 40

interrupted
counting 1 -r "$(tasks | tail -n 1)"
ended
near "-r: one of two threads, in percent of the work" "$(percent "$(counted)" $all)" 45 10

for option in -s -C0; do
	waiting
	counting 1 $option -c
	kill -CONT $pid
	wait $pid
	kill -INT $watcher
	ended
	is "$option -c: a line for each CPU" "$(lines)" 1
	whole $option 5
done

# shellcheck disable=SC2086
ocount -b -f /tmp/counts -i 100 -e $event $work; cat /tmp/counts
at_least "-i: reports" "$(lines)" $((ms * threads / 100))
whole "-i: the sum"
# shellcheck disable=SC2086
ocount -b -f /tmp/counts -i 100:2 -e $event $work; cat /tmp/counts
is "-i with an end: reports" "$(lines)" 2
at_most "of the work, in percent" "$(percent "$(counted)" $all)" 50
refused "two modes at once" 'system-wide|mode' ocount -s -p 1

# more events than there are counters, most of which count nothing here
# shellcheck disable=SC2086
ocount -b -f /tmp/counts -e CPU_CLK_UNHALTED,r0101,r0202,r0303,r0404,r0505,r0606,r0707,r00c0 $work
cat /tmp/counts
count_of() { awk -F, -v event="$1" '$1 ~ "^" event { print $2 }' /tmp/counts; }
at_most "in turns: of the time, in percent" "$(awk -F, '/^r0101/ { print $3 }' /tmp/counts)" 99
near "in turns: instructions per cycle in percent" \
	"$(percent "$(count_of r00c0)" "$(count_of CPU_CLK_UNHALTED)")" 80 3

# two events of a process that runs
waiting
mkdir /tmp/session
operf -d /tmp/session -e CPU_CLK_UNHALTED:1000000 -e INST_RETIRED:1000000 --pid $pid \
	> /tmp/output 2>&1 & watcher=$!
while runs $watcher && ! grep -q 'Profiler started' /tmp/output; do usleep 10000; done
kill -CONT $pid
wait $pid
wait $watcher || not_ok "operf --pid" "exit status $?"
cat /tmp/output
samples_of_event()
{
	opreport --session-dir=/tmp/session -l -n "event:$1" 2> /tmp/opreport.err | total
}
cycles=$(samples_of_event CPU_CLK_UNHALTED)
near "operf --pid: samples of cycles" "$cycles" $((ms * threads)) $((ms * threads / 20))
near "operf --pid: instructions per cycle in percent" \
	"$(percent "$(samples_of_event INST_RETIRED)" "$cycles")" 80 1
