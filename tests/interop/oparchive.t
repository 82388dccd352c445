#!/bin/bash
# oparchive.t - oparchive beside the original, on the original's own sessions
#
# Every recorded list of oparchive 0.9.9 and 1.x must be the same in compatibility mode, and the archive
# must have the files that the original's has, at the same places, and opreport must say the same of it
# where nothing else is. Left out of the lists on both sides are debug files found by build-id if this
# machine does not have what the recording one had.
set -u
export OPROFILE_COMPAT=1
# shellcheck source=tests/interop/results.sh
. "$REPO/tests/interop/results.sh"

# Their names are the rest of a build-id.
without_debug_files()
{
	if [ -d /usr/lib/debug/.build-id/93 ]; then cat "$1"; else grep -Ev '/[0-9a-f]{38}\.debug$' "$1"; fi
}

same_files() # NAME WANT GOT
{
	diff <(without_debug_files "$2") <(without_debug_files "$3") | sed 's/^/# /'
	[ "${PIPESTATUS[0]}" = 0 ]
	result $? "$1"
}

list() # NAME BASE COMMAND
{
	(cd "$GOLDEN" && bash -c "$3") > "$work/list" 2> "$work/err"
	[ $(($? != 0)) = $(($(cat "$2.rc") != 0)) ] || echo "another status" >> "$work/list"
	same_files "$1" "$2.out" "$work/list"
}

# 0.9.9 leaves the session where it was; 1.x puts it where we do.
tree() # NAME RECORDED-FILES SESSION-DIR
{
	local session_dir=${3#/}
	sed "s|^\./$session_dir/|./var/lib/oprofile/|" "$2" | sort > "$work/want"
	oparchive --session-dir="$3" -o "$work/archive" 2> "$work/err"
	(cd "$work/archive" && find . -type f ! -name manifest.sha256 | sort) > "$work/files"
	same_files "$1" "$work/want" "$work/files"
	(cd "$work/archive" && sha256sum --quiet --strict -c manifest.sha256)
	result $? "$1: checksums"
	read_back "$1" "$3"
	rm -rf "$work/archive"
}

# With nothing where binaries, debug files and session were.
read_back() # NAME SESSION-DIR
{
	number=$((number + 1))
	if ! unshare -m true 2> /dev/null; then
		echo "ok $number - $1: read elsewhere # SKIP needs root"
		return
	fi
	number=$((number - 1))
	opreport -l --session-dir="$2" event:CPU_CLK_UNHALTED,TIMER > "$work/want" 2> /dev/null
	# shellcheck disable=SC2016 # the inner shell's
	unshare -m bash -c 'mount -t tmpfs none "$GOLDEN" || exit
		[ ! -d /usr/lib/debug ] || mount -t tmpfs none /usr/lib/debug || exit
		exec opreport -l archive:"$1" event:CPU_CLK_UNHALTED,TIMER' \
		- "$work/archive" > "$work/out" 2> "$work/err"
	[ -s "$work/want" ] && diff "$work/want" "$work/out" > "$work/diff"
	local status=$?
	[ $status = 0 ] || head -n 8 "$work/diff" | sed 's/^/# /'
	result $status "$1: read elsewhere"
}

for cmd in "$GOLDEN"/cmds/op*/*/*.cmd; do
	command=$(cat "$cmd")
	base=${cmd%.cmd}
	name=${base#"$GOLDEN"/cmds/}
	[[ "$command" == oparchive* && "$command" != *--help* ]] || continue	# help is ours
	list "$name" "$base" "$command"
	files=${base%/*}/archive-files.txt
	dir=$(sed -n 's/.*--session-dir=\([^ ]*\).*/\1/p' "$cmd")
	if [ -f "$files" ]; then tree "$name: files" "$files" "$dir"; fi
done
results_end
