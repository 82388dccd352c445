# shellcheck shell=dash
# models.sh - for cases about what samples: load the module with a model, without opcontrol
#
# Sourced by such a case: . /vm/models.sh

fs=/dev/oprofile
put() { echo "$2" > "$fs/$1"; }
model_is() { grep -q "^$1: chosen\$" $fs/models; }

# load OPTION...: the module, mounted
load()
{
	check "module loads ($*)" insmod /opt/oprofile/module/oprofile.ko "$@"
	mkdir -p $fs
	mount -t oprofilefs none $fs
}
unload() { umount $fs; rmmod oprofile; }

# counter N EVENT UNIT_MASK COUNT [KERNEL USER]
counter()
{
	put "$1/event" "$2"; put "$1/unit_mask" "$3"; put "$1/count" "$4"
	put "$1/kernel" "${5:-1}"; put "$1/user" "${6:-1}"; put "$1/enabled" 1
}
no_counters() { for n in "$fs"/[0-9]*; do put "${n##*/}/enabled" 0; done; }

directories() { set -- $fs/[0-9]*; echo $#; }

# column NAME [CPU [COUNTER]] < tally's lines: the sum
column()
{
	awk -v name="$1" -v cpu="${2:-}" -v counter="${3:-}" '
		(cpu == "" || $2 == cpu) && (counter == "" || $4 == counter) {
			for (i = 5; i < NF; i += 2) if ($i == name) sum += $(i + 1)
		}
		END { print sum + 0 }'
}

# samples [CPU [COUNTER]] < tally's lines: the sum of both modes
samples()
{
	cat > /tmp/lines
	echo $(($(column user "$@" < /tmp/lines) + $(column kernel "$@" < /tmp/lines)))
}

# seen_with_irqs_off: tally while optest keeps CPU 1 with interrupts off, 20 ms at a time
seen_with_irqs_off()
{
	local range
	range=$(awk '$4 != "[optest]" { next }
		$3 == "optest_irqs_off" { from = $1 }
		from && $1 > from && (!to || $1 < to) { to = $1 }
		END { print from, to ? to : "ffffffffffffffff" }' /proc/kallsyms)
	# shellcheck disable=SC2086 # two numbers
	tally $range taskset 2 sh -c \
		"echo '100 $((20 * TURNS))' > /sys/module/optest/parameters/burn_irqs_off" \
		> /tmp/tally
	cat /tmp/tally; diag < /tmp/tally
	grep . $fs/stats/cpu*/sample_[rtb]* | sed 's/.*stats.//' | diag
}

# events_are_in_ratio CYCLES INSTRUCTIONS: of two counters at the same count, which the emulated CPUs
# have at 10 to 8; in both modes, for which of them an overflow is found in is the emulator's affair
events_are_in_ratio()
{
	local cycles instructions
	tally 0 0 shares-static 3000 "$TURNS" 2 > /tmp/tally; cat /tmp/tally; diag < /tmp/tally
	grep . $fs/stats/cpu*/sample_[rt]* | sed 's/.*stats.//' | diag
	cycles=$(samples '' "$1" < /tmp/tally) instructions=$(samples '' "$2" < /tmp/tally)
	at_least "cycles sampled" "$cycles" 500
	near "instructions per cycle in percent" "$(percent "$instructions" "$cycles")" 80 4
	at_least "share of CPU 1 in percent" "$(percent "$(samples 1 "$1" < /tmp/tally)" "$cycles")" 20
}

# shares_are_right WHAT EVENT: profile the workload of 60, 30 and 10 % by it, with the daemon
shares_are_right()
{
	profile_event "$2"
	is "$1 samples" "$(cat $fs/model)" "$1"
	until_samples 3000 /vm/bin/shares-static shares-static 1000 "$TURNS" 2
	profile_end
	symbols image:/vm/bin/shares-static > /tmp/symbols
	all=$(total < /tmp/symbols)
	for share in sixty_percent:60 thirty_percent:30 ten_percent:10; do
		near "${share%:*} in percent" \
			"$(percent "$(samples_of "${share%:*}" < /tmp/symbols)" "$all")" "${share#*:}" 3
	done
}
