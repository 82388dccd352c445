# shellcheck shell=dash
# seconds: 140
# programs: calltree32 calltree32-fp
# stacks - stacks as the module takes them, against programs whose callers are known
#
# Without the daemon: stacks reads the buffer, and prints "COUNT END FRAME;FRAME...".

# shellcheck source=tests/vm/guest/models.sh
. /vm/models.sh

# take PROGRAM HOW MS DEPTH [OPTION [OPTION]]
take()
{
	# shellcheck disable=SC2086 # options, or none
	stacks ${5:-} ${6:-} "$4" "/vm/bin/$1" "$2" "$3" "$TURNS" > /tmp/stacks 2>&1
	echo "== $*"; sort -rn /tmp/stacks | head -n 30 | cut -c 1-400
	is "$model $1 $2: words that are none" "$(sed -n 's/.* bad //p' /tmp/stacks)" 0
}

# matching PATTERN < lines: how many stacks
matching() { awk -v of="$1" '$1 ~ /^[0-9]+$/ && $0 ~ of { n += $1 } END { print n + 0 }' /tmp/stacks; }

# depths PATTERN: how many frames stacks have that match it, each number once
depths()
{
	awk -v of="$1" '$1 ~ /^[0-9]+$/ && $0 ~ of { n[split($3, frames, ";")] }
		END { for (i in n) print i }' /tmp/stacks
}

# are WHAT OF PATTERN: of stacks matching OF at least 99 % match PATTERN, too; of a few all but one,
# for any may be hit where a frame is just being made
are()
{
	local all; all=$(matching "$2")
	at_least "$model $1: samples" "$all" 20
	at_most "$model $1: others than these, of $all" $((all - $(matching "$3"))) \
		$((all < 100 ? 1 : all / 100))
}

# of all CPUs, since the module is there
aborted() { cat $fs/stats/cpu*/backtrace_aborted | awk '{ n += $1 } END { print n + 0 }'; }

burn=' burn(;|$)'
tree='burn;third;second;first;main;'
models='timer nmi-ipi' entry=do_syscall_64
[ "$SLOWER" = 1 ] || models=nmi-ipi
[ "$(uname -m)" = x86_64 ] || { models=timer; entry=el0_svc; }
for model in $models; do
	load model="$model"
	put timer/count "$(count_for 1000)"
	# for 256 stacks of 1024 callers on a CPU, whenever the host lets somebody empty it
	put cpu_buffer_size 131072
	put buffer_size 2097152

	take calltree-fp tree 200 64
	are "by frame pointers burn() is called by" "$burn" "fp $tree"
	take calltree-fp kernel 200 64 -k
	are "the kernel is entered by" "$entry;.*;clear;" \
		"$entry;.*;clear;third;second;first;main;"
	at_least "$model: with callers in the kernel" "$(matching "vfs_read;.*;$entry;.*;clear;third;")" 20
	take calltree-fp deep 300 1024
	are "deep stacks are cut" "$burn" ' truncated.fp burn(;deeper)+$'
	is "$model: frames of stacks that are cut, of user code and of the kernel" \
		"$(depths ' truncated.fp (.k.;)*burn;')" 1025
	take calltree-fp forge 100 64
	at_least "$model: forged: samples" "$(matching .)" 20
	at_least "$model: forged: callers that are not code" "$(matching ' bad-frame[^ ]* burn_with$')" 1
	is "$model: forged: frames that are not" "$(matching 'burn_with;.*[?]')" 0
	broken=$(matching ' (no-table|no-maps|bad-frame|unreadable)')
	at_least "$model: stacks that broke off, of which $broken were just told, are counted" \
		"$(aborted)" "$broken"

	take calltree signal 400 64 -t
	# those marked may go by frame pointers through the kernel's or the library's part of it
	are "a signal was raised by" ' complete burn;' \
		' complete burn;handler;[^;]*;raise_signal;third;second;first;main;.*_start'
	take calltree mapper 300 64 -t
	are "while mappings come and go, by tables burn() is called by" "$burn" " complete $tree.*_start"
	take calltree forge 100 64 -t
	is "$model: forged, by tables: frames that are not" "$(matching 'burn_with;.*[?]')" 0

	# What a new process has mapped the module does not know at once, and says so: its stack ends
	# there, or was found by frame pointers [FS-62]. This program has none, so that its caller's
	# on arm64 lead past burn()'s callers. How many are found so depends on the host.
	take calltree storm 300 64 -t -a
	all=$(matching "$burn") unknown=$(matching ' (no-(maps|user)[^ ]*|complete[+]fp) burn')
	echo "# $model: of $all samples of a storm, not known yet: $unknown" >&3
	awk '$3 ~ /^burn/ { print "# " $2, $3, $1 }' /tmp/stacks | cut -c 1-150 | sort | head -n 20 >&3
	at_least "$model: storm: samples whose mappings were known" $((all - unknown)) 200
	at_least "$model: storm: whole ones in percent" \
		"$(percent "$(matching " complete burn;third;second;first;(storm;)?main;.*_start$")" \
		$((all - unknown)))" 99
	is "$model: storm: wrong ones" "$(awk '$2 == "complete" && $3 ~ /^burn/ &&
		$3 !~ /^burn;third;second;first;(storm;)?main;.*_start$/' /tmp/stacks)" ""
	at_least "$model: storm: forked children" "$(matching ' complete burn;.*first;storm;main')" 50
	at_least "$model: storm: and those that exec" "$(matching ' complete burn;.*first;main')" 50
	# 32-bit programs, which few kernels do not run
	if [ ! -x /vm/bin/calltree32 ]; then
		skip "$model: 32-bit programs" "the compiler that built this makes none"
	elif ! /vm/bin/calltree32 plain 1 1 2> /dev/null; then
		skip "$model: 32-bit programs" "this kernel runs none (CONFIG_IA32_EMULATION)"
	else
		plain='spin;plain_c;plain_b;plain_a;main;_start$'
		take calltree32-fp plain 200 64
		are "of 32 bits, by frame pointers spin() is called by" ' spin(;|$)' \
			" complete.fp $plain"
		take calltree32 plain 200 64 -t
		are "of 32 bits, by tables spin() is called by" ' spin(;|$)' " complete $plain"
		for how in signal oldsignal; do
			take calltree32 $how 300 64 -t
			are "of 32 bits, a handler ($how) interrupted" ' spin(;|$)' \
				' complete spin;on_signal;[^;]*;interrupted;main;_start$'
		done
		take calltree32 syscall 3000 64 -t
		# In the kernel's first instructions the unwinder knows the stack pointer only, and main()
		# needs another register to find its caller. Emulators interrupt there more often.
		are "of 32 bits, the kernel is entered by" ';reads(;|$)' \
			' (complete .*;reads;main;_start|no-table [^;]*;reads;main)$'
		at_most "$model: of 32 bits, at the first instructions, in percent" \
			"$(percent "$(matching ' no-table .k.;reads;main$')" "$(matching ';reads(;|$)')")" 10
	fi
	unload
done

# what is no table is not taken, and changes nothing
load model=timer
put backtrace_depth 64
probe push > /tmp/pushed
sort /tmp/pushed | uniq -c
is "pushes that were taken, and others" \
	"$(grep -v '^bent' /tmp/pushed | sed 's/ /:/' | tr '\n' ' ')" "nothing-shared:ENOENT taken:ok \
shared:ok both:EINVAL unknown-cookie:ENOENT no-cookie:ENOENT short:EINVAL tiny:EINVAL long:EINVAL \
too-much:ENOSPC endless:EINVAL unmapped:EFAULT kernel's:EFAULT taken-away:ok nothing-there:ok "
at_least "bent tables that were not taken" "$(grep -c '^bent EINVAL' /tmp/pushed)" 20
is "refused ones are counted" "$(cat $fs/unwind/refused)" "$(grep -c -v ' ok$' /tmp/pushed)"
is "tables that stay, KiB in use" "$(cat $fs/unwind/tables $fs/unwind/used | tr '\n' ' ')" "0 0 "
put unwind/memory 0
is "with no memory for tables" "$(probe push | sed -n 's/^taken //p')" ENOSPC
unload
