# Sourced by cases: a program with debug information that says where its sources are, WORK/src.
# Its time is what the profiles' headers say.
inputs=$REPO/tests/golden/opannotate
built=@1600000000
export OPROFILE_CACHE_DIR=$WORK/cache
mkdir -p src root/usr/bin
cp "$inputs/work.s" "$inputs/part.inc" src
touch -d @1500000000 src/work.s src/part.inc

link_quietly() # LD-OPTION...: some versions warn of the plain layout
{
	ld -z noexecstack -T "$REPO/tests/golden/opreport/layout.ld" "$@" 2> ld.err || cat ld.err
	rm -f ld.err
}

make_work() # FILE [SOURCE [LD-OPTION...]]
{
	local file=$1 source=${2:-work.s}
	shift; shift
	(cd src && as -g -o ../work.o "$source") && link_quietly "$@" -e main -o "$file" work.o &&
		touch -d $built "$file"
	rm -f work.o
}

session() # PROFILE.txt...: made from texts in this folder
{
	local text
	for text; do "$O/tools/mkprofile" "$inputs/$text" "$SESSION"; done
}

annotate() { opannotate --session-dir="$SESSION" -R root "$@"; }

# What is in the output, without the text of the sources.
files() { annotate "$@" | grep -A2 'Total samples' | grep -v '^ \* $' | grep -v '^--'; }
