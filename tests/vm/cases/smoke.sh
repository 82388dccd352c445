# shellcheck shell=dash
# seconds: 180
# smoke - load, mount, profile, report and unload, as the README tells a user to

khz() { cat /dev/oprofile/timer/clock_khz; }

opdoctor > /tmp/doctor; cat /tmp/doctor
is "opdoctor finds the module to load" "$(grep -c '^  ok    module  .*not loaded' /tmp/doctor)" 1
is "it has loaded nothing" "$(grep -c '^oprofile ' /proc/modules)" 0
check "opcontrol --init loads and mounts" opcontrol --init
is "opdoctor finds the loaded module" "$(opdoctor | grep -c '^  ok    module  .*loaded; samples')" 1
is "cpu_type" "$(cat /dev/oprofile/cpu_type)" timer
is "pointer_size" "$(cat /dev/oprofile/pointer_size)" 8
at_least "clock in kHz" "$(khz)" 100000
profile_start 1000
is "enable reads 1" "$(cat /dev/oprofile/enable)" 1
until_samples 500 /vm/bin/shares-static shares-static 500 "$TURNS" 2
until_samples 1000 '{kern}/kallsyms' dd if=/dev/zero of=/dev/null bs=1M count=2000
check "opcontrol --status" opcontrol --status
is "--status names the collector" "$(opcontrol --status | grep -ciE 'collector.*module')" 1
check "opcontrol --dump" opcontrol --dump
at_least "samples of the workload after --dump" \
	"$(symbols image:/vm/bin/shares-static | samples_of sixty_percent)" 200
check "opcontrol --stop" opcontrol --stop
is "enable reads 0" "$(cat /dev/oprofile/enable)" 0
profile_end
is "module is unloaded" "$(grep -c '^oprofile ' /proc/modules)" 0
is "nothing is mounted" "$(grep -c /dev/oprofile /proc/mounts)" 0

opreport > /tmp/report 2> /tmp/report.err; cat /tmp/report /tmp/report.err
is "report header tells it was a timer" "$(grep -c '^Profiling through timer interrupt' /tmp/report)" 1
at_least "image summary has the workload" \
	"$(awk '$3 == "shares-static" { print $1 }' /tmp/report)" 500
opreport -l > /tmp/symbols 2>&1; head -n 30 /tmp/symbols
# dd does nothing but clear memory in the kernel: the symbols' names are the kernel's own
at_least "samples in the kernel's clear_user functions" \
	"$(awk '/clear_user|rep_stos|memset|iov_iter_zero/ { sum += $1 } END { print sum + 0 }' /tmp/symbols)" 10
