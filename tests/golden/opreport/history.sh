# Sourced by cases: a history of three slices in two segments, 2023-11-14 22:58 to 23:01 UTC, for
# the binaries of setup.sh.
add_slice() # FOLDER BEGIN END [NUMBER...]; the stacks come from the standard input
{
	{ cat << 'EOF'; cat; } > stacks.txt
image p /usr/bin/prog
image w /usr/lib/libwork.so
image k {kern}kallsyms
image j {anon}[heap],12,0x1000,0x8000 /usr/bin/prog
event CPU_CLK_UNHALTED 100000 0
app p
EOF
	"$O/tools/mkstacks" stacks.txt "$SESSION" && "$O/tools/mkhistory" "$SESSION" "$@"
}

make_history()
{
	local first=000001-1700002680 second=000002-1700002800 stats=samples/current/stats
	rm -f "$SESSION/$stats/stacks"
	add_slice $first 1700002680 1700002740 lost.no_mapping=2 << 'EOF'
90 p:0x1010 p:0x1045
10 p:0x1010 p:0x1104 w:0x1003
EOF
	add_slice $first 1700002740 1700002800 << 'EOF'
30 p:0x1010 p:0x1045
60 p:0x1010 p:0x1048 p:0x10c4
7 p:0x1010 p:0x1045 k:0xffffffff81000100
3 p:0x1010 j:0x10
EOF
	rm "$SESSION/$stats/stacks"
	add_slice $second 1700002800 1700002860 filtered=5 not_kept=3 << 'EOF'
50 p:0x1010 p:0x1045
50 p:0x1010 p:0x1048 p:0x10c4
EOF
	for folder in $first $second; do
		mkdir "$SESSION/history/$folder/stats"
		cp "$SESSION/$stats/session" "$SESSION/$stats/kernel-symbols" \
			"$SESSION/history/$folder/stats"
	done
	rm "$SESSION/$stats/stacks"
}
