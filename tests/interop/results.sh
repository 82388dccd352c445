# shellcheck shell=bash
# results.sh - what every test here begins with: a folder of its own in $work, and how it is told
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0
failed=0

result() # STATUS NAME
{
	number=$((number + 1))
	if [ "$1" = 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; failed=1; fi
}

# The last line of a test.
results_end()
{
	echo "1..$number"
	exit $failed
}
