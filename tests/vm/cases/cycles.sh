# shellcheck shell=dash
# seconds: 600
# collectors: module perf
# cycles - loaded and unloaded 20 times, with processes forking and CPUs going away meanwhile
#
# Every other time with stacks, and at last. The other collector loads nothing, and does each kind of
# work once, with one kill; so does the module where everything takes several times as long, and a
# third of what comes last. Samples are few: emulated, the daemon has to keep up with them. Only the
# first starts list the kernel's symbols, which takes longer than all the rest.

cpu1=/sys/devices/system/cpu/cpu1/online
failed=0 rounds=20 kill_each=7 times=10 period=$((SLOWER < 5 ? 2000 : 5000))
[ "$COLLECTOR" = module ] || rounds=4 kill_each=3
[ "$SLOWER" -lt 5 ] || rounds=4 kill_each=3 times=3
step() { "$@" > /tmp/output 2>&1 || { failed=$((failed + 1)); echo "# cycle $i: $*" >&3; diag < /tmp/output; }; }

i=0
while [ $i -lt $rounds ]; do
	i=$((i + 1)) symbols=
	[ "$SLOWER" -lt 5 ] && [ $i -le 4 ] || symbols=--no-vmlinux
	step opcontrol --collector="$COLLECTOR" --exact-count \
		--event="CPU_CLK_UNHALTED:$(count_for $period)" \
		--callgraph=$((i % 2 * 16)) $symbols --start
	case $((i % 4)) in
	0) spawn storm 1 8 ;;
	1) echo 0 > $cpu1; spawn 20 2 "$TURNS" /vm/bin/v00 /vm/bin/v01; echo 1 > $cpu1 ;;
	2) shares-static 200 "$TURNS" 2 ;;
	3) step opcontrol --dump; spawn 20 2 "$TURNS" /vm/bin/v02 ;;
	esac
	# now and then without a word of goodbye
	[ $((i % kill_each)) != 0 ] || kill -9 "$(daemon_pid)"
	step opcontrol --shutdown
	[ "$COLLECTOR" != module ] || step opcontrol --deinit
	[ ! -d /sys/module/oprofile ] || failed=$((failed + 1))
done
is "steps that failed in $rounds cycles" $failed 0
books_balance

# CPU 1 comes and goes many times in one profile, under load
opcontrol --reset
profile_start $period --callgraph=16
spawn storm $((times - 2)) 8 & storm=$!
shares-static $((400 * times)) "$TURNS" 2 & shares=$!
i=0
while [ $i -lt $times ]; do
	echo 0 > $cpu1; usleep 200000
	echo 1 > $cpu1; usleep 200000
	i=$((i + 1))
done
wait $storm; wait $shares
# how much of its time there it could work is the host's affair
received_of_cpu1() { odb-check counts "$CURRENT/stats" | awk '$1 == "cpu1" { print $3 }'; }
until [ "$(received_of_cpu1)" -ge 100 ]; do
	taskset 2 shares-static $((period / 10)) "$TURNS"
	opcontrol --dump
done
profile_end
at_least "samples of CPU 1 all the same" "$(awk '$1 == "cpu1" { print $3 }' /tmp/counts)" 100
symbols image:/vm/bin/shares-static > /tmp/symbols
at_least "samples of the workload" "$(total < /tmp/symbols)" 500
grep _percent /tmp/symbols | keep_shares shares-static
no_leaks
