# shellcheck shell=dash
# lib.sh - what cases are written with: checks that speak TAP, and profiling as a user does it
#
# Sourced before a case. Everything a case prints goes to its log; TAP goes to descriptor 3.
# RESULTS is where a case leaves what is to be seen of it outside. CASE.host is written with the
# same, and finds that there; GUEST is what the machine booted from.
# Set by init: TURNS (turns of a workload in a millisecond), SLOWER (1; more on a debug kernel).

COLLECTOR=${COLLECTOR:-module}
SD=${SD:-/var/lib/oprofile}
CURRENT=$SD/samples/current
SCRATCH=${SCRATCH:-/tmp}
set -u

# --- TAP ---

WHO=${WHO:-}	# begins the name of each check where several collectors have it
ok() { echo "ok - $WHO$1" >&3; echo "== ok: $1"; }
not_ok()
{
	echo "not ok - $WHO$1" >&3; echo "== NOT OK: $1"
	shift
	for line; do echo "# $line" >&3; echo "   $line"; done
}
diag() { sed 's/^/# /' >&3; }
skip() { echo "ok - $WHO$1 # SKIP $2" >&3; echo "== skip: $1: $2"; }

# check WHAT COMMAND...: it must succeed; what it says is shown when it doesn't
check()
{
	local what=$1; shift
	if "$@" > "$SCRATCH/output" 2>&1; then
		ok "$what"
	else
		not_ok "$what" "exit status $? of: $*"
		tail -n 12 "$SCRATCH/output" | diag
	fi
	cat "$SCRATCH/output"
}

# refused WHAT PATTERN COMMAND...: it must fail, with one line that matches PATTERN
refused()
{
	local what=$1 pattern=$2; shift 2
	if "$@" > "$SCRATCH/output" 2>&1; then
		not_ok "$what" "succeeded: $*"
	elif [ "$(wc -l < "$SCRATCH/output")" != 1 ] || ! grep -qE "$pattern" "$SCRATCH/output"; then
		not_ok "$what" "expected one line that matches '$pattern', got:"
		head -n 5 "$SCRATCH/output" | diag
	else
		ok "$what"
	fi
	cat "$SCRATCH/output"
}

# is WHAT GOT WANTED
is()
{
	if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "expected '$3', got '$2'"; fi
}

# at_least WHAT GOT MINIMUM    (at_most, near: numbers may have a fraction)
at_least() { number_test "$1" "$2" "$2 >= $3"; }
at_most() { number_test "$1" "$2" "$2 <= $3"; }
# near WHAT GOT WANTED TOLERANCE
near() { number_test "$1 (expected $3 +- $4)" "$2" "($2) - ($3) <= $4 && ($3) - ($2) <= $4"; }
number_test()
{
	if [ -n "$2" ] && awk "BEGIN { exit !($3) }"; then ok "$1: $2"; else not_ok "$1: $2" "expected $3"; fi
}

# --- profiling ---

# count_for MICROSECONDS: the event count that samples so often at the nominal clock
count_for()
{
	if [ -r /dev/oprofile/timer/clock_khz ]; then
		awk -v us="$1" '{ printf "%d\n", us * $1 / 1000 }' /dev/oprofile/timer/clock_khz
	else
		awk -v us="$1" '$1 == "cpu" && $2 == "MHz" { printf "%d\n", us * $4; exit }' /proc/cpuinfo
	fi
}

# profile_event EVENT [OPTION...]: everything set up, sampling by EVENT
profile_event()
{
	local event=$1; shift
	[ "$COLLECTOR" != module ] || opcontrol --init || not_ok "opcontrol --init"
	check "opcontrol --start ($COLLECTOR, $event${*:+ }$*)" opcontrol --collector="$COLLECTOR" \
		--event="$event" "$@" --start
}

# profile_start MICROSECONDS [OPTION...]: the same by time, whatever it costs
profile_start()
{
	local us=$1; shift
	profile_event "CPU_CLK_UNHALTED:$(count_for "$us")" --exact-count "$@"
}

daemon_pid() { head -n 1 "$SD/lock"; }

# runs PID: it has not ended, and still has files open
runs() { grep -q '^State:.[^XZ]' "/proc/$1/status" 2> /dev/null; }

# profile_end: daemon gone, module unloaded, every sample accounted for
profile_end()
{
	check "opcontrol --shutdown" opcontrol --shutdown
	books_balance
	opcontrol --deinit
}

# Per CPU, received = recorded + filtered + lost; and the sample files hold what was recorded.
books_balance()
{
	odb-check counts "$CURRENT/stats" > /tmp/counts
	cat /tmp/counts
	awk '
		{ sum = $5 + $7; for (i = 10; i < NF; i += 2) sum += $(i + 1) }
		sum != $3 { print "# " $0 ": sum " sum; bad = 1 }
		END { exit bad || !NR }' /tmp/counts >&3
	is "received = recorded + filtered + lost on every CPU" $? 0
	is "the sample files hold what was recorded" \
		"$(odb-check check "$CURRENT" | awk '{ print $2 }')" \
		"$(awk '{ sum += $5 } END { printf "%.0f\n", sum }' /tmp/counts)"
}

# samples_in IMAGE: what the sample files hold of it ({kern}/NAME for a kernel module); a * is any text
samples_in()
{
	odb-check totals "$CURRENT" | awk -v image="$1" '
		BEGIN { if (split(image, part, "*") < 2) part[1] = "" }
		$3 == image { print; next }
		part[1] != "" && index($3, part[1]) == 1 &&
			substr($3, length($3) - length(part[2]) + 1) == part[2]' | total
}

# until_samples N IMAGE COMMAND...: run it again and again until so many samples of IMAGE are there.
# How many that are a second depends on how busy the host is: never ask for a rate.
until_samples()
{
	local wanted=$1 image=$2; shift 2
	while :; do
		"$@"
		opcontrol --dump || return 1
		[ "$(samples_in "$image")" -lt "$wanted" ] || return 0
	done
}

# symbols IMAGE_SPEC...: "SAMPLES SYMBOL" lines of opreport -l
symbols()
{
	opreport --session-dir="$SD" -l -n --no-inline "$@" 2> "$SCRATCH/opreport.err" | awk '$1 ~ /^[0-9]+$/ { print $1, $NF }'
}

# keep_shares WHAT, keep_names WHAT < "SAMPLES NAME" lines: what all collectors must agree on. Shares
# only of what takes turns so often that a slow moment of the host belongs to no one alone, which
# the start of a program does not.
keep_names() { mkdir -p "$RESULTS/$COLLECTOR"; cat > "$RESULTS/$COLLECTOR/${2:-names of }$1"; }
keep_shares() { keep_names "$1" "shares of "; }

# samples_of SYMBOL < symbols' output
samples_of() { awk -v name="$1" '$2 == name { sum += $1 } END { printf "%.0f\n", sum }'; }
total() { awk '{ sum += $1 } END { printf "%.0f\n", sum }'; }
percent() { awk "BEGIN { printf \"%.2f\", $2 ? 100 * $1 / $2 : 0 }"; }

# near_shares WHAT < symbols' output: of all in there, those of the workload's functions
near_shares()
{
	local all share
	cat > "$SCRATCH/shares"
	all=$(total < "$SCRATCH/shares")
	for share in sixty_percent:60 thirty_percent:30 ten_percent:10; do
		near "$1${share%:*} in percent" \
			"$(percent "$(samples_of "${share%:*}" < "$SCRATCH/shares")" "$all")" "${share#*:}" 3
	done
}

# no_leaks: what kmemleak says after two scans, where there is a kmemleak
no_leaks()
{
	local leaks=/sys/kernel/debug/kmemleak
	[ -w $leaks ] || return 0
	echo scan > $leaks; sleep 1; echo scan > $leaks
	is "kmemleak finds nothing" "$(grep -c '^unreferenced' $leaks)" 0
	head -n 40 $leaks
}
