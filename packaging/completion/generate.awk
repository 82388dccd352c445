# generate.awk - read the help of a program, write its completion for a shell

# "  -x, --name=arg   description", or "[=arg]"; the description may go on in lines below
/^  (-.,|   ) --[a-z0-9]/ {
	letter = substr($0, 3, 1) == "-" ? substr($0, 4, 1) : ""
	text = substr($0, 9)
	match(text, /^[a-z0-9-]+/)
	word = substr(text, 1, RLENGTH)
	text = substr(text, RLENGTH + 1)
	optional = substr(text, 1, 1) == "["
	arg = ""
	if (match(text, /^\[?=[^ ]*/)) {
		arg = substr(text, 1, RLENGTH)
		text = substr(text, RLENGTH + 1)
		sub(/^\[?=/, "", arg)
		if (optional)
			sub(/\]$/, "", arg)
	}
	sub(/^ +/, "", text)
	nr++
	letters[nr] = letter
	words[nr] = word
	args[nr] = arg
	optionals[nr] = optional
	texts[nr] = text
	next
}

/^            +[^ ]/ && nr {
	sub(/^ +/, "")
	texts[nr] = texts[nr] (texts[nr] == "" ? "" : " ") $0
	next
}

NR <= 3 && /^(Usage:|      ) / { usage = usage $0 }

# What an option's value is: "none" for a switch, "choice", "files", or a KIND of values.
function kind_of(i)
{
	if (args[i] == "")
		return "none"
	if (words[i] ~ /^events?$/)
		return "events"
	if (words[i] == "cpu-type")
		return "cpu-types"
	if (words[i] == "session")
		return "sessions"
	if (words[i] ~ /^(in|ex)clude-symbols$/)
		return "symbols"
	if (args[i] ~ /^[a-z0-9-]+(\|[a-z0-9-]+)+$/)
		return "choice"
	if (tolower(args[i]) ~ /^(file|path|dir|folder)/)
		return "files"
	return "any"
}

# Inside single quotes of bash and zsh, and of fish.
function quoted(text)
{
	if (shell == "fish")
		gsub(/\\/, "\\\\", text)
	gsub(/'/, shell == "fish" ? "\\'" : "'\\''", text)
	return "'" text "'"
}

function is_plain(letter) { return letter ~ /^[A-Za-z0-9]$/ }

# The value of --session-dir is passed on.
function write_bash(    i, kind)
{
	printf "# bash completion for %s, generated from its options\n", name
	printf "_oprofile_values() { sh -c %s sh \"$@\"; }\n", quoted(values)
	print "_oprofile_" name "()"
	print "{"
	print "\tlocal line=${COMP_LINE:0:COMP_POINT} cur prev='' kind='' value prefix='' dir='' choices=''"
	print "\tlocal word words cut=''"
	print "\tlocal -a before\n\tCOMPREPLY=()"
	print "\tcur=${line##*[[:space:]]}"
	print "\tread -ra before <<< \"${line%\"$cur\"}\""
	print "\t[ ${#before[@]} -lt 2 ] || prev=${before[${#before[@]}-1]}"
	print "\tfor word in \"${before[@]}\"; do [[ $word != --session-dir=* ]] || dir=${word#*=}; done"
	print "\tvalue=$cur"
	print "\tcase $cur in\n\t--*=*) prev=${cur%%=*} prefix=${cur%%=*}= value=${cur#*=} ;;"
	print "\t-*) prev='' ;;\n\tesac"
	print "\tcase $prev in"
	for (i = 1; i <= nr; i++) {
		kind = kind_of(i)
		if (kind == "none" || optionals[i])
			continue
		printf "\t%s--%s) kind=%s", is_plain(letters[i]) ? "-" letters[i] "|" : "", words[i], kind
		if (kind == "choice")
			printf " choices=%s", quoted(args[i])
		print " ;;"
	}
	print "\tesac"
	print "\tif [ -z \"$kind\" ]; then"
	print "\t\tcase $cur in"
	print "\t\t-*) kind=options ;;"
	if (is_report) {
		print "\t\tsession:*) kind=sessions ;;\n\t\timage:*) kind=images ;;"
		print "\t\tlib-image:*) kind=lib-images ;;\n\t\tevent:*) kind=events ;;"
		print "\t\t*) kind=specification ;;"
	} else if (takes_events) {
		print "\t\t*) kind=events ;;"
	} else if (takes_command) {
		print "\t\t*) kind=command ;;"
	} else {
		print "\t\t*) kind=files ;;"
	}
	print "\t\tesac"
	if (is_report)
		print "\t\t[[ $cur != [a-z-]*:* ]] || { prefix=${cur%%:*}: value=${cur#*:}; }"
	print "\tfi"
	print "\tcase $kind in"
	print "\tevents|symbols|images|lib-images|sessions|choice)"
	print "\t\tif [[ $value == *,* ]]; then prefix+=${value%,*}, value=${value##*,}; fi ;;\n\tesac"
	print "\tcase $kind in"
	print "\toptions) words=$(printf '%s\\n' " option_words() ") ; compopt -o nospace 2> /dev/null ;;"
	print "\tchoice) words=${choices//|/$'\\n'} ;;"
	print "\tspecification)"
	print "\t\twords=$(printf '%s\\n' session: image: lib-image: event:; compgen -f -- \"$value\")"
	print "\t\tcompopt -o nospace 2> /dev/null ;;"
	print "\tcommand) words=$(compgen -c -f -- \"$value\" | sort -u) ;;"
	print "\tfiles) words=$(compgen -f -- \"$value\"); compopt -o filenames 2> /dev/null ;;"
	print "\tany) return ;;"
	print "\t*) words=$(_oprofile_values \"$kind\" \"$dir\") ;;"
	print "\tesac"
	print "\t# readline replaces only what follows the last of these characters"
	print "\t[[ $cur != *[:=]* ]] || cut=${cur%\"${cur##*[:=]}\"}"
	print "\twhile IFS= read -r word; do"
	print "\t\t[[ -n $word && $word == \"$value\"* ]] || continue"
	print "\t\tword=$prefix$word"
	print "\t\t[[ $kind != options || $word == *= ]] || word+=' '"
	print "\t\tCOMPREPLY+=(\"${word#\"$cut\"}\")"
	print "\tdone <<< \"$words\""
	print "}"
	print "complete -F _oprofile_" name " " name
}

function option_words(    i, all)
{
	for (i = 1; i <= nr; i++) {
		all = all " --" words[i] (args[i] != "" && !optionals[i] ? "=" : "")
		if (is_plain(letters[i]))
			all = all " -" letters[i]
	}
	return substr(all, 2)
}

# An action after a blank gets no further arguments.
function zsh_action(i,    kind)
{
	kind = kind_of(i)
	if (kind == "none")
		return ""
	if (kind == "choice") {
		kind = args[i]
		gsub(/\|/, " ", kind)
		return ":" words[i] ":(" kind ")"
	}
	if (kind == "files")
		return ":" words[i] ":_files"
	return ":" words[i] ":" (kind == "any" ? " " : " _oprofile_complete " kind)
}

function write_zsh(    i, text, spec)
{
	printf "#compdef %s\n# zsh completion for %s, generated from its options\n", name, name
	printf "_oprofile_values() { sh -c %s sh \"$@\" }\n", quoted(values)
	print "_oprofile_complete()"
	print "{"
	print "\tlocal -a found\n\tlocal dir=${words[(R)--session-dir=*]#*=}"
	print "\tfound=(${(f)\"$(_oprofile_values $1 \"$dir\")\"})"
	print "\tcompset -P '*,'\n\tcompadd -- $found"
	print "}"
	print "_oprofile_specification()"
	print "{"
	print "\tif compset -P 'session:'; then _oprofile_complete sessions"
	print "\telif compset -P 'image:'; then _oprofile_complete images"
	print "\telif compset -P 'lib-image:'; then _oprofile_complete lib-images"
	print "\telif compset -P 'event:'; then _oprofile_complete events"
	print "\telse compadd -S '' -- session: image: lib-image: event:; _files; fi"
	print "}"
	print "_arguments -s -S \\"
	for (i = 1; i <= nr; i++) {
		text = texts[i]
		gsub(/[][\\]/, "\\\\&", text)
		gsub(/:/, "\\:", text)
		spec = "[" text "]"
		print "\t" quoted("--" words[i] (args[i] == "" ? "" : optionals[i] ? "=-" : "=") spec \
			(optionals[i] ? ":" : "") zsh_action(i)) " \\"
		if (is_plain(letters[i]))
			print "\t" quoted("-" letters[i] (args[i] == "" || optionals[i] ? "" : "+") spec \
				(optionals[i] ? "" : zsh_action(i))) " \\"
	}
	if (is_report)
		print "\t'*:specification:_oprofile_specification'"
	else if (takes_events)
		print "\t'*:event: _oprofile_complete events'"
	else if (takes_command)
		print "\t'(-)1:command:_command_names -e' '*::arguments:_normal'"
	else
		print "\t'*:file:_files'"
}

function write_fish(    i, kind, line, list)
{
	printf "# fish completion for %s, generated from its options\n", name
	print "function __oprofile_values"
	print "\tset -l dir (commandline -opc | string replace -rf -- '^--session-dir=' '')"
	printf "\tsh -c %s sh $argv[1] \"$dir[-1]\"\nend\n", quoted(values)
	print "function __oprofile_tagged"
	print "\tset -l tag $argv[1]\n\tset -l values (__oprofile_values $argv[2])"
	print "\ttest -z \"$values\"; or string replace -r '^' $tag $values"
	print "end"
	for (i = 1; i <= nr; i++) {
		kind = kind_of(i)
		line = "complete -c " name " -l " words[i]
		if (is_plain(letters[i]) && !optionals[i])
			line = line " -s " letters[i]
		line = line " -d " quoted(texts[i])
		if (kind == "choice") {
			list = args[i]
			gsub(/\|/, " ", list)
			line = line " -x -a " quoted(list)
		} else if (kind == "files") {
			line = line " -r -F"
		} else if (kind == "any") {
			line = line (optionals[i] ? "" : " -x")
		} else if (kind != "none") {
			line = line " -x -a '(__oprofile_values " kind ")'"
		}
		print line
	}
	if (is_report) {
		print "complete -c " name " -a 'session: image: lib-image: event:'"
		print "complete -c " name " -n 'string match -q \"session:*\" -- (commandline -ct)' " \
			"-a '(__oprofile_tagged session: sessions)'"
		print "complete -c " name " -n 'string match -q \"image:*\" -- (commandline -ct)' " \
			"-a '(__oprofile_tagged image: images)'"
		print "complete -c " name " -n 'string match -q \"lib-image:*\" -- (commandline -ct)' " \
			"-a '(__oprofile_tagged lib-image: lib-images)'"
		print "complete -c " name " -n 'string match -q \"event:*\" -- (commandline -ct)' " \
			"-a '(__oprofile_tagged event: events)'"
	} else if (takes_events) {
		print "complete -c " name " -f -a '(__oprofile_values events)'"
	} else if (takes_command) {
		print "complete -c " name " -a '(__fish_complete_subcommand)'"
	}
}

END {
	is_report = usage ~ /TAG:LIST/
	takes_events = usage ~ /\[event\.\.\.\]/
	takes_command = usage ~ /COMMAND/
	if (!nr) {
		print name ": its help has no options" > "/dev/stderr"
		exit 1
	}
	if (shell == "bash")
		write_bash()
	else if (shell == "zsh")
		write_zsh()
	else
		write_fish()
}
