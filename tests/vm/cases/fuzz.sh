# shellcheck shell=dash
# seconds: 60
# fuzz - all files and ioctls of the module with random and boundary values, while it samples
#
# For LASTING seconds (20), with what follows from SEED (1): see tests/vm/fuzz.c. Afterwards the
# module unloads, and profiles as if nothing had been.

module=/opt/oprofile/module/oprofile.ko
# where the kernel can let single allocations fail (the debug kernel), most without a word about it
if [ -d /sys/kernel/debug/failslab ]; then
	touch "$RESULTS/failing"		# see run-case
	echo 0 > /sys/kernel/debug/failslab/verbose
	echo N > /sys/kernel/debug/failslab/ignore-gfp-wait
	echo 0 > /sys/kernel/debug/fail_usercopy/verbose
fi
# many wait for one, and a busy host gives it little time
hung=/proc/sys/kernel/hung_task_timeout_secs
[ ! -w $hung ] || echo 600 > $hung
opcontrol --init
echo "# seed ${SEED:=1}" >&3
fuzz "${LASTING:-20}" "$SEED" $module > /tmp/attempts
is "exit status of fuzz" $? 0
sed 's/^/attempts and successes: /' /tmp/attempts | diag
is "what a stranger could do" "$(grep ^forbidden /tmp/attempts | sort -u | tr '\n' ' ')" ""

# those that its processes began may outlive them for a moment
while pidof fuzz; do usleep 10000; done
[ ! -w $hung ] || echo 30 > $hung
for place in /dev/oprofile /mnt /tmp/place; do while umount $place; do :; done; done
[ ! -d /sys/module/oprofile ] || check "the module unloads" rmmod oprofile
profile_start 5000 --callgraph=16 --no-vmlinux
until_samples 100 /vm/bin/shares-static shares-static 100 "$TURNS"
profile_end
no_leaks
