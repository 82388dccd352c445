# shellcheck shell=dash
# seconds: 300
# collectors: module perf
# modtext - a module that is busy in its own text, unloaded and loaded again at another address; and
# BPF programs, which lie between modules and are not theirs

burn() { echo "$2 $TURNS" > /sys/module/"$1"/parameters/burn; }
place() { awk -v name="$1" '$1 == name { print $6 }' /proc/modules; }

# the module notes the exact text of all modules that are loaded before
if [ "$COLLECTOR" = module ]; then
	insmod /vm/mod/optest.ko
	insmod /vm/mod/optest_other.ko
	opcontrol --init
	probe modules > /tmp/noted; cat /tmp/noted
	awk 'NR == FNR { place[$1] = $6; size[$1] = $2; next }
		$2 == place[$1] && $3 > 0 && $3 < size[$1] { print $1 }' \
		/proc/modules /tmp/noted | sort > /tmp/right
	awk '{ print $1 }' /proc/modules | sort > /tmp/loaded
	check "set-up notes the text of all modules" cmp /tmp/right /tmp/loaded
	opcontrol --deinit
	rmmod optest_other
	rmmod optest
fi
profile_start 500
insmod /vm/mod/optest.ko
first=$(place optest)
until_samples 3000 '{kern}/optest' burn optest 1600
rmmod optest
insmod /vm/mod/optest_other.ko
until_samples 3000 '{kern}/optest_other' burn optest_other 1600
insmod /vm/mod/optest.ko
second=$(place optest)
until_samples 6000 '{kern}/optest' burn optest 1600
bpf=0
echo 1 > /proc/sys/net/core/bpf_jit_enable
echo 1 > /proc/sys/net/core/bpf_jit_kallsyms
bpf 1 || bpf=$?
[ $bpf != 1 ] || not_ok "a BPF program runs"
[ $bpf != 3 ] || echo "# this kernel has no BPF" >&3
if [ $bpf = 0 ]; then
	bpf 1000000000 & runs=$!
	until_samples 2000 '{kern}/bpf_prog_*_busy' sleep 1
	kill -9 $runs; wait $runs
fi
rmmod optest
rmmod optest_other
echo "# optest was at $first, then at $second" >&3
[ "$first" != "$second" ] || not_ok "the module is at another address the second time"
profile_end

opreport > /tmp/report; cat /tmp/report
odb-check totals "$CURRENT" | grep '{kern}' > /tmp/totals; cat /tmp/totals
for module in optest:6000 optest_other:3000; do
	name=${module%:*}
	files=$(awk -v name="{kern}/$name" '$3 == name { sum += $1 } END { print sum + 0 }' /tmp/totals)
	at_least "samples in {kern}/$name" "$files" "${module#*:}"
	symbols "image:$name" > /tmp/symbols; cat /tmp/symbols /tmp/opreport.err
	grep -E '_(seventy|thirty)$' /tmp/symbols | keep_shares "$name"
	all=$(total < /tmp/symbols)
	is "$name: opreport -l shows all of them" "$all" "$files"
	near "$name: ${name}_seventy in percent" \
		"$(percent "$(samples_of "${name}_seventy" < /tmp/symbols)" "$all")" 70 4
	near "$name: ${name}_thirty in percent" \
		"$(percent "$(samples_of "${name}_thirty" < /tmp/symbols)" "$all")" 30 4
done
if [ $bpf = 0 ]; then
	symbols > /tmp/symbols; cat /tmp/symbols /tmp/opreport.err
	near "BPF: its symbol in percent" \
		"$(percent "$(awk '$NF ~ /^bpf_prog_.*_busy$/ { sum += $1 } END { print sum + 0 }' \
			/tmp/symbols)" "$(samples_in '{kern}/bpf_prog_*_busy')")" 100 2
fi
# what opreport without arguments says of the same samples
at_least "image summary has optest" "$(awk '$3 == "optest" { print $1 }' /tmp/report)" 6000
