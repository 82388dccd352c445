# shellcheck shell=dash
# seconds: 300
# machine: intel-icount
# stack-cost - what callers add to a sample's interrupt, in instructions
#
# As handler-cost measures it: the gap in a program that reads the clock, here with so many callers.

# shellcheck source=tests/vm/guest/models.sh
. /vm/models.sh
echo 0 > /proc/sys/kernel/nmi_watchdog
load model=intel
counter 0 0x3c 0 100000

# cost DEPTH CALLERS PROGRAM [-t]: the median gap
cost()
{
	# shellcheck disable=SC2086 # an option, or none
	stacks ${4:-} "$1" "/vm/bin/$3" 1000 "$2" > /tmp/stacks
	cut -c 1-300 /tmp/stacks >&2
	sed -n 's|^\([0-9]*\) [0-9]*$|\1|p' /tmp/stacks
}

none=$(cost 0 8 gaps)
echo "# bench sample_without_callers $none instructions" >&3
for callers in 8 32 128; do
	for how in tables:gaps:-t frame_pointers:gaps-fp:; do
		program=${how#*:}
		with=$(cost 1024 $callers "${program%:*}" "${program#*:}")
		echo "# bench sample_${callers}_callers_${how%%:*} $with instructions" >&3
		at_least "$callers callers cost something" "$with" "$((none + callers * 10))"
		at_most "$callers callers by ${how%%:*}, instructions each" \
			"$(((with - none) / callers))" 600
	done
done
unload
