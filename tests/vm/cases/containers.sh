# shellcheck shell=dash
# seconds: 120
# containers - another program of the same path in each of two mount namespaces, and made code
#
# What is kept apart is seen in the report, by the names of functions that only one of them has.

# contained PROGRAM MS: run it as /mnt/app of a mount namespace that is gone afterwards
contained()
{
	unshare -m sh -c "mount -t tmpfs none /mnt && cp /vm/bin/$1 /mnt/app &&
		exec /mnt/app $((TURNS * $2))" || not_ok "$1 in a mount namespace"
}

profile_start 1000
# by turns, so that a slow moment of the host is not one's alone
for _ in 1 2 3 4; do
	contained v17 150
	contained v18 150
done
made-code "$((TURNS * 1000))" & pid=$!
# its map is read while it lives
while runs $pid; do opcontrol --dump; done
wait $pid
profile_end
at_least "sample files in parts of the session" "$(find "$CURRENT/stats/parts" -mindepth 2 -type f | wc -l)" 1

symbols 'lib-image:/mnt/app*' > /tmp/symbols; cat /tmp/symbols /tmp/opreport.err
for n in 17 18; do
	near "v$n as /mnt/app: percent of the samples there" \
		"$(percent "$(samples_of hot_v$n < /tmp/symbols)" "$(total < /tmp/symbols)")" 50 15
done
is "samples in code that was never run" "$(grep -c filler /tmp/symbols)" 0

opreport -l -n > /tmp/report 2> /tmp/opreport.err; grep -E 'made_|anon|perf' /tmp/report
is "the reports show all that was recorded" "$(symbols | total)" \
	"$(awk '{ sum += $5 } END { print sum + 0 }' /tmp/counts)"
symbols > /tmp/symbols
first=$(samples_of made_first < /tmp/symbols) second=$(samples_of made_second < /tmp/symbols)
at_least "samples of made code that have names" $((first + second)) 100
near "made_first in percent of both" "$(percent "$first" $((first + second)))" 50 10
