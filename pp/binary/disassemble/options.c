/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.c - parse --objdump-params
 *
 * The original passes these words to objdump. Those that change how instructions look are
 * supported; others are refused, because ignoring them silently would be wrong.
 */
#include "pp/binary/disassemble/options.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/xalloc.h"

struct words {
	char *text;		/* split by strtok_r() */
	char *rest;
};

static char *next_word(struct words *w)
{
	return strtok_r(w->rest ? NULL : w->text, " \t", &w->rest);
}

static void add_target(struct disassemble_options *o, const char *words)
{
	char *both = o->target ? xasprintf("%s,%s", o->target, words) : xstrdup(words);

	free(o->target);
	o->target = both;
}

static bool is_one_of(const char *word, const char *const *names)
{
	while (*names && strcmp(word, *names))
		names++;
	return *names != NULL;
}

/* Words that ask for the default. */
static bool is_default(const char *word)
{
	static const char *const names[] = {
		"-d", "-S", "-w", "--disassemble", "--source", "--wide", "--no-show-raw-insn", NULL
	};

	return is_one_of(word, names);
}

static bool parse_flag(const char *word, struct disassemble_options *o)
{
	static const struct {
		const char *brief, *name;
		size_t at;
	} flags[] = {
		{ "-C", "--demangle", offsetof(struct disassemble_options, demangle) },
		{ "-l", "--line-numbers", offsetof(struct disassemble_options, line_numbers) },
		{ "-z", "--disassemble-zeroes", offsetof(struct disassemble_options, show_zeroes) },
		{ "", "--show-raw-insn", offsetof(struct disassemble_options, show_bytes) },
	};

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (strcmp(word, flags[i].brief) && strcmp(word, flags[i].name))
			continue;
		*(bool *)((char *)o + flags[i].at) = true;
		return true;
	}
	return is_default(word);
}

static int parse_word(const char *word, struct words *w, struct disassemble_options *o,
		      struct op_error *e)
{
	static const char target[] = "--disassembler-options=";

	if (!strcmp(word, "-M") || !strcmp(word, "--disassembler-options")) {
		const char *value = next_word(w);

		if (!value)
			return op_error_set(e, -EINVAL, "option '%s' in --objdump-params requires "
					    "a value, for example intel", word);
		add_target(o, value);
	} else if (!strncmp(word, "-M", 2)) {
		add_target(o, word + 2);
	} else if (!strncmp(word, target, strlen(target))) {
		add_target(o, word + strlen(target));
	} else if (!parse_flag(word, o)) {
		return op_error_set(e, -EINVAL, "unsupported option '%s' in --objdump-params: "
				    "expected -M WORD, -C, -l, -z or --show-raw-insn", word);
	}
	return 0;
}

int disassemble_options_parse(const char *text, struct disassemble_options *ret,
			      struct op_error *e)
{
	struct disassemble_options o = { 0 };
	struct words words = { xstrdup(text ? text : ""), NULL };
	const char *word;
	int err = 0;

	while (!err && (word = next_word(&words)) != NULL)
		err = parse_word(word, &words, &o, e);
	free(words.text);
	if (err)
		disassemble_options_free(&o);
	else
		*ret = o;
	return err;
}

void disassemble_options_free(struct disassemble_options *o)
{
	free(o->target);
	*o = (struct disassemble_options){ 0 };
}
