#!/bin/bash
# sample-files.t - sample files of the original, read and written again
#
# Both versions of each session whose true contents are known, and the files that must be refused.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

for sessions in sessions sessions099; do
	for session in timer multi cg kern; do
		"$O/tools/sample_files" "$GOLDEN/sessions/$session.tsv" "$GOLDEN/$sessions/$session" \
			"$work/$sessions/$session" "$sessions/$session" || failed=1
	done
done

# Nothing of them may be read, and the message names the rule.
refused() # SESSION-OR-FILE TEXT
{
	local file output
	file=$GOLDEN/$1
	[ ! -d "$file" ] || file=$(find "$file/samples" -type f | head -n 1)
	if output=$("$O/tools/sample_header" "$file" 2>&1); then
		echo "not ok 1 - $1: refused"; failed=1
	elif [[ $output == *"$2"* ]]; then
		echo "ok 1 - $1: refused as '$2'"
	else
		echo "# $output"; echo "not ok 1 - $1: refused as '$2'"; failed=1
	fi
}
for sessions in sessions sessions099; do
	refused $sessions/bad-magic 'not an OProfile sample file'
	refused $sessions/bad-short 'truncated'
done
refused foreign/hot.be 'byte order'
exit $failed
