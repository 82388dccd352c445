# side_by_side.sh - tests begun one for each CPU at once, told in the order they were begun; sourced
#
# begin COMMAND...  runs it when there is a free CPU; it prints "ok - NAME", "not ok - NAME" (a
#                   number before the name is dropped) and other lines, which are kept
# alone COMMAND...  the same, with nothing beside it
# test_program FILE what FILE prints, its name before each of its checks'
# end               waits for all, prints the plan and ends the script
# shellcheck shell=bash
places=$(nproc)
begun=0 told=0 number=0 failed=0
said=$(mktemp -d) || exit
trap 'rm -rf "$said"' EXIT

begin()
{
	while [ "$(jobs -pr | wc -l)" -ge "$places" ]; do wait -n; done
	tell
	begun=$((begun + 1))
	(trap - EXIT; "$@" > "$said/$begun" 2>&1; mv "$said/$begun" "$said/$begun.whole") &
}

alone()
{
	wait
	begin "$@"
	wait
}

# Of those that have ended, up to the first that has not.
tell()
{
	local line
	while [ -f "$said/$((told + 1)).whole" ]; do
		told=$((told + 1))
		while IFS= read -r line; do
			case $line in
			'not ok '*) failed=1; number=$((number + 1)); echo "not ok $number - ${line#*- }" ;;
			'ok '*) number=$((number + 1)); echo "ok $number - ${line#*- }" ;;
			*) printf '%s\n' "$line" ;;
			esac
		done < "$said/$told.whole"
		rm -f "$said/$told.whole"
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
		'1..0 # SKIP '*) echo "ok - $name: all of it # SKIP ${line#*# SKIP }" ;;
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
	tell
	[ "$told" = "$begun" ] || { echo "not ok $((++number)) - all that was begun ends"; failed=1; }
	echo "1..$number"
	exit "$failed"
}
