#!/bin/bash
# opgprof.t - opgprof beside the original, on the original's own sessions
#
# Every recorded command line of opgprof 0.9.9 and 1.x is run in compatibility mode: output and
# success must be the same, and the gmon file byte by byte; so what gprof prints of it is, too.
set -u
export OPROFILE_COMPAT=1
# shellcheck source=tests/interop/results.sh
. "$REPO/tests/interop/results.sh"

# Files it writes are ours.
run() # BASE COMMAND
{
	local folder=${1%/*}
	(cd "$GOLDEN" && bash -c "${2//$folder/$work}") > "$work/out" 2> "$work/err"
}

compare() # NAME BASE COMMAND
{
	local status same=0 gmon
	run "$2" "$3"
	status=$?
	[ $((status != 0)) = $(($(cat "$2.rc") != 0)) ] || same=1
	cmp -s "$2.out" "$work/out" || same=1
	gmon=$(sed -n 's/.* -o \([^ ]*\).*/\1/p' <<< "$3")
	[ -z "$gmon" ] || cmp "$gmon" "$work/${gmon##*/}" || same=1
	[ $same = 0 ] || sed 's/^/# /' "$work/err"
	result $same "$1"
}

for cmd in "$GOLDEN"/cmds/op*/*/*.cmd; do
	command=$(cat "$cmd")
	base=${cmd%.cmd}
	[[ "$command" == opgprof* && "$command" != *--help* ]] || continue	# help is ours
	compare "${base#"$GOLDEN"/cmds/}" "$base" "$command"
done
results_end
