# shellcheck shell=dash
# seconds: 400
# collectors: module perf
# shortlived - processes, threads and mappings that are gone before anyone can look at them
#
# Every program works in one function of its own, surrounded by code that is never run, at another
# place in each file: a sample booked under the wrong file or offset is seen to be wrong (truth).

bin=/vm/bin
cp /vm/truth /tmp/truth
# alias OLD NEW: a copy under another name has the same truth
alias_of() { awk -v old="$1" -v new="$2" '$1 == old { $1 = new; print }' /vm/truth >> /tmp/truth; }
# shellcheck disable=SC2046 # one word per number
programs() { printf "$bin/v%02d " $(seq "$1" "$2"); }
# shellcheck disable=SC2046
libraries() { printf "$bin/libv%02d.so " $(seq "$1" "$2"); }
ms() { echo $((TURNS * $1)); }

# begins, ends KIND [CPU]: how many timer interrupts the kind's CPU had meanwhile, or all CPUs
timer_interrupts()
{
	awk -v cpu="$1" '$1 == "LOC:" {
		for (i = 2; $i ~ /^[0-9]+$/; i++) if (cpu == "" || i == cpu + 2) sum += $i
	} END { print sum }' /proc/interrupts
}
begins() { began=$(timer_interrupts "${1:-}"); }
ends() { echo "$1 $(($(timer_interrupts "${2:-}") - began))" >> /tmp/interrupts; }
on_cpu0="taskset 1"

profile_start 500

# 2000 processes of 2 ms                                            v00-v09: 4000 ms of work
begins
# shellcheck disable=SC2046
check "2000 short processes" spawn 2000 4 "$(ms 2)" $(programs 0 9)
ends short-processes

# 40 times five programs that become each other                     v10-v14: 2000 ms
begins 0
i=0
while [ $i -lt 40 ]; do
	stack=$(ms 10)
	for p in 11 12 13 14; do stack="$stack $bin/v$p $(ms 10)"; done
	# shellcheck disable=SC2086
	$on_cpu0 $bin/v10 $stack || not_ok "stack of exec"
	i=$((i + 1))
done
ends exec-stacks 0

# four threads that outlive their leader                            threads: 3000 ms
check "threads without a leader" threads "$(ms 300)"

# libraries that come and go                        libv00-04, 05-09, 10-14: 500 ms each
# shellcheck disable=SC2046,SC2086
{
	begins 0
	check "dlopen and dlclose" $on_cpu0 loader dlopen 20 "$(ms 5)" $(libraries 0 4)
	ends dlopen 0
	begins 0
	check "another file at the same address, MAP_FIXED" $on_cpu0 loader fixed 20 "$(ms 5)" \
		$(libraries 5 9)
	ends map-fixed 0
	begins 0
	check "another file at the same address, after munmap" $on_cpu0 loader unmap 20 "$(ms 5)" \
		$(libraries 10 14)
	ends munmap 0
}

# a binary that is deleted while it runs                            deleted-bin: 500 ms
alias_of v15 deleted-bin
cp $bin/v15 /tmp/deleted-bin
begins 0
$on_cpu0 /tmp/deleted-bin "$(ms 500)" & pid=$!
until [ "$(readlink /proc/$pid/exe)" = /tmp/deleted-bin ]; do :; done
rm /tmp/deleted-bin; wait $pid
ends deleted-binary 0

# one that only exists in another mount namespace                   namespace-bin: 500 ms
alias_of v16 namespace-bin
begins 0
$on_cpu0 unshare -m sh -c "mount -t tmpfs none /mnt && cp $bin/v16 /mnt/namespace-bin &&
	/mnt/namespace-bin $(ms 500)" || not_ok "a binary in another mount namespace"
ends other-namespace 0

profile_end

odb-check where "$CURRENT" /tmp/truth > /tmp/where || not_ok "sample files are whole"
odb-check totals "$CURRENT" > /tmp/totals
cp /tmp/where /tmp/totals /tmp/counts "$RESULTS/"
cat /tmp/where; sort -rn /tmp/totals | head -n 40

# of the user samples, how many are where they belong
user=$(grep -v ' {kern}/' /tmp/totals | total)
wrong=$(awk '{ sum += $2 } END { print sum + 0 }' /tmp/where)
nameless=$(grep -E ' anon:' /tmp/totals | grep -vF 'anon:[v' | total)
lost=$(awk '{ for (i = 10; i < NF; i += 2) if ($i ~ /mm|mapping|image/) sum += $(i + 1) }
	END { print sum + 0 }' /tmp/counts)
echo "# user samples $user, wrong $wrong, in no file $nameless, lost under a reason $lost" >&3
is "samples in code that was never run" "$wrong" 0
at_least "percent of the user samples in the right file" \
	"$(percent "$((user - wrong - nameless))" "$((user + lost))")" 99.5

# And no kind of process loses its samples unseen: of the timer interrupts of the CPU that it ran on
# its own functions have at least a MINIMUM of percent. The others hit the kernel and the loader.
# While the machine stands still for the host there are no interrupts.
hot() { awk -v pattern="^($1)\$" '$4 ~ pattern { sum += $1 } END { print sum + 0 }' /tmp/where; }
all=$(hot '.*')
short=$(hot 'v0.')
at_least "samples in the functions that work" "$all" 2000
while read -r what minimum pattern; do
	interrupts=$(awk -v kind="$what" '$1 == kind { print $2 }' /tmp/interrupts)
	at_least "$what: percent of the timer interrupts" \
		"$(percent "$(hot "$pattern")" "$interrupts")" "$minimum"
done <<WORK
short-processes 10 v0.
exec-stacks 20 v1[0-4]
dlopen 20 libv0[0-4].so
map-fixed 20 libv0[5-9].so
munmap 20 libv1[0-4].so
deleted-binary 20 deleted-bin
other-namespace 20 namespace-bin
WORK
for n in 0 1 2 3 4 5 6 7 8 9; do
	near "v0$n: percent of the short processes" "$(percent "$(hot "v0$n")" "$short")" 10 5
done

symbols image:$bin/threads | grep ' thread_' > /tmp/symbols
for n in 1 2 3 4; do
	near "threads: thread_$n in percent" \
		"$(percent "$(samples_of thread_$n < /tmp/symbols)" "$(total < /tmp/symbols)")" ${n}0 6
done
is "opreport counts the samples of v03 as the files do" \
	"$(symbols image:$bin/v03 | samples_of hot_v03)" "$(hot v03)"

# images, and symbols as opreport has them
awk '$4 != "threads" { print $1, $4 }' /tmp/where | keep_names images
symbols | grep -E ' (hot_v|thread_)' | keep_names symbols
