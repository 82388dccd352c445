// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * read_llvm_sample.c - LLVM's sample profile (text) read line by line, for tests
 *
 *	read_llvm_sample FILE		prints "NAME TOTAL HEAD" of each function
 *
 * Knows nothing of pp/exchange/autofdo/llvm_sample.c, which writes them. What is not as doc/sample-pgo.md says
 * [SG-10] ends with 1, and so does a total that is not the sum of what stands below it [SG-7].
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *in;
static char *line;
static size_t room;
static unsigned int number;

static void __attribute__((noreturn)) fail(const char *what)
{
	fprintf(stderr, "read_llvm_sample: line %u: %s: %s\n", number, what, line ? line : "");
	exit(1);
}

/* false: that was all. */
static bool next_line(void)
{
	ssize_t n = getline(&line, &room, in);

	number++;
	if (n < 0)
		return false;
	if (!n || line[n - 1] != '\n')
		fail("it does not end");
	line[n - 1] = '\0';
	return true;
}

static uint64_t get_number(char **at)
{
	char *end;
	uint64_t n;

	if (**at < '0' || **at > '9')
		fail("here is a number to be");
	n = strtoull(*at, &end, 10);
	*at = end;
	return n;
}

static void expect(char **at, const char *text)
{
	if (strncmp(*at, text, strlen(text)))
		fail("a sign is missing");
	*at += strlen(text);
}

/* Up to the colon behind it, which is skipped. */
static char *get_name(char **at)
{
	char *name = *at;

	*at += strcspn(name, ": ");
	if (*at == name || **at != ':')
		fail("here is a name to be");
	*(*at)++ = '\0';
	return name;
}

/* LINE[.DISCRIMINATOR]: as a number that goes up as they do. */
static uint64_t get_place(char **at)
{
	uint64_t place = get_number(at) << 32;

	if (**at == '.') {
		++*at;
		place |= get_number(at);
	}
	expect(at, ": ");
	return place;
}

static uint64_t get_count(char *at)
{
	uint64_t count = get_number(&at);

	while (*at) {
		expect(&at, " ");
		get_name(&at);
		get_number(&at);
	}
	return count;
}

/* The lines of @depth from the one at hand on, and what is nested in them; *is_more as they end. */
static uint64_t read_body(int depth, bool *is_more)
{
	uint64_t sum = 0, last = 0, part;
	bool is_inlined = false;

	while (*is_more && (int)strspn(line, " ") == depth) {
		char *at = line + depth;
		uint64_t place = get_place(&at);
		bool is_count = *at >= '0' && *at <= '9';

		if (is_count && is_inlined)
			fail("a count behind what is inlined");
		if (is_count != is_inlined && place < last)
			fail("lines are not in order");
		last = place;
		is_inlined = !is_count;
		if (is_count) {
			sum += get_count(at);
			*is_more = next_line();
			continue;
		}
		get_name(&at);
		part = get_number(&at);
		*is_more = next_line();
		if (read_body(depth + 1, is_more) != part)
			fail("before it, a total is not what stands below it");
		sum += part;
	}
	return sum;
}

static void read_function(bool *is_more)
{
	char *at = line;
	char *name = strdup(get_name(&at));
	uint64_t total = get_number(&at), head;

	expect(&at, ":");
	head = get_number(&at);
	if (!name || *at)
		fail("something behind the head");
	printf("%s %" PRIu64 " %" PRIu64 "\n", name, total, head);
	*is_more = next_line();
	if (read_body(1, is_more) != total)
		fail("before it, a function's total is not what stands below it");
	free(name);
}

int main(int argc, char **argv)
{
	bool is_more;

	in = argc == 2 ? fopen(argv[1], "r") : NULL;
	if (!in) {
		perror(argc == 2 ? argv[1] : "usage: read_llvm_sample FILE");
		return 1;
	}
	is_more = next_line();
	while (is_more)
		read_function(&is_more);
	free(line);
	fclose(in);
	return 0;
}
