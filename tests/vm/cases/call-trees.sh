# shellcheck shell=dash
# seconds: 240
# programs: call_tree call_tree-fp call_tree-static call_tree-static-pie exceptions calls-go
# call-trees - stacks as the module takes them by tables, of programs that call in every way
#
# Without the daemon: stacks reads the buffer. Every possible stack of a mode is written down here,
# innermost first, libraries and the vdso as "?", the kernel's part left out, neighbours that are
# alike as one. A stack is right if it is the end of one of them, for a sample may lie in any of its
# functions. The same as tests/unit/daemon/collect/perf/call_trees.c asks of the other collector.

# shellcheck source=tests/vm/guest/models.sh
. /vm/models.sh

# judge END TIMES LINES: of the stacks in /tmp/stacks those that are not whole, and then how many there
# are, whole ones and wrong ones. END is how whole ones end, and TIMES, if not 0, how often recurse()
# is in those that spin.
judge()
{
	awk -v wanted_end="$1" -v times="$2" -v alternatives="$3" '
	BEGIN {
		nr_lines = split(alternatives, lines, "|")
		n = split("main spin plain_a plain_b plain_c large alloca_inner alloca_outer " \
			"recurse on_signal interrupted compare sorts tail_first tail_last " \
			"tail_caller reads asks_time thread_inner thread_outer count_frame " \
			"throws told_asm untold_asm calls_asm maps_and_unmaps forged forges " \
			"undo thrower passes catches rethrows catches_again", names, " ")
		for (i = 1; i <= n; i++) ours[names[i]]
	}
	function right(line, i, whole) {
		for (i = 1; i <= nr_lines; i++) {
			whole = " " lines[i]
			if (substr(whole, length(whole) - length(line) + 1) == line) return 1
		}
		return 0
	}
	$1 ~ /^[0-9]+$/ {
		n = split($3, frames, ";")
		line = before = ""
		repeated = 0
		for (i = 1; i <= n; i++) {
			name = frames[i]
			if (name == "[k]") continue
			sub(/\..*/, "", name)	# x.cold is a part of x
			if (!(name in ours)) name = "?"
			repeated += name == "recurse"
			if (name != before) line = line " " name
			before = name
		}
		if (line == "") next
		all += $1
		if ($2 != wanted_end) { print "not whole: " $0; next }
		# callers in the kernel take from the depth
		if (times && frames[1] == "spin" && repeated != times) line = line " " repeated " times"
		if (right(line)) whole += $1
		else if (line != " ? main ?") {	# which is true of them all, while they start
			wrong += $1
			print "wrong: " $0
		}
	}
	END { print all + 0, whole + 0, wrong + 0 }' /tmp/stacks
}

# known PROGRAM LEAST MOST MODE END TIMES LINES: at least LEAST percent are whole, at most MOST wrong,
# of NR or more
NR=200
known()
{
	local all whole wrong
	stacks -t -n $((NR * 11 / 10)) 100 "/vm/bin/$1" "$4" > /tmp/stacks 2>&1
	echo "== $*"; sort -rn /tmp/stacks | head -n 12 | cut -c 1-300
	judge "$5" "$6" "$7" > /tmp/judged
	grep -E '^(not whole|wrong)' /tmp/judged | cut -c 1-300 | diag
	read -r all whole wrong <<-END
		$(tail -n 1 /tmp/judged)
	END
	at_least "$1 $4: stacks" "$all" $NR
	at_least "$1 $4: whole, in percent" "$(percent "$whole" "$all")" "$2"
	at_most "$1 $4: wrong, in percent" "$(percent "$wrong" "$all")" "$3"
}

# is_its_own PROGRAM MODE: what may differ from the same in call_tree, all of which is asked for
is_its_own()
{
	case $1/$2 in
	call_tree/*|*/plain|*/signal) ;;
	*-fp/alloca|*-fp/recursion|*-fp/tail) ;;
	*-static/syscall|*-static/vdso|*-static/unwinder|*-static*/thread) ;;
	*) return 1 ;;
	esac
}

# go_is_right WHAT: the stacks of both goroutines of calls-go
go_is_right()
{
	local all right
	all=$(awk '$3 ~ /^main.spin/ { n += $1 } END { print n + 0 }' /tmp/stacks)
	at_least "$1: stacks" "$all" 200
	for stack in 'main.main;runtime.main' 'main.worker;main.main.func1'; do
		right=$(awk -v of="^main.spin;main.inner;main.outer;$stack;runtime.goexit" \
			'$2 ~ /^complete/ && $3 ~ of { n += $1 } END { print n + 0 }' /tmp/stacks)
		at_least "$1: by $stack" "$right" 20
		all=$((all - right))
	done
	at_most "$1: others" "$all" 2
}

load model=timer
put timer/count "$(count_for 500)"
for program in call_tree call_tree-fp call_tree-static call_tree-static-pie; do
	while read -r mode end times lines; do
		is_its_own $program "$mode" || continue
		known $program 99 0 "$mode" "$end" "$times" "$lines" < /dev/null
	done <<-MODES
		plain complete 0 spin plain_c plain_b plain_a main ?
		large complete 0 spin plain_c large main ?
		alloca complete 0 spin alloca_inner alloca_outer main ?|? alloca_inner alloca_outer main ?
		recursion complete 31 spin recurse main ?
		deep truncated 100 spin recurse
		signal complete 0 spin on_signal ? interrupted main ?|? interrupted main ?
		callback complete 0 spin compare ? sorts main ?
		tail complete 0 spin tail_last tail_caller main ?|tail_first tail_caller main ?
		syscall complete 0 ? reads main ?
		vdso complete 0 ? asks_time main ?
		thread complete 0 spin thread_inner thread_outer ?|? main ?
		unwinder complete 0 count_frame ? throws main ?
		asm complete 0 told_asm calls_asm main ?
	MODES
	# by frame pointers, which a prologue does not have yet
	[ $program = call_tree-static-pie ] || known $program 95 5 \
		untold-asm complete+fp 0 'untold_asm calls_asm main ?'
done
for program in call_tree call_tree-fp; do
	known $program 99 0 mapper complete 0 \
		'spin plain_c plain_b plain_a main ?|? maps_and_unmaps ?'
	known $program 0 0 forge complete 0 'forged forges main ?|forged'
	bad=$(awk '$2 ~ /^bad-frame/ { n += $1 } END { print n + 0 }' /tmp/stacks)
	at_least "$program forge: that cannot be, in percent" "$(percent "$bad" $NR)" 15
done

# While an exception is thrown, some instructions have no way out, or a wrong one ([UT-17]): many
# stacks, or chance decides. One in 100 to 800 here, more than on a real CPU: the emulator looks
# for interrupts between blocks of code, which are short there.
NR=2000
put timer/count "$(count_for 200)"
passed() { echo "spin thrower passes $1|? thrower passes $1|spin undo passes $1|? passes $1"; }
if [ -x /vm/bin/exceptions ]; then
	outer='catches main ?'
	known exceptions 98 0.2 exception complete 0 "$(passed "$outer")|spin $outer|? $outer"
	outer='rethrows catches_again main ?'
	known exceptions 98 0.2 rethrown complete 0 \
		"$(passed "$outer")|spin $outer|? $outer|? catches_again main ?"
else
	skip "exceptions" "no C++ compiler was there when this was built"
fi

# Two goroutines, on stacks of Go's own, by frame pointers and by its .debug_frame.
put timer/count "$(count_for 500)"
if [ -x /vm/bin/calls-go ]; then
	for how in '' -t; do
		# shellcheck disable=SC2086 # an option, or none
		stacks $how -n 400 100 /vm/bin/calls-go > /tmp/stacks 2>&1
		echo "== calls-go $how"; sort -rn /tmp/stacks | head -n 12 | cut -c 1-300
		go_is_right "a Go program${how:+ by tables}"
	done
else
	skip "a Go program" "no Go compiler was to be had when this was built"
fi
unload
