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

# seen_with_irqs_off TIMES: tally while optest keeps CPU 1 with interrupts off, 20 ms at a time
seen_with_irqs_off()
{
	local range
	range=$(awk '$4 != "[optest]" { next }
		$3 == "optest_irqs_off" { from = $1 }
		from && $1 > from && (!to || $1 < to) { to = $1 }
		END { print from, to ? to : "ffffffffffffffff" }' /proc/kallsyms)
	# shellcheck disable=SC2086 # two numbers
	tally $range taskset 2 sh -c \
		"echo '$1 $((20 * TURNS))' > /sys/module/optest/parameters/burn_irqs_off" \
		> /tmp/tally
	cat /tmp/tally; diag < /tmp/tally
	grep . $fs/stats/cpu*/sample_[rtb]* | sed 's/.*stats.//' | diag
}

# through_hotplug TIMES: tally while CPU 1 goes and comes back so often, with work on both CPUs
# until it has, and then some on CPU 1 alone, and in the kernel
through_hotplug()
{
	local cpu1=/sys/devices/system/cpu/cpu1/online
	rm -f /tmp/came
	cat > /tmp/hotplug <<-END
		(for i in $(seq -s ' ' "$1"); do
			echo 0 > $cpu1; usleep 50000
			echo 1 > $cpu1; usleep 50000
		done; echo > /tmp/came) &
		until [ -e /tmp/came ]; do shares-static 100 $TURNS 2; done
		taskset 2 shares-static 600 $TURNS
		dd if=/dev/zero of=/dev/null bs=1M count=500
	END
	tally 0 0 sh /tmp/hotplug > /tmp/tally; cat /tmp/tally; diag < /tmp/tally
	grep . $fs/stats/cpu*/sample_[rt]* | sed 's/.*stats.//' | diag
}

# sessions N: how many of N short ones failed
sessions()
{
	local i=0 failed=0
	while [ $i -lt "$1" ]; do
		tally 0 0 shares-static 10 "$TURNS" > /tmp/output 2>&1 || failed=$((failed + 1))
		i=$((i + 1))
	done
	is "sessions of $1 that failed" $failed 0
}

# --- events in turns ---

time_of() { cat "$fs/$1/$2_ns"; }
share_of_time() { percent "$(time_of "$1" running)" "$(time_of "$1" enabled)"; }
tell_times()
{
	grep . $fs/[0-9]*/enabled_ns $fs/[0-9]*/running_ns | grep -v ':0$' | sed 's/.*profile.//' | diag
}

# scaled N < tally's lines: what counter N would have found all the time, in thousandths of a sample
scaled()
{
	awk -v n="$(samples '' "$1")" -v all="$(time_of "$1" enabled)" -v ran="$(time_of "$1" running)" \
		'BEGIN { printf "%d\n", ran ? n * 1000 * all / ran : 0 }'
}

# scaled_are_right WHAT CYCLES INSTRUCTIONS CYCLES [TOLERANCE]: of three counters in turns; a moment in
# which the host is busy belongs to one of them
scaled_are_right()
{
	local cycles; cycles=$(scaled "$2" < /tmp/tally)
	at_least "$1: samples of cycles" "$(samples '' "$2" < /tmp/tally)" 100
	near "$1: instructions per cycle in percent" \
		"$(percent "$(scaled "$3" < /tmp/tally)" "$cycles")" 80 "${5:-15}"
	near "$1: cycles counted in another turn, in percent" \
		"$(percent "$(scaled "$4" < /tmp/tally)" "$cycles")" 100 "${5:-15}"
}

# --- shares ---

# is_ratio WHAT GOT: instructions per cycle in percent, which the emulated CPUs have at 80.
# On a busy host overflows are found late, two of one counter as one: more of those that come often,
# so that it is more, up to 100 if all are late. pmu-exact asks for it as it is.
is_ratio() { near "$1: instructions per cycle in percent" "$2" 86 10; }

# events_are_in_ratio CYCLES INSTRUCTIONS: of two counters at the same count, in both modes, for which
# of them an overflow is found in is the emulator's affair
events_are_in_ratio()
{
	local cycles instructions
	tally 0 0 shares-static 3000 "$TURNS" 2 > /tmp/tally; cat /tmp/tally; diag < /tmp/tally
	grep . $fs/stats/cpu*/sample_[rt]* | sed 's/.*stats.//' | diag
	cycles=$(samples '' "$1" < /tmp/tally) instructions=$(samples '' "$2" < /tmp/tally)
	at_least "cycles sampled" "$cycles" 300
	is_ratio "both events" "$(percent "$instructions" "$cycles")"
	at_least "share of CPU 1 in percent" "$(percent "$(samples 1 "$1" < /tmp/tally)" "$cycles")" 20
}

# shares_are_right WHAT EVENT: profile the workload of 60, 30 and 10 % by it, with the daemon
shares_are_right()
{
	profile_event "$2" --exact-count
	is "$1 samples" "$(cat $fs/model)" "$1"
	until_samples 6000 /vm/bin/shares-static shares-static 1000 "$TURNS" 2
	profile_end
	symbols image:/vm/bin/shares-static > /tmp/symbols
	near_shares "" < /tmp/symbols
}
