# shellcheck shell=dash
# seconds: 300
# collectors: module perf
# shares - a workload with functions at 60, 30 and 10 %, static and as a position-independent program

profile_start 500
sleep 1
for kind in static pie; do
	until_samples 5000 /vm/bin/shares-$kind shares-$kind 1000 "$TURNS" 2
done
profile_end
at_least "samples of idle CPUs, which are only counted" "$(awk '{ for (i = 10; i < NF; i += 2)
	if ($i == "idle") sum += $(i + 1) } END { print sum + 0 }' /tmp/counts)" 100
for kind in static pie; do
	symbols image:/vm/bin/shares-$kind > /tmp/symbols
	cat /tmp/symbols /tmp/opreport.err
	grep _percent /tmp/symbols | keep_shares shares-$kind
	all=$(total < /tmp/symbols)
	at_least "$kind: samples" "$all" 5000
	near_shares "$kind: " < /tmp/symbols
done
