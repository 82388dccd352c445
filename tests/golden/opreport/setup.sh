# Sourced by cases: binaries as the profiles in this folder name them, below the root given.
# Their time is what the profiles' headers say.
inputs=$REPO/tests/golden/opreport
built=@1600000000
mkdir -p root

link_quietly() # LD-OPTION...: some versions warn of the plain layout
{
	ld -z noexecstack -T "$inputs/layout.ld" "$@" 2> ld.err || cat ld.err
	rm -f ld.err
}

# What linkers make differs by some bytes; in this all of them have room.
same_size() { truncate -s %8K "$1"; }

make_prog() # FILE [LD-OPTION...]
{
	local file=$1
	shift
	mkdir -p "$(dirname "$file")"
	as -o prog.o "$inputs/prog.s" && link_quietly "$@" -e main -o "$file" prog.o &&
		same_size "$file" && touch -d $built "$file"
	rm -f prog.o
}

make_lib() # FILE [LD-OPTION...]
{
	local file=$1
	shift
	mkdir -p "$(dirname "$file")"
	as -o lib.o "$inputs/lib.s" && link_quietly "$@" -shared -o "$file" lib.o &&
		same_size "$file" && touch -d $built "$file"
	rm -f lib.o
}

session() # PROFILE.txt...: made from texts in this folder
{
	local text
	for text; do "$O/tools/mkprofile" "$inputs/$text" "$SESSION"; done
}

report() { opreport --session-dir="$SESSION" -R root "$@"; }
export OPROFILE_CACHE_DIR=$WORK/cache
