# shellcheck shell=dash
# seconds: 300
# rw - the event buffer read in all sizes, woken by a dump; and dumps that always bring everything

# without a daemon, as another program could
opcontrol --init
count_for 200 > /dev/oprofile/timer/count
echo 131000 > /dev/oprofile/buffer_watershed	# woken by every few words
shares-static 3000 "$TURNS" 2 & worker=$!
probe sizes 3 > /tmp/sizes; cat /tmp/sizes
wait $worker
read -r reads words samples bad < /tmp/sizes
delivered=$(cat /dev/oprofile/stats/cpu*/sample_delivered | total)
echo "# $reads reads, $words words, $samples samples" >&3
at_least "reads of all sizes" "${reads:-0}" 20
is "whole words, and notes that are understood" "${bad:-none}" 0
is "samples read are those delivered" "${samples:-none}" "$delivered"
is "nothing was lost" "$(cat /dev/oprofile/stats/cpu*/sample_lost_* | total)" 0

count_for 2000 > /dev/oprofile/timer/count
echo 32768 > /dev/oprofile/buffer_watershed
probe wake 100 > /tmp/wake; cat /tmp/wake
read -r rounds asleep samples < /tmp/wake
is "dumps after which there was nothing to read" "${asleep:-none} of ${rounds:-none}" "0 of 100"
at_least "samples read after dumps" "${samples:-0}" 100
is "samples read are those delivered" "${samples:-none}" \
	"$(cat /dev/oprofile/stats/cpu*/sample_delivered | total)"
is "a signal ends a blocked read" "$(probe signal)" EINTR

# with the daemon: few samples, and each dump must bring all that were taken before it to disk
profile_start 10000
round=0 late=0
while [ $round -lt 20 ]; do
	shares-static 100 "$TURNS" 1
	# those of idle CPUs are only counted; more of them by now make it fewer, never more
	taken=$(cat /dev/oprofile/stats/cpu*/sample_received | total)
	taken=$((taken - $(cat /dev/oprofile/stats/cpu*/sample_idle | total)))
	opcontrol --dump || late=1000
	files=$(odb-check check "$CURRENT" | awk '{ print $2 }')
	[ "$files" -ge "$taken" ] || { late=$((late + 1)); echo "# round $round: $taken, $files" >&3; }
	round=$((round + 1))
done
is "dumps that did not bring all samples taken before" $late 0
at_least "samples they brought" "$files" 20
is "nothing was lost meanwhile" "$(cat /dev/oprofile/stats/cpu*/sample_lost_* | total)" 0
opcontrol --stop
stopped=$(cat /dev/oprofile/stats/cpu*/sample_delivered | total)
opcontrol --dump
is "after stop and dump the files hold all that was delivered" \
	"$(odb-check check "$CURRENT" | awk '{ print $2 }')" "$stopped"
profile_end
