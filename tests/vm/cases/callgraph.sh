# shellcheck shell=dash
# seconds: 120
# collectors: module perf
# programs: call_tree
# callgraph - whole stacks as a user has them taken: opcontrol, collector, daemon, reports
#
# The programs keep no frame pointers; the module asks for unwind tables as it meets binaries, and
# the daemon makes them: the first run is for that.

# stacks and call-trees have what is right
calls_in_many_ways()
{
	local mode
	for mode in plain alloca recursion signal tail syscall; do timeout 1 call_tree $mode; done
}

profile_start 1000 --callgraph=64
/vm/bin/registered &
registered=$!
/vm/bin/calltree tree 300 "$TURNS"
until_samples 300 /vm/bin/call_tree timeout 1 call_tree plain
check "opcontrol --reset" opcontrol --reset
/vm/bin/calltree tree 2000 "$TURNS"
/vm/bin/calltree kernel 500 "$TURNS"
until_samples 1000 /vm/bin/call_tree calls_in_many_ways
kill $registered
# on a busy host the daemon may not answer in time
until opcontrol --status > /tmp/status; do :; done
sed -n '/[Ss]tacks/p' /tmp/status
is "status tells how stacks ended" "$(grep -c '^Call stacks: .* complete' /tmp/status)" 1
profile_end

opreport --stacks=folded > /tmp/folded 2> /tmp/opreport.err
awk '{ print $NF, $0 }' /tmp/folded | sort -rn | head -n 20 | cut -c 1-300
cat /tmp/opreport.err

# folded PATTERN: samples of the stacks that match
folded() { awk -v of="$1" '$0 ~ of { n += $NF } END { print n + 0 }' /tmp/folded; }

# Not all have: what a process has mapped the module knows 10 ms later, on a busy host some more.
all=$(folded ';burn(;| )')
at_least "samples of burn()" "$all" 500
at_least "burn() with all its callers, in percent" \
	"$(percent "$(folded '_start;.*main;first;second;third;burn(;| )')" "$all")" 95
all=$(folded ';clear;.*do_syscall_64;')
at_least "samples in a system call" "$all" 50
at_least "a system call with all its callers, in percent" \
	"$(percent "$(folded '_start;.*main;first;second;third;clear;.*do_syscall_64;')" "$all")" 90

# code that a process made, by the tables that it registered
all=$(folded ';made_inner(;| )')
at_least "samples of made code" "$all" 100
at_least "made code with all its callers, in percent" \
	"$(percent "$(folded '_start;.*main;made_outer;made_middle;made_inner(;| )')" "$all")" 90

# whole ones of the workloads, up to where they enter the kernel
ours='first|plain_a|alloca_outer|recurse|interrupted|tail_caller|reads'
sed -E 's/;(entry_SYSCALL|do_syscall|asm_)[^ ]*//' /tmp/folded |
	awk -v ours="_start;.*;main;($ours)[; ]" '$0 ~ ours { n = $NF; sub(/ [0-9]+$/, ""); print n, $0 }' | keep_names stacks

opreport --callgraph image:/vm/bin/calltree > /tmp/calls 2>> /tmp/opreport.err
head -n 30 /tmp/calls
# the callers stand above their function: third() is burn()'s
is "who calls burn()" "$(grep -B 1 -E '^[0-9]+ .* burn$' /tmp/calls | awk 'NR == 1 { print $NF }')" third
