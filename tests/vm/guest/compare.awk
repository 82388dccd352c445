# compare.awk - whether two collectors agree: the same names, and shares that differ by chance only
#
#	awk -v what=TEXT -f compare.awk FILE FILE	"SAMPLES NAME" lines; exit status 1: they differ
#
# A name of which 10 samples are expected in a file has some there; and if TEXT begins with
# "shares", its shares are within 3 sigma of each other. Names with fewer samples are not compared.
# busybox's awk has no roots and no powers.
{
	samples[FILENAME == ARGV[1] ? 1 : 2, substr($0, length($1) + 2)] += $1
	nr[FILENAME == ARGV[1] ? 1 : 2] += $1
	names[substr($0, length($1) + 2)]
}

function compare(name,   first, second, share, apart, variance)
{
	first = samples[1, name]
	second = samples[2, name]
	share = (first + second) / all
	if (share * nr[1] < 10 || share * nr[2] < 10)
		return
	compared++
	apart = first / nr[1] - second / nr[2]
	variance = share * (1 - share) * (1 / nr[1] + 1 / nr[2])
	if (!first || !second || (what ~ /^shares/ && apart * apart > 9 * variance)) {
		bad = 1
		printf "# %s: %d of %d, %d of %d\n", name, first, nr[1], second, nr[2]
	}
}

END {
	all = nr[1] + nr[2]
	for (name in names)
		if (nr[1] && nr[2])
			compare(name)
	bad = bad || !compared
	printf "%s - %s: ", bad ? "not ok" : "ok", what
	printf "%d names, %d and %d samples\n", compared, nr[1], nr[2]
	exit bad
}
