# side_by_side.sh - run two tests per CPU at once, report in the order of their start; sourced
#
# begin COMMAND...  run COMMAND once there is a place; it prints "ok - NAME", "not ok - NAME" (a
#                   number before the name is dropped) and other lines, which are kept
# alone COMMAND...  the same, with nothing beside it
# test_program FILE print the output of FILE, with its name before that of each check
# end               wait for all, print the plan and exit
# shellcheck shell=bash
places=$(($(nproc) * 2))	# many wait for a daemon
started=0 reported=0 number=0 failed=0
output=$(mktemp -d) || exit
trap 'rm -rf "$output"' EXIT

begin()
{
	while [ "$(jobs -pr | wc -l)" -ge "$places" ]; do wait -n; done
	report
	started=$((started + 1))
	(trap - EXIT; "$@" > "$output/$started" 2>&1
		mv "$output/$started" "$output/$started.whole") &
}

alone()
{
	wait
	begin "$@"
	wait
}

# Those that have ended, up to the first that has not.
report()
{
	local line
	while [ -f "$output/$((reported + 1)).whole" ]; do
		reported=$((reported + 1))
		while IFS= read -r line; do
			case $line in
			'not ok '*) failed=1; number=$((number + 1)); echo "not ok $number - ${line#*- }" ;;
			'ok '*) number=$((number + 1)); echo "ok $number - ${line#*- }" ;;
			*) printf '%s\n' "$line" ;;
			esac
		done < "$output/$reported.whole"
		rm -f "$output/$reported.whole"
	done
}

test_program()
{
	local name=${1##*/} line bad=0 status=none
	name=${name%.*}
	while IFS= read -r line; do
		case $line in
		'not ok '*) bad=1; echo "not ok - $name: ${line#*- }" ;;
		'ok '*) echo "ok - $name: ${line#*- }" ;;
		'1..0 # SKIP '*) echo "ok - $name: everything # SKIP ${line#*# SKIP }" ;;
		'1..'*) ;;
		'status '*) status=${line#status } ;;
		*) printf '%s\n' "$line" ;;
		esac
	done < <("$1" 2>&1; echo "status $?")
	[ "$status" = 0 ] || [ $bad = 1 ] || echo "not ok - $name: exit status $status"
}

end()
{
	wait
	report
	if [ "$reported" != "$started" ]; then
		echo "not ok $((++number)) - all tests end"
		failed=1
	fi
	echo "1..$number"
	exit "$failed"
}
