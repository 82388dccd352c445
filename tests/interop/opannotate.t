#!/bin/bash
# opannotate.t - opannotate beside the original, on the original's own sessions, byte by byte
#
# Every recorded command line of opannotate 0.9.9 and 1.x is run in compatibility mode, once
# without and once with what the line cache has from the first time; output and success must be the
# same. Of command lines in opannotate.expected-differences the lines may come in another order
# (rows), or something else may differ (other), for the reason given there.
set -u
export OPROFILE_COMPAT=1
list=$REPO/tests/interop/opannotate.expected-differences
# shellcheck source=tests/interop/results.sh
. "$REPO/tests/interop/results.sh"
export OPROFILE_CACHE_DIR=$work/cache

# How a command line may differ: "rows", "other" or nothing.
expected_difference() # NAME
{
	[ ! -f "$list" ] || awk -v name="$1" '$1 == name { print $2 }' "$list"
}

rows() { awk '{ $1 = $1; print }' "$1" | sort; }

# Folders for output are ours, and called as in the recording.
run() # BASE COMMAND
{
	local folder=${1%/*} status
	rm -rf "$work/out"
	mkdir "$work/out"
	(cd "$GOLDEN" && bash -c "${2//$folder/$work/out}") > "$work/raw" 2> "$work/err"
	status=$?
	sed "s|$work/out|$folder|g" "$work/raw" > "$work/got"
	return $status
}

compare() # NAME BASE COMMAND
{
	local name=$1 base=$2 status want=same
	run "$base" "$3"
	status=$?
	cmp -s "$base.out" "$work/got" || want=other
	[ $((status != 0)) = $(($(cat "$base.rc") != 0)) ] || want=other
	if [ $want = other ]; then
		case $(expected_difference "$1") in
		rows)
			name="$name (other order, as expected)"
			cmp -s <(rows "$base.out") <(rows "$work/got") && want=same ;;
		other)
			name="$name (differs as expected)"
			want=same ;;
		esac
	fi
	[ $want = same ] || diff "$base.out" "$work/got" | head -n 8 | sed 's/^/# /'
	[ $want = same ]
	result $? "$name"
}

for pass in cold cached; do
	for cmd in "$GOLDEN"/cmds/op*/*/*.cmd; do
		command=$(cat "$cmd")
		[ "${command%% *}" = opannotate ] || continue
		base=${cmd%.cmd}
		[ $pass = cold ] || [[ "$command" == *--source* ]] || continue
		compare "${base#"$GOLDEN"/cmds/}" "$base" "$command"
	done
done
results_end
