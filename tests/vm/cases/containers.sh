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
contained v17 600
contained v18 600
made-code "$((TURNS * 1000))" & pid=$!
# its map is read while it lives
while runs $pid; do opcontrol --dump; done
wait $pid
# not profile_end: the books' checker sees no parts, in which the second program's samples are
check "opcontrol --shutdown" opcontrol --shutdown
opcontrol --deinit

symbols 'lib-image:/mnt/app*' > /tmp/symbols; cat /tmp/symbols /tmp/opreport.err
for n in 17 18; do
	near "v$n as /mnt/app: percent of the samples there" \
		"$(percent "$(samples_of hot_v$n < /tmp/symbols)" "$(total < /tmp/symbols)")" 50 15
done
is "samples in code that was never run" "$(grep -c filler /tmp/symbols)" 0

opreport -l -n > /tmp/report 2> /tmp/opreport.err; grep -E 'made_|anon|perf' /tmp/report
symbols > /tmp/symbols
first=$(samples_of made_first < /tmp/symbols) second=$(samples_of made_second < /tmp/symbols)
at_least "samples of made code that have names" $((first + second)) 100
near "made_first in percent of both" "$(percent "$first" $((first + second)))" 50 10
