#!/bin/bash
# our-sessions.t - what our daemon writes is what the original's tools read, to the last byte
#
# original_rules makes every sample file anew as OProfile 1.x would; that it does is shown by the
# sessions of that version. The daemon's own need root and perf_event_open(2).
set -u
number=0 failed=0
work=$(mktemp -d)
export OPROFILE_DAEMONRC=$work/daemonrc
trap 'opcontrol --shutdown > /dev/null 2>&1; rm -rf "$work"' EXIT

result() # STATUS NAME
{
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number - $2"
	else
		sed 's/^/# /' "$work/out" | tail -n 20
		echo "not ok $number - $2"
		failed=1
	fi
}

for session in timer multi cg kern; do
	"$O/tools/original_rules" "$GOLDEN/sessions/$session" > "$work/out" 2>&1
	result $? "the original's own session $session"
done
for session in sessions099/timer sessions/bad-magic sessions/bad-short; do
	! "$O/tools/original_rules" "$GOLDEN/$session" > "$work/out" 2>&1
	result $? "$session is refused"
done

# A session of a program that computes, calls and forks, with these options.
sample() # OPTION...
{
	rm -rf "$work/session" "$OPROFILE_DAEMONRC"
	opcontrol --session-dir="$work/session" --collector=perf --event=CPU_CLK_UNHALTED:1000000 "$@" --start &&
		"$O/workload/shape" 1 && (for _ in 1 2 3 4 5; do
			find /usr/lib -printf '%s %p\n' | sort | tail -n 1
		done) &&
		opcontrol --dump && "$O/workload/shape" 0.5 && opcontrol --shutdown
}

# As SMP-90 of its format has it for x86-64: names, sizes, places in the header.
abi()
{
	tr ' ' '\n' <<-'END' | sed 's/=/ /' | grep .
	sizeof_double=8 sizeof_u64=8 sizeof_u8=1 sizeof_u32=4 sizeof_int=4 sizeof_unsigned_int=4 sizeof_odb_key_t=8
	sizeof_odb_index_t=4 sizeof_odb_value_t=4 sizeof_odb_node_nr_t=4 sizeof_odb_descr_t=32 sizeof_odb_node_t=16
	sizeof_struct_opd_header=72 offsetof_node_key=0 offsetof_node_value=8 offsetof_node_next=12 offsetof_descr_size=0
	offsetof_descr_current_size=4 offsetof_header_magic=0 offsetof_header_version=4 offsetof_header_cpu_type=8
	offsetof_header_ctr_event=12 offsetof_header_ctr_um=16 offsetof_header_ctr_count=20 offsetof_header_is_kernel=24
	offsetof_header_cpu_speed=32 offsetof_header_mtime=40 offsetof_header_cg_to_is_kernel=48
	offsetof_header_anon_start=56 offsetof_header_cg_to_anon_start=64 little_endian=1
	END
}

all=("default" "--separate=library" "--separate=all" "--callgraph=8 --separate=kernel")
why="needs root"
if [ "$(id -u)" = 0 ]; then why=$("$O/tools/bare_perf") && why=; fi
if [ -n "$why" ]; then
	for options in "${all[@]}" "the abi file"; do
		number=$((number + 1))
		echo "ok $number - our session, $options # SKIP $why"
	done
	exit $failed
fi
for options in "${all[@]}"; do
	# shellcheck disable=SC2086 # several options
	sample ${options#default} > "$work/out" 2>&1 &&
		UNCHANGED=$O/workload/shape "$O/tools/original_rules" "$work/session" >> "$work/out" 2>&1
	result $? "our session, $options"
done
if [ "$(uname -m)" = x86_64 ]; then
	diff <(abi | sort) <(sort "$work/session/abi") > "$work/out" 2>&1
	result $? "the abi file"
fi
exit $failed
