# shellcheck shell=dash
# seconds: 60
# collectors: module perf
# names - each name of a file has its own samples

bin=/vm/bin

mkdir /tmp/here /tmp/there
cp $bin/v00 /tmp/here/one
ln /tmp/here/one /tmp/here/two
cp $bin/v01 /tmp/here/before
mount --bind /tmp/here /tmp/there
profile_start 200
for name in /tmp/here/one /tmp/here/two /tmp/there/one; do
	until_samples 100 $name $name $((TURNS * 100))
	at_least "$name: samples under the name by which it was mapped" "$(samples_in $name)" 100
done
is "none under a name that nothing was mapped by" "$(samples_in /tmp/there/two)" 0

# renamed while it runs, and another file has its name
/tmp/here/before $((TURNS * 60000)) & pid=$!
until [ "$(samples_in /tmp/here/before)" -ge 50 ]; do opcontrol --dump; done
mv /tmp/here/before /tmp/here/after
cp $bin/v02 /tmp/here/before
had=$(samples_in /tmp/here/before)
until [ "$(samples_in /tmp/here/before)" -ge $((had + 50)) ]; do opcontrol --dump; done
ok "a renamed file continues"
kill $pid; wait $pid
is "and has no samples under another name" "$(samples_in /tmp/here/after)" 0
profile_end
odb-check totals "$CURRENT" | awk '$3 ~ "^/tmp/(here|there)/" { print $1, $3 }' | keep_names files
umount /tmp/there
