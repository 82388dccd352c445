#!/bin/bash
# opreport.t - opreport beside the original, on the original's own sessions, byte by byte
#
# Every recorded command line of opreport 0.9.9 and 1.x that this version has the options for is
# run in compatibility mode; output and success must be the same. Of call graphs and XML the order of
# lines that sort alike is not: then the lines must be the same, blanks and order aside, and the test's
# name says so. Command lines in opreport.expected-differences may differ, for the reason given there.
set -u
export OPROFILE_COMPAT=1
export OPROFILE_CACHE_DIR=
list=$REPO/tests/interop/opreport.expected-differences
# shellcheck source=tests/interop/results.sh
. "$REPO/tests/interop/results.sh"
declare -A later=()

# Why a command line is not for this version, or nothing.
group_of() # COMMAND
{
	case " $1 " in
	*--help*|*--version*) echo "help and version have words of their own" ;;
	esac
}

expected_difference() # NAME
{
	[ -f "$list" ] && grep -v '^#' "$list" | grep -q "^$1[[:space:]]"
}

# Blanks and order aside.
rows() { tr -s ' \t' '  ' < "$1" | sed 's/^ //; s/ $//' | sort; }

has_like_lines() # COMMAND: its lines that sort alike may come in any order
{
	[[ " $1 " == *" -c "* || "$1" == *" --callgraph"* || "$1" == *" --xml"* || " $1 " == *" -X "* ]]
}

compare() # NAME BASE COMMAND
{
	local name=$1 base=$2 status want=same
	(cd "$GOLDEN" && bash -c "$3") > "$work/out" 2> "$work/err"
	status=$?
	if ! cmp -s "$base.out" "$work/out"; then
		want=other
		if has_like_lines "$3" && cmp -s <(rows "$base.out") <(rows "$work/out"); then
			want=same
			name="$name (same lines)"
		fi
	fi
	[ $((status != 0)) = $(($(cat "$base.rc") != 0)) ] || want=other
	if [ $want = other ] && expected_difference "$1"; then
		name="$name (differs as expected)"
		want=same
	fi
	[ $want = same ] || diff "$base.out" "$work/out" | head -n 8 | sed 's/^/# /'
	[ $want = same ]
	result $? "$name"
}

for cmd in "$GOLDEN"/cmds/op*/*/*.cmd; do
	command=$(cat "$cmd")
	[ "${command%% *}" = opreport ] || continue
	base=${cmd%.cmd}
	group=$(group_of "$command")
	if [ -n "$group" ]; then
		later[$group]=$((${later[$group]:-0} + 1))
	else
		compare "${base#"$GOLDEN"/cmds/}" "$base" "$command"
	fi
done
for group in "${!later[@]}"; do
	number=$((number + 1))
	echo "ok $number - ${later[$group]} command lines: $group # SKIP they are ours"
done
results_end
