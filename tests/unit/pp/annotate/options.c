/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options.c - valid and invalid command lines of opannotate */
#include <errno.h>

#include "pp/annotate/options.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

static int parse(const char *line, struct annotate_options *o, struct op_error *e)
{
	char *copy = strdup(line), *rest = NULL;
	const char *argv[20] = { "opannotate" };
	int argc = 1, err;

	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		argv[argc++] = word;
	err = annotate_options_parse(argc, argv, o, e);
	free(copy);
	return err;
}

TEST(refused)
{
	static const struct {
		const char *line, *says;
	} cases[] = {
		{ "", "--source, --assembly" },
		{ "-s --objdump-params=-Mintel", "--assembly" },
		{ "-a --objdump-params=--all-headers", "--all-headers" },
		{ "-a --objdump-params=-M", "requires a value" },
		{ "-a -o dir", "--output-dir" },
		{ "-s -a -o dir", "--output-dir" },
		{ "-s -o /", "--output-dir=/" },
		{ "-s -o /tmp/..", "--output-dir=/" },
		{ "-s -b /src", "--search-dirs" },
		{ "-a -d /src", "--source" },
		{ "-a --include-file=x.c", "--include-file" },
		{ "-s -a --exclude-file=x.c", "--exclude-file" },
		{ "-a --inlines", "--inlines" },
		{ "-s -m lib", "'lib'" },
		{ "-s -t 101", "101" },
		{ "-s -D odd", "odd" },
		{ "-s --compat=perf", "perf" },
		{ "-s --verbose=nothing", "nothing" },
		{ "-s --no-such-option", "no-such-option" },
		{ "-s { image:a } { image:b }", "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct annotate_options o;
		struct op_error e = { "" };
		int err = parse(cases[i].line, &o, &e);

		CHECK(err < 0 && strstr(e.text, cases[i].says) && *e.text, "\"%s\": %d, %s",
		      cases[i].line, err, e.text);
		CHECK(!o.command_line && !o.spec.list[SPEC_IMAGE].items, "empty");
	}
}

TEST(accepted)
{
	struct annotate_options o;
	struct op_error e = { "" };

	CHECK(!parse("-s -a --objdump-params=-M\tintel -m cpu,tgid -t 2.5 -i f,g -x image:/bin/x",
		     &o, &e),
	      "%s", e.text);
	CHECK(o.source && o.assembly && o.exclude_dependent && !o.merge.lib, "flags");
	CHECK(o.merge.cpu && o.merge.tgid && o.merge.tid && !o.merge.unit_mask, "merge");
	CHECK(!strcmp(o.disassembly.target, "intel"), "%s", o.disassembly.target);
	CHECK(o.threshold > 2.4 && o.threshold < 2.6 && o.include.nr == 2, "values");
	annotate_options_free(&o);
	CHECK(!parse("--source -d /a:/b,/c -b /base --inlines", &o, &e), "%s", e.text);
	CHECK(o.search_dirs.nr == 3 && o.base_dirs.nr == 1 && o.inlines && o.merge.lib, "dirs");
	annotate_options_free(&o);
}

TEST(objdump_words)
{
	struct disassemble_options o;

	CHECK(!disassemble_options_parse("-M intel -Mamd64 --disassembler-options=suffix -C "
					 "--show-raw-insn -z -l -S -w", &o, NULL), "accepted");
	CHECK(!strcmp(o.target, "intel,amd64,suffix"), "%s", o.target);
	CHECK(o.demangle && o.show_bytes && o.show_zeroes && o.line_numbers, "flags");
	disassemble_options_free(&o);
	CHECK(!disassemble_options_parse(NULL, &o, NULL) && !o.target, "none");
	disassemble_options_free(&o);
}

TEST_MAIN()
