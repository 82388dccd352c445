#!/bin/bash
# opimport.t - sample files of other machines, converted as the original did
#
# Byte by byte, and the original's report of the result in a session is ours.
set -u
export OPROFILE_COMPAT=1
# shellcheck source=tests/interop/results.sh
. "$REPO/tests/interop/results.sh"

for abi in "$GOLDEN"/foreign/*.abi; do
	name=${abi##*/}
	name=${name%.abi}
	opimport -a "$abi" -o "$work/$name" "$GOLDEN/foreign/hot.$name"
	cmp "$work/$name" "$GOLDEN/foreign/hot.$name.native"
	result $? "$name: converted"
	cp -r "$GOLDEN/foreign/s-$name" "$work/session"
	find "$work/session" -type f -exec cp "$work/$name" {} \;
	opreport --session-dir="$work/session" -l > "$work/out" 2> "$work/err"
	diff "$GOLDEN/foreign/s-$name.symbols.out" "$work/out" | sed 's/^/# /'
	cmp -s "$GOLDEN/foreign/s-$name.symbols.out" "$work/out"
	result $? "$name: report"
	rm -rf "$work/session"
done
results_end
