#!/bin/bash
# ophelp.t - ophelp beside the original
#
# The tables are not the original's: names, codes, masks, counters and least counts are the same,
# descriptions are not. So three things are compared, all byte by byte:
#   layout   the original's XML is made a table again, with its own words; from that table ours
#            must print the list and the XML that the original printed
#   facts    from our own tables, the XML without descriptions
#   answers  the other command lines, but for those listed below with the reason
set -u
export OPROFILE_COMPAT=1
# shellcheck source=tests/interop/results.sh
. "$REPO/tests/interop/results.sh"

same() # NAME WANT GOT
{
	cmp -s "$2" "$3" || diff "$2" "$3" | head -n 8 | sed 's/^/# /'
	cmp -s "$2" "$3"
	result $? "$1"
}

# The original's XML as the two files of a table below $3; a default that is a name stands only in
# its list.
xml_to_table() # LIST XML FOLDER
{
	mkdir -p "$3"
	: > "$3/unit_masks"
	awk -v masks="$3/unit_masks" '
	function attribute(key,	text) {
		if (!match($0, " " key "=\"[^\"]*\"")) return ""
		text = substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 4)
		gsub("&quot;", "\"", text); gsub("&lt;", "<", text); gsub("&gt;", ">", text)
		gsub("&amp;", "\\&", text)
		return text
	}
	function counters(mask,	list, c) {
		if (mask == 0) return "cpuid"
		for (c = 0; mask > 0; c++) {
			if (mask % 2) list = list (list == "" ? "" : ",") c
			mask = int(mask / 2)
		}
		return list
	}
	FNR == NR {
		if (/^[A-Z0-9_]+: \(/) name = substr($1, 1, length($1) - 1)
		if (/Unit masks \(default [a-z]/) named[name] = substr($4, 1, length($4) - 1)
		next
	}
	/^<event / {
		nr++
		name = attribute("event_name")
		where = attribute("ext") != "" ? "ext:" attribute("ext") : "counters:" counters(attribute("counter_mask"))
		printf "event:0x%x %s %sminimum:%s name:%s : %s\n", nr, where, /\/>$/ ? "" : "um:m" nr " ",
			attribute("min_count"), attribute("event_name"), attribute("desc")
	}
	/^<unit_masks / {
		printf "name:m%d type:%s default:%s\n", nr, attribute("category"),
			name in named ? named[name] : attribute("default") > masks
	}
	/^<unit_mask / {
		printf "\t%s %s%s\n", attribute("mask"),
			attribute("name") != "" ? "extra: " attribute("name") " " : "", attribute("desc") > masks
	}' "$1" "$2" > "$3/events"
}

# Descriptions, and what stands for the number of counters of the machine it ran on, are left out;
# so is the one event whose unit mask the original has wrong (events/gen/core_2.tsv).
facts() # XML
{
	sed -e '/event_name="L1D_ALL_REF"/,/<\/event>/d' -e 's/ desc="[^"]*"//; s/ counter_mask="[0-9]*"\( min_count\)/\1/' \
		-e '/^<header/,/^"\/>/d' -e 's/schemaversion="[^"]*"//' "$1"
}

check_layout() # TYPE NAME
{
	local cmds=$GOLDEN/cmds/op14/ophelp
	xml_to_table "$cmds/$2.out" "$cmds/$2-xml.out" "$work/$1"
	OPROFILE_EVENTS_DIR=$work ophelp -c "$1" > "$work/list" 2>&1
	same "layout of $1, text" "$cmds/$2.out" "$work/list"
	OPROFILE_EVENTS_DIR=$work ophelp -c "$1" -X > "$work/xml"
	if [ "$1" = arm/armv8-ca57 ]; then	# 0 there: the original asked the machine that it ran on
		sed -i 's/counter_mask="63"/counter_mask="0"/' "$work/xml"
	fi
	same "layout of $1, XML" "$cmds/$2-xml.out" "$work/xml"
}

check_facts() # TYPE NAME
{
	facts "$GOLDEN/cmds/op14/ophelp/$2-xml.out" > "$work/want"
	ophelp -c "$1" -X > "$work/xml"
	facts "$work/xml" | awk '	# 1.x has dropped extended events
		/^<event / { ext = / ext="/ } !ext || /^<\/help/
	' > "$work/got"
	same "facts of $1" "$work/want" "$work/got"
}

# Why an answer may differ, or nothing.
reason() # SET/NAME
{
	case $1 in
	*/list) echo "a machine without counters is a timer, and that is no error" ;;
	op14/timer*) echo "1.x has given up timers" ;;
	op099/arm_*) echo "0.9.9 did not have this CPU" ;;
	esac
}

check_answer() # SET NAME
{
	local base=$GOLDEN/cmds/$1/ophelp/$2 status why
	case $2 in *-u) ;; *_*) return ;; esac	# the lists: layout and facts
	why=$(reason "$1/$2")
	bash -c "$(cat "$base.cmd")" > "$work/got" 2> "$work/err"
	status=$?
	[ $((status != 0)) = $(($(cat "$base.rc") != 0)) ] || echo "status $status" >> "$work/got"
	if [ -n "$why" ] && ! cmp -s "$base.out" "$work/got"; then
		result 0 "$1 $2 (differs as expected: $why)"
	else
		same "$1 $2" "$base.out" "$work/got"
	fi
}

check_layout i386/core_2 i386_core_2
check_layout i386/nehalem i386_nehalem
check_layout i386/p4 i386_p4
check_layout x86-64/family10 x86-64_family10
check_layout arm/armv8-ca57 arm_armv8-ca57
check_facts i386/core_2 i386_core_2
check_facts x86-64/family10 x86-64_family10
for set in op14 op099; do
	for cmd in "$GOLDEN/cmds/$set/ophelp"/*.cmd; do
		name=${cmd##*/}
		check_answer $set "${name%.cmd}"
	done
done
results_end
