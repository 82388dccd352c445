# shellcheck shell=dash
# seconds: 200
# modules: oprofile-cookies
# cookies - more binaries than the module, which has room for 64 here, has cookies for; and a program
# whose path is too long for any

bin=/vm/bin tracing=/tmp/tracing
# samples come by the host's clock, and on a debug kernel each takes a millisecond, a dump seconds
us=200 ms=100
[ "$SLOWER" = 1 ] || us=5000 ms=1000

# --- more binaries than cookies ---

check "a module with room for 64 cookies loads" insmod /vm/mod/oprofile-cookies.ko
# the debug kernel takes seconds to list its symbols, and no case needs them there
symbols=
[ "$SLOWER" -lt 5 ] || symbols=--no-vmlinux
# shellcheck disable=SC2086 # an option or none
profile_start $us --callgraph=8 $symbols
mkdir /tmp/many
i=0 many=100
[ "$SLOWER" -lt 5 ] || many=72	# still more than there are cookies
while [ $i -lt $many ]; do
	cp $bin/v03 /tmp/many/$i; /tmp/many/$i $((TURNS * 4 * SLOWER)); rm /tmp/many/$i
	i=$((i + 1))
	# cookies are free again once the daemon has read what they are in, however late it runs
	[ $((i % 20)) != 0 ] || until opcontrol --dump; do :; done
done
check "dump" opcontrol --dump
is "samples lost for want of a cookie" "$(cat /dev/oprofile/stats/sample_lost_no_image)" 0
profile_end
is "and for want of its path" "$(awk '{ for (i = 10; i < NF; i += 2) if ($i ~ /image/) sum += $(i + 1) }
	END { print sum + 0 }' /tmp/counts)" 0
at_least "binaries of $many that have samples" \
	"$(odb-check totals "$CURRENT" | awk '$3 ~ "^/tmp/many/" { print $3 }' | sort -u | wc -l)" $((many * 2 / 3))
rm -r /tmp/many
# where everything takes several times as long, only what takes locks and memory of its own
if [ "$SLOWER" -ge 5 ]; then no_leaks; return; fi
opcontrol --reset

# --- a path that is too long ---

folder=$(printf '%0250d' 0)
(
	cd /tmp || exit
	i=0
	while [ $i -lt 17 ]; do mkdir "$folder"; cd -P "$folder" || exit; i=$((i + 1)); done
	cp $bin/v04 deep
	exec sleep 100000
) 2> /dev/null & keeper=$!
deep=/proc/$keeper/cwd/deep
until [ -x $deep ] && cmp -s $deep $bin/v04; do usleep 100000; done

# how often the sync worker slept, and how many passes it made
mkdir $tracing; mount -t tracefs none $tracing
profile_start $us
sleeper=usleep_range_state
grep -q " $sleeper\$" /proc/kallsyms || sleeper=usleep_range
echo "p:sleeps $sleeper" > $tracing/kprobe_events
echo "p:passes oprofile:op_pins_drop" >> $tracing/kprobe_events
counts_sleeps=0
echo 1 > $tracing/events/kprobes/enable && counts_sleeps=1
hits() { awk -v name="$1" '$1 == name { print $2 }' $tracing/kprobe_profile; }
$deep $((TURNS * 60000)) & pid=$!
until_samples 200 $bin/v05 $bin/v05 $((TURNS * 2 * ms))
lost=$(cat /dev/oprofile/stats/sample_lost_no_image)
until [ "$lost" -ge 200 ]; do usleep 100000; lost=$(cat /dev/oprofile/stats/sample_lost_no_image); done
kill $pid; wait $pid
if [ $counts_sleeps = 1 ]; then
	echo "# $(hits sleeps) sleeps in $(hits passes) passes, $lost samples lost" >&3
	at_most "sleeps, for each pass" "$(($(hits sleeps) / $(hits passes)))" 2
else
	skip "sleeps, for each pass" "this kernel has no events of kprobes"
fi
echo 0 > $tracing/events/kprobes/enable
echo > $tracing/kprobe_events
umount $tracing
hot=$(symbols image:$bin/v05 | samples_of hot_v05)
at_least "percent of another program's samples in its function" \
	"$(percent "$hot" "$(samples_in $bin/v05)")" 50
profile_end
kill $keeper; wait $keeper
at_least "its own samples are lost under a reason" "$(awk '{ for (i = 10; i < NF; i += 2)
	if ($i ~ /image/) sum += $(i + 1) } END { print sum + 0 }' /tmp/counts)" 200
# one that is hit while it begins or ends may have no mapping
at_most "next to nothing is lost for another" "$(awk '{ for (i = 10; i < NF; i += 2)
	if ($i ~ /mm|mapping/) sum += $(i + 1) } END { print sum + 0 }' /tmp/counts)" 10
no_leaks
