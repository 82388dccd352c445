# shellcheck shell=dash
# seconds: 300
# modules: oprofile-abi99
# perms - who may do what to oprofilefs, and what happens to nonsense

fs=/dev/oprofile
nobody() { probe as 65534 "$@"; }
mode() { stat -c %a "$1"; }

opcontrol --init

# modes: nothing for others to write, the buffer for root alone
is "mode of buffer" "$(mode $fs/buffer)" 400
is "mode of enable" "$(mode $fs/enable)" 600
is "files others may write" \
	"$(find $fs -type f -perm -002 | tr '\n' ' ')" ""
is "files of statistics that can be written" "$(find $fs/stats -type f -perm +222 | tr '\n' ' ')" ""
is "owner of everything" "$(find $fs ! -user 0 | tr '\n' ' ')" ""

# without root's rights
is "nobody opens buffer" "$(nobody probe open $fs/buffer r)" EACCES
is "nobody starts" "$(nobody probe write $fs/enable 1)" EACCES
is "nobody changes a size" "$(nobody probe write $fs/buffer_size 65536)" EACCES
is "nobody reads the statistics" "$(nobody cat $fs/stats/event_lost_overflow)" 0
chmod 444 $fs/buffer
is "a mode does not make up for the missing capability" "$(nobody probe open $fs/buffer r)" EPERM
chmod 400 $fs/buffer

# one reader; nothing starts without one
is "enable without a reader" "$(probe write $fs/enable 1)" EINVAL
probe hold $fs/buffer > /tmp/held & holder=$!
until [ -s /tmp/held ]; do sleep 0.1; done
is "a second reader" "$(probe open $fs/buffer r)" EBUSY
refused "rmmod while the buffer is open" . rmmod oprofile
refused "umount while the buffer is open" '[Bb]usy' umount $fs
echo 1 > $fs/enable
is "sizes stay while it samples" "$(probe write $fs/buffer_size 65536)" EBUSY
is "so does the CPU buffers' size" "$(probe write $fs/cpu_buffer_size 4096)" EBUSY
is "and the depth" "$(probe write $fs/backtrace_depth 0)" EBUSY
is "and the period" "$(probe write $fs/timer/count "$(cat $fs/timer/count)")" EBUSY
echo 0 > $fs/enable
kill $holder; wait $holder
is "after it is closed another may" "$(probe open $fs/buffer r)" ok
refused "rmmod while mounted" . rmmod oprofile

# writes that are no number, or none that fits, change nothing
# shellcheck disable=SC2044 # no blanks in these names
for file in $(find $fs -maxdepth 2 -type f -perm -200 ! -name dump); do
	old=$(cat "$file")
	for text in garbage -1 '' 1x 0x 99999999999999999999 '1 2' 18446744073709551615 \
		000000000000000000000000000000000000000000000000000000000001; do
		outcome=$(probe write "$file" "$text")
		case $text:$outcome in
		*:EINVAL|*:ERANGE|:ok) ;;
		*) not_ok "'$text' to ${file#"$fs"/}" "$outcome" ;;
		esac
	done
	is "${file#"$fs"/} is what it was after nonsense, and takes it back" \
		"$(cat "$file") $(probe write "$file" "$old") $(cat "$file")" "$old ok $old"
	is "${file#"$fs"/} takes it in hexadecimal" \
		"$(probe write "$file" "$(printf 0x%x "$old")") $(cat "$file")" "ok $old"
done
writable=
# shellcheck disable=SC2044
for file in $(find $fs -type f ! -perm -200); do
	for text in 0 1; do
		[ "$(probe write "$file" $text)" = EINVAL ] || writable="$writable $file"
	done
done
is "read-only files that take a write, even of root's" "$writable" ""
is "a watershed as large as the buffer is refused" \
	"$(echo 4096 > $fs/buffer_size; echo 4096 > $fs/buffer_watershed; probe open $fs/buffer r)" EINVAL
echo 131072 > $fs/buffer_size; echo 32768 > $fs/buffer_watershed
is "a count below the smallest" \
	"$(probe write $fs/timer/count $(($(cat $fs/timer/min_count) - 1)))" EINVAL
is "the smallest count" "$(probe write $fs/timer/count "$(cat $fs/timer/min_count)")" ok

# opcontrol says so in one line
refused "a count below the smallest, by opcontrol" "$(cat $fs/timer/min_count)" \
	opcontrol --event=CPU_CLK_UNHALTED:1 --start
is "and nothing runs then" "$(test -e "$SD/lock" && pidof oprofiled)" ""
refused "an unknown event" NO_SUCH opcontrol --event=NO_SUCH:100000 --start
refused "as nobody" '[Rr]oot|[Pp]ermi' nobody opcontrol --start

# busy as long as a daemon runs
profile_start 1000
refused "rmmod while profiling" . rmmod oprofile
refused "umount while profiling" '[Bb]usy' umount $fs
is "a second reader beside the daemon" "$(probe open $fs/buffer r)" EBUSY
refused "a second daemon" 'another oprofiled' oprofiled --session-dir="$SD" --no-vmlinux \
	--events=CPU_CLK_UNHALTED:0:0:"$(count_for 1000)":0:1:1

# a lease on a sampled file: who waits for it waits until the kernel takes it, after 45 seconds
mkdir -m 777 /tmp/his
probe as 65534 probe lease /tmp/his/code > /tmp/leased & holder=$!
until [ -s /tmp/leased ]; do sleep 0.1; done
until [ "$(samples_in /tmp/his/code)" -ge 100 ]; do opcontrol --dump; done
is "a lease that samples were not kept waiting by" \
	"$(grep -c "LEASE *BREAKING *READ *$holder " /proc/locks)" 1
kill $holder; wait $holder
profile_end
opcontrol --deinit

# a module that speaks another version
insmod /vm/mod/oprofile-abi99.ko
refused "another ABI version" 'version|ABI' opcontrol --event=CPU_CLK_UNHALTED:"$(count_for 1000)" \
	--collector=module --start
umount $fs 2> /dev/null
check "rmmod of the other version" rmmod oprofile
