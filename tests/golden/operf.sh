# operf.sh - what the tests that run operf have in common; sourced in the tree's root
#
# $O is the build folder, its bin first in $PATH; $work goes at the end, $out is what a failed check
# shows.
# shellcheck shell=bash disable=SC2034 # used by who sources it
O=$(realpath -m "${O:-build}")
PATH=$O/bin:$PATH
number=0 failed=0
work=$(mktemp -d /tmp/operf-test-XXXXXX)
chmod 755 "$work"
out=$work/out

finish()
{
	rm -rf "$work"
}
trap finish EXIT

check() # NAME FUNCTION
{
	number=$((number + 1))
	if "$2"; then
		echo "ok $number - $1"
	else
		sed 's/^/# /' "$out"
		echo "not ok $number - $1"
		failed=1
	fi
}

skip() # NAME WHY
{
	number=$((number + 1))
	echo "ok $number - $1 # SKIP $2"
}

says() { grep -q -- "$1" "$out"; }

# A folder of its own for each check; -e makes it the same with and without counters.
enter() { rm -rf "$work/in" && mkdir "$work/in" && cd "$work/in" || exit 1; }
rate=CPU_CLK_UNHALTED:200000
profile() { operf --exact-count -e "$rate" "$@" > "$out" 2>&1; }
# One for each test: what may be locked for rings is counted by user, and tests run side by side.
nobody=$((100000 + $$))
as_nobody() { setpriv --reuid="$nobody" --regid="$nobody" --clear-groups "$@"; }
