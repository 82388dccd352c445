# shellcheck shell=dash
# seconds: 900
# kill9 - the daemon is killed at 50 random moments: no file is broken, no sample once there is gone

killed=0 before=0 broken=0 shrunk=0 failed=0 symbols=
profile_start 200
nice spawn 100000 2 "$TURNS" /vm/bin/v00 /vm/bin/v01 /vm/bin/v02 /vm/bin/v03 & spawner=$!
nice scatter 1000 & scatterer=$!
# so that the daemon writes to its files all the time, also in the short lives of a fast machine
(while :; do opcontrol --dump; usleep 50000; done) > /dev/null 2>&1 & dumper=$!
while [ $killed -lt 50 ]; do
	usleep $(($(od -An -N2 -tu2 /dev/urandom) * 6))
	pid=$(daemon_pid)
	kill -9 "$pid"
	# it may be in a system call on the other CPU, and that may have to wait for the host
	while runs "$pid"; do usleep 10000; done
	killed=$((killed + 1))
	result=$(odb-check check "$CURRENT") || { broken=$((broken + 1)); echo "$result"; }
	samples=$(echo "$result" | tail -n 1 | awk '{ print $2 }')
	echo "killed $killed: $result"
	[ "$samples" -ge "$before" ] || { shrunk=$((shrunk + 1)); echo "# $before, then $samples" >&3; }
	before=$samples
	# a new daemon says that sampling runs only when it does: nothing of the old one is in its way
	# most do not list the kernel's symbols, which takes longer than all the rest
	[ $killed -lt 10 ] || symbols=--no-vmlinux
	opcontrol $symbols --start > /tmp/output 2>&1 || { failed=$((failed + 1)); diag < /tmp/output; }
done
kill $spawner $scatterer $dumper
is "kills after which a sample file was broken" $broken 0
is "kills after which samples were missing" $shrunk 0
is "restarts that failed" $failed 0
at_least "samples in all" "$before" 1000
check "opcontrol --shutdown" opcontrol --shutdown
at_least "the last daemon went on from there" "$(odb-check check "$CURRENT" | awk '{ print $2 }')" "$before"
books_balance

# without a new daemon the module is idle, and can be unloaded
opcontrol --start; sleep 0.3
pid=$(daemon_pid)
kill -9 "$pid"
while runs "$pid"; do sleep 0.1; done
# a process that it was just starting has the device until its exec
tries=100
until [ "$(cat /dev/oprofile/enable)" = 0 ] || [ $tries = 0 ]; do usleep 100000; tries=$((tries - 1)); done
is "the module is idle after its daemon was killed" "$(cat /dev/oprofile/enable)" 0
check "opcontrol --deinit" opcontrol --deinit
is "module is unloaded" "$(grep -c '^oprofile ' /proc/modules)" 0
check "opreport reads what is left" opreport -l
check "opcontrol --save after a kill" opcontrol --save=killed
CURRENT=$SD/samples/killed books_balance
