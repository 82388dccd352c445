# shellcheck shell=dash
# seconds: 100
# bpf - the collector whose stacks a BPF program walks: shares of a workload, and its callers
#
# What the other collectors' cases show of attribution is shared with the perf collector.

COLLECTOR=bpf
profile_start 1000 --callgraph=32
until_samples 3000 /vm/bin/shares-static shares-static 1000 "$TURNS" 2
opcontrol --status > /tmp/status; cat /tmp/status
is "--status names the collector" "$(grep -c "^Collector: $COLLECTOR\$" /tmp/status)" 1
profile_end
symbols image:/vm/bin/shares-static > /tmp/symbols
near_shares "" < /tmp/symbols
opreport --stacks image:/vm/bin/shares-static > /tmp/stacks 2>&1; cat /tmp/stacks
at_least "percent of its stacks that are complete" \
	"$(sed -n 's/^Stacks: \(more than \)*\([0-9.]*\) % complete.*/\2/p' /tmp/stacks)" 99
