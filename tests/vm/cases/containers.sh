# shellcheck shell=dash
# seconds: 120
# collectors: module perf
# containers - another program of the same path in each of two mount namespaces, and made code
#
# What is kept apart is seen in the report, by the names of functions that only one of them has. Each
# is in a control group of its own, too.

groups=/sys/fs/cgroup

# while_it_runs COMMAND...: the daemon looks at it all the time
while_it_runs()
{
	"$@" & pid=$!
	while runs $pid; do opcontrol --dump; done
	wait $pid || not_ok "$*" "exit status $?"
}

# in_group GROUP COMMAND...
in_group()
{
	local group=$groups/$1/cgroup.procs; shift
	# shellcheck disable=SC2016 # for the other shell
	sh -c 'echo 0 > "$0" && exec "$@"' "$group" "$@"
}

# contained PROGRAM MS: run it as /mnt/app of a mount namespace that is gone afterwards, in the group
# of its name
contained()
{
	while_it_runs in_group "$1" unshare -m sh -c "mount -t tmpfs none /mnt &&
		cp /vm/bin/$1 /mnt/app && exec /mnt/app $((TURNS * $2))"
}

mount -t cgroup2 none $groups && mkdir $groups/v17 $groups/v18 $groups/short
profile_start 1000 --separate=cgroup
# by turns, so that a slow moment of the host is not one's alone
for _ in 1 2; do
	contained v17 400
	contained v18 400
done
# processes that may be gone, like their group, before the daemon looks which that was [SS-63]
check "short processes" in_group short spawn 200 4 $((TURNS * 2)) /vm/bin/v01
check "their group goes" rmdir $groups/short
# its map is read while it lives
while_it_runs made-code "$((TURNS * 1000))"
profile_end
at_least "sample files in parts of the session" "$(find "$CURRENT/stats/parts" -mindepth 2 -type f | wc -l)" 1

# groups side by side would be columns
all_groups() { symbols --merge=cgroup "$@"; }
all_groups 'lib-image:/mnt/app*' > /tmp/symbols; cat /tmp/symbols /tmp/opreport.err
for n in 17 18; do
	near "v$n as /mnt/app: percent of the samples there" \
		"$(percent "$(samples_of hot_v$n < /tmp/symbols)" "$(total < /tmp/symbols)")" 50 15
	symbols 'lib-image:/mnt/app*' cgroup:/v$n > /tmp/of_group; cat /tmp/of_group
	at_least "v$n: percent of its samples in its group" \
		"$(percent "$(samples_of hot_v$n < /tmp/of_group)" "$(samples_of hot_v$n < /tmp/symbols)")" 80
	is "v$n: another program's samples in its group" \
		"$(grep ' hot_' /tmp/of_group | grep -vc " hot_v$n\$")" 0
done
all=$(all_groups image:/vm/bin/v01 | samples_of hot_v01)
known=$(symbols image:/vm/bin/v01 'cgroup:/*' | samples_of hot_v01)
in_theirs=$(symbols image:/vm/bin/v01 cgroup:/short | samples_of hot_v01)
echo "# of $all samples of short processes $known with a group" >&3
at_least "short processes: samples, whether or not their group is known" "$all" 100
is "short processes: samples in another group" "$known" "$in_theirs"
is "samples in code that was never run" "$(grep -c filler /tmp/symbols)" 0

opreport -l -n --merge=cgroup > /tmp/report 2> /tmp/opreport.err; grep -E 'made_|anon|perf' /tmp/report
is "the reports show all that was recorded" "$(all_groups | total)" \
	"$(awk '{ sum += $5 } END { print sum + 0 }' /tmp/counts)"
all_groups > /tmp/symbols
grep -E ' (hot_|made_)' /tmp/symbols | keep_names symbols
first=$(samples_of made_first < /tmp/symbols) second=$(samples_of made_second < /tmp/symbols)
at_least "samples of made code that have names" $((first + second)) 100
near "made_first in percent of both" "$(percent "$first" $((first + second)))" 50 10
rmdir $groups/v17 $groups/v18 && umount $groups
