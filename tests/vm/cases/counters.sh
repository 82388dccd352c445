# shellcheck shell=dash
# seconds: 1000
# machine: intel-pmu
# programs: perf
# counters - hardware events as a user asks for them, from opcontrol to opreport, by both collectors

# shellcheck source=tests/vm/guest/models.sh
. /vm/models.sh
watchdog=$(cat /proc/sys/kernel/nmi_watchdog)
is "the watchdog has a counter at first" "$watchdog" 1
echo 0 > /proc/sys/kernel/perf_cpu_time_max_percent

# begin EVENT...: start a session of these, from nothing
begin()
{
	local events=''
	for event; do events="$events --event=$event"; done
	opcontrol --reset > /dev/null
	# shellcheck disable=SC2086 # options
	check "opcontrol --start ($COLLECTOR, $*)" opcontrol --collector="$COLLECTOR" $events --start
}
work_until() { until_samples "$1" /vm/bin/shares-static shares-static 1000 "$TURNS" 2; }

# samples_of_event EVENT [OPTION...]
samples_of_event()
{
	local event=$1; shift
	opreport "$@" -n "event:$event" 2> /tmp/opreport.err | total
}

# events_are_right: of two events at their known ratio, each with the workload's shares
events_are_right()
{
	begin CPU_CLK_UNHALTED:1000000 INST_RETIRED:1000000
	work_until 10000
	opcontrol --status > /tmp/status; cat /tmp/status
	is "$COLLECTOR: --status names the model" "$(grep -ciE "model.*$1" /tmp/status)" 1
	is "$COLLECTOR: and both events" "$(grep -cE 'CPU_CLK_UNHALTED:1000000|INST_RETIRED:1000000' /tmp/status)" "$2"
	check "$COLLECTOR: opcontrol --shutdown" opcontrol --shutdown
	cat /tmp/output
	books_balance
	opreport -l image:/vm/bin/shares-static > /tmp/report 2>&1; cat /tmp/report
	is "$COLLECTOR: the report counts two events" "$(grep -c '^Counted ' /tmp/report)" 2
	is "$COLLECTOR: none of them is a timer" "$(grep -c 'timer interrupt' /tmp/report)" 0
	is "$COLLECTOR: it names the model" "$(grep -c "Collector: $COLLECTOR, model $1" /tmp/report)" 1
	# of the whole session: in which image an overflow is found is the emulator's affair
	cycles=$(samples_of_event CPU_CLK_UNHALTED) instructions=$(samples_of_event INST_RETIRED)
	is_ratio "$COLLECTOR" "$(percent "$instructions" "$cycles")"
	opreport -l -n image:/vm/bin/shares-static event:CPU_CLK_UNHALTED 2>&1 |
		awk '{ print $1, $NF }' > /tmp/symbols
	cycles=$(total < /tmp/symbols)
	for share in sixty_percent:60 thirty_percent:30 ten_percent:10; do
		near "$COLLECTOR: ${share%:*} of the cycles in percent" \
			"$(percent "$(samples_of "${share%:*}" < /tmp/symbols)" "$cycles")" "${share#*:}" 3
	done
}

# sides_are_right: events of user space only and of the kernel only
sides_are_right()
{
	begin INST_RETIRED:1000000:0:0:1
	work_until 500
	opcontrol --shutdown > /dev/null; books_balance
	is "$COLLECTOR: kernel samples of an event in user space" "$(samples_in '{kern}/kallsyms')" 0
	begin INST_RETIRED:1000000:0:1:0
	until_samples 100 '{kern}/kallsyms' dd if=/dev/zero of=/dev/null bs=1M count=1000
	opcontrol --shutdown > /dev/null; books_balance
	is "$COLLECTOR: samples in user space of an event in the kernel" \
		"$(odb-check totals "$CURRENT" | awk '$3 !~ /^[{]kern[}]/' | total)" 0
}

# turns_are_right: of more events than there are counters, most of which count nothing here
turns_are_right()
{
	local event times
	begin CPU_CLK_UNHALTED:8000000 r0101:8000000 r0202:8000000 r0303:8000000 r0404:8000000 \
		r0505:8000000 r0606:8000000 r0707:8000000 r00c0:8000000
	is "$COLLECTOR: opcontrol says that they take turns" "$(grep -c 'turns' /tmp/output)" 1
	work_until 200
	opcontrol --shutdown > /dev/null; books_balance
	times=$CURRENT/stats/event-times
	cat "$times"; opreport > /tmp/report 2>&1; cat /tmp/report
	at_least "$COLLECTOR: events that did" "$(grep -c '^Multiplexed: ' /tmp/report)" 2
	is "$COLLECTOR: the report says so of each that did" \
		"$(grep '^Multiplexed: ' /tmp/report | awk '{ print $2 }' | sort | xargs)" \
		"$(awk '$5 < 0.99 * $4 { print $1 }' "$times" | sort | xargs)"
	cycles=$(samples_of_event CPU_CLK_UNHALTED) instructions=$(samples_of_event r00c0)
	near "$COLLECTOR: instructions per cycle in turns, in percent" \
		"$(percent "$instructions" "$cycles")" 80 15
	for event in CPU_CLK_UNHALTED r00c0; do
		near "$COLLECTOR: $event is scaled by its time, in percent" "$(percent \
			"$(samples_of_event $event)" "$(awk -v event=$event \
				-v n="$(samples_of_event $event --compat=oprofile)" \
				'$1 == event { print n * $4 / $5 }' "$times")")" 100 1
	done
}

opcontrol --init || not_ok "opcontrol --init"
refused "an event that isn't" "no such event.*NONSENSE" opcontrol --event=NONSENSE:1000000 --start
refused "a count below the least" "6000" opcontrol --event=CPU_CLK_UNHALTED:100 --start
refused "a wrong unit mask" "unit mask" opcontrol --event=INST_RETIRED:1000000:0x77 --start
refused "another vendor's model" "amd.*not an AMD CPU" opcontrol --model=amd --start
opcontrol --model=auto
events_are_right intel 2
is "the watchdog is back after --shutdown" "$(cat /proc/sys/kernel/nmi_watchdog)" 1
sides_are_right

turns_are_right

# whoever has the counters first keeps them
perf-hold 600 > /tmp/held & holder=$!
until grep -q . /tmp/held; do usleep 100000; done
is "perf counts" "$(cat /tmp/held)" ok
opcontrol --deinit
begin CPU_CLK_UNHALTED:1000000
at_least "opcontrol names what samples instead" "$(grep -cE '[(]perf[)]' /tmp/output)" 1
work_until 300
opcontrol --shutdown > /dev/null; books_balance
refused "the model that was asked for is not replaced" "perf has the counters" \
	opcontrol --model=intel --start
opcontrol --model=auto
kill $holder; wait $holder
opcontrol --deinit
if perf --version; then
	refused "perf stat has the counters" "perf has the counters" \
		perf stat -a -o /tmp/stat -e cycles opcontrol --model=intel --start
	opcontrol --deinit
	begin CPU_CLK_UNHALTED:1000000
	perf stat -e cycles true > /tmp/output 2>&1; cat /tmp/output
	is "perf stat names who has the counters" \
		"$(grep -c 'We found oprofile daemon running' /tmp/output)" 1
	opcontrol --shutdown > /dev/null; opcontrol --deinit
	check "and counts when they are free" perf stat -e cycles true
else
	skip "perf stat names who has the counters" "no perf on this machine"
fi

# the other collector
COLLECTOR=perf
events_are_right perf 2
sides_are_right
turns_are_right

# a daemon that was killed leaves the watchdog to the next opcontrol
COLLECTOR=module
begin CPU_CLK_UNHALTED:1000000
is "the watchdog is off while the counters are ours" "$(cat /proc/sys/kernel/nmi_watchdog)" 0
perf-hold 0 > /tmp/held
is "perf is refused meanwhile" "$(cat /tmp/held)" EBUSY
kill -9 "$(daemon_pid)"
opcontrol --shutdown
is "the watchdog is back after a kill -9 and --shutdown" "$(cat /proc/sys/kernel/nmi_watchdog)" 1
opcontrol --deinit
no_leaks
