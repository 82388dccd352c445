# shellcheck shell=dash
# seconds: 200
# machine: intel-icount
# operf - real counters of one program: its shares by operf, with callers, and its counts by ocount
#
# Counters of the other machines count the time that a CPU really runs, which a busy host makes
# longer: the same work, another count. On this one they count instructions, in every run the same.

program=/vm/bin/shares-static
echo 0 > /proc/sys/kernel/perf_cpu_time_max_percent

opdoctor > /tmp/doctor; cat /tmp/doctor
is "opdoctor finds the counters" "$(grep -c '^  ok    counters ' /tmp/doctor)" 1
is "and what may be profiled" "$(grep -c 'the whole machine can be profiled' /tmp/doctor)" 1

# operf OPTION...: into a session of its own
profiled()
{
	rm -rf /tmp/session && mkdir /tmp/session
	check "operf $*" operf -d /tmp/session "$@" $program 1000 "$TURNS" 2
}
report() { opreport --session-dir=/tmp/session "$@" 2> /tmp/opreport.err; }
samples_of_event() { report -l -n "event:$1" | total; }

profiled -e CPU_CLK_UNHALTED:1000000 -e INST_RETIRED:1000000
report > /tmp/report; cat /tmp/report
is "the report counts two events" "$(grep -c '^Counted ' /tmp/report)" 2
is "none of them is a timer" "$(grep -c 'timer interrupt' /tmp/report)" 0
cycles=$(samples_of_event CPU_CLK_UNHALTED)
# two threads with a second of work each
near "cycles sampled" "$cycles" 2000 20
near "instructions per cycle in percent" \
	"$(percent "$(samples_of_event INST_RETIRED)" "$cycles")" 80 1
# of what is in these functions: the kernel's samples of the program are in the report, too
report -l -n event:CPU_CLK_UNHALTED image:$program | awk '$NF ~ /_percent$/ { print $1, $NF }' \
	> /tmp/symbols
for share in sixty_percent:60 thirty_percent:30 ten_percent:10; do
	near "${share%:*} of the cycles in percent" \
		"$(percent "$(samples_of "${share%:*}" < /tmp/symbols)" "$(total < /tmp/symbols)")" \
		"${share#*:}" 3
done

profiled -g -e INST_RETIRED:2000000:0:0:1
report --stacks=folded > /tmp/folded; head -n 20 /tmp/folded
all=$(awk '/_percent / { n += $NF } END { print n + 0 }' /tmp/folded)
at_least "stacks of the functions that work" "$all" 500
is "of them whole" "$(awk '/^[^[].*;[a-z]*_percent / { n += $NF } END { print n + 0 }' /tmp/folded)" "$all"

# counted EVENT MS: how often while it does so much work
counted()
{
	ocount -b -f /tmp/counts -e "$1" $program "$2" "$TURNS" 1 || not_ok "ocount -e $1"
	cat /tmp/counts >&2
	awk -F, -v event="${1%%:*}" '$1 ~ "^" event { print $2 }' /tmp/counts
}
# what starting it costs is less than a thousandth of them
few=$(counted INST_RETIRED:0:0:1 300) many=$(counted INST_RETIRED:0:0:1 600)
at_least "instructions counted" "$few" 200000000
near "twice the work in percent of its instructions" "$(percent "$many" "$few")" 200 1
ocount -b -f /tmp/counts -e CPU_CLK_UNHALTED,INST_RETIRED $program 300 "$TURNS" 2; cat /tmp/counts
cycles=$(awk -F, '/^CPU_CLK_UNHALTED/ { print $2 }' /tmp/counts)
near "counted instructions per cycle in percent" \
	"$(percent "$(awk -F, '/^INST_RETIRED/ { print $2 }' /tmp/counts)" "$cycles")" 80 1
refused "an event that isn't" "NONSENSE" ocount -e NONSENSE true
