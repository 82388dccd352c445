# shellcheck shell=dash
# seconds: 300
# collectors: module perf
# accounting - with buffers far too small and a stopped daemon, every sample is still accounted for

stat_sum() { cat /dev/oprofile/stats/cpu*/"$1" | total; }

# until_received N: so many samples more; perf does not count them anywhere else
until_received()
{
	[ "$COLLECTOR" = module ] || { shares-static $(($1 / 5)) "$TURNS"; return; }
	local enough=$(($(stat_sum sample_received) + $1))
	until [ "$(stat_sum sample_received)" -ge $enough ]; do usleep 100000; done
}

# the module's own books, per CPU: received = delivered + lost
module_balances()
{
	bad=0
	for cpu in /dev/oprofile/stats/cpu*; do
		for f in "$cpu"/*; do printf '%s=%s ' "${f##*/}" "$(cat "$f")"; done
		echo
		received=$(cat "$cpu/sample_received")
		accounted=$(($(cat "$cpu/sample_delivered") + $(cat "$cpu/sample_lost_overflow") +
			$(cat "$cpu/sample_lost_event_overflow") + $(cat "$cpu/sample_lost_no_mm") +
			$(cat "$cpu/sample_lost_no_mapping") + $(cat "$cpu/sample_lost_no_image") +
			$(cat "$cpu/sample_invalid_eip") + $(cat "$cpu/sample_idle")))
		[ "$received" = "$accounted" ] || {
			bad=1; echo "# ${cpu##*/}: received $received, accounted $accounted" >&3; }
	done
	is "$1: received = delivered + lost on every CPU, in the module" $bad 0
}

# round WHAT OPTION...: profile, with the daemon stopped for a while, and balance the books
round()
{
	local what=$1; shift
	profile_start 100 "$@"
	pid=$(daemon_pid)
	scatter 1000 & worker=$!
	spawn 200 2 "$TURNS" /vm/bin/v00 /vm/bin/v01 /vm/bin/v02
	# long enough for what it does not take to matter
	kill -STOP "$pid"
	until_received 5000
	kill -CONT "$pid"
	until_received 5000
	kill $worker; wait $worker
	check "$what: opcontrol --stop" opcontrol --stop
	check "$what: opcontrol --dump" opcontrol --dump
	if [ "$COLLECTOR" = module ]; then module_delivers "$what"; else profile_end; fi
	per_cpu_files "$what"
	opcontrol --reset
}

# module_delivers WHAT: to the daemon all that it did not lose itself
module_delivers()
{
	local what=$1
	module_balances "$what"
	received=$(stat_sum sample_received)
	delivered=$(stat_sum sample_delivered)
	at_least "$what: samples received" "$received" 1000
	echo "# received $received, delivered $delivered, lost in CPU buffers" \
		"$(stat_sum sample_lost_overflow), in the event buffer $(stat_sum sample_lost_event_overflow)" >&3
	lost_cpu=$(stat_sum sample_lost_overflow)
	lost_event=$(stat_sum sample_lost_event_overflow)
	profile_end
	is "$what: the session counts what the module received" \
		"$(awk '{ sum += $3 } END { print sum }' /tmp/counts)" "$received"
	is "$what: and records what it delivered, or says why not" \
		"$(awk '{ sum += $5 + $7; for (i = 10; i < NF; i += 2) if ($i !~ /buffer|idle/) sum += $(i + 1) }
			END { print sum }' /tmp/counts)" \
		"$((delivered + $(awk '{ for (i = 10; i < NF; i += 2)
			if ($i ~ /no_mm|no_mapping|invalid_pc/) sum += $(i + 1) } END { print sum + 0 }' /tmp/counts)))"
}

# the sample files of each CPU hold what the books say was recorded on it
per_cpu_files()
{
	odb-check totals "$CURRENT" > /tmp/totals
	bad=0
	while read -r cpu _ _ _ recorded _; do
		files=$(awk -v cpu="${cpu#cpu}" '$2 == cpu { sum += $1 } END { print sum + 0 }' /tmp/totals)
		[ "$files" = "$recorded" ] || {
			bad=1; echo "# $cpu: recorded $recorded, in files $files" >&3; }
	done < /tmp/counts
	is "$1: per CPU the files hold what was recorded" $bad 0
}

round "plenty of room" --separate=cpu
awk '$3 ~ /v0[012]$/ { print $1, $3 }' /tmp/totals | keep_names images
[ "$COLLECTOR" = module ] || return 0
is "nothing is lost with plenty of room but for the stopped daemon" "$lost_cpu" 0
round "tiny event buffer" --separate=cpu --buffer-size=1024 --buffer-watershed=512
at_least "the tiny event buffer did overflow" "$lost_event" 1
round "tiny CPU buffers" --separate=cpu --cpu-buffer-size=16 --buffer-size=131072 \
	--buffer-watershed=32768
at_least "the tiny CPU buffers did overflow" "$lost_cpu" 1
