// SPDX-License-Identifier: GPL-2.0-or-later
/* text_file.c - lines, words and escapes of the session's text files */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "libdb/session/text_file.h"
#include "libutil/number.h"

/* The next line; NULL at the end. *ret_wrong: NULL, or what is wrong whatever the line means. */
static char *next_line(struct text_lines *lines, const char **ret_wrong)
{
	char *line = lines->p, *newline;

	if (line == lines->end)
		return NULL;
	newline = memchr(line, '\n', (size_t)(lines->end - line));
	if (!newline && lines->last == TEXT_LAST_IGNORED)
		return NULL;
	if (newline)
		*newline = '\0';
	lines->p = newline ? newline + 1 : lines->end;
	lines->number++;
	if (!newline && lines->last == TEXT_LAST_REFUSED)
		*ret_wrong = "the last line is truncated";
	else
		*ret_wrong = line + strlen(line) != (newline ? newline : lines->end) ? "NUL byte" :
			     NULL;
	return line;
}

int text_each_line(struct text_lines *lines, const char *(*parse)(void *context, char *line),
		   void *context, struct op_error *e)
{
	const char *wrong;
	char *line;

	while ((line = next_line(lines, &wrong))) {
		if (!wrong)
			wrong = parse(context, line);
		if (wrong)
			return text_error(lines, wrong, e);
	}
	return 0;
}

char *text_next_word(char **p)
{
	char *word = *p, *blank;

	if (!word || !*word)
		return NULL;
	blank = strchr(word, ' ');
	if (blank)
		*blank = '\0';
	*p = blank ? blank + 1 : NULL;
	return word;
}

/* A snapshot of a kernel's symbols has two million digits. */
static const unsigned char digits[256] = {	/* and 1: what has none is 0 */
	['0'] = 1, ['1'] = 2, ['2'] = 3, ['3'] = 4, ['4'] = 5, ['5'] = 6, ['6'] = 7, ['7'] = 8,
	['8'] = 9, ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15,
	['f'] = 16, ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

bool text_parse_hex(const char *word, uint64_t *ret)
{
	uint64_t value = 0;
	size_t n = 0;

	for (; word[n]; n++) {
		unsigned int digit = digits[(unsigned char)word[n]];

		if (!digit)
			return false;
		value = value << 4 | (digit - 1);
	}
	if (!n || n > 16)
		return false;
	*ret = value;
	return true;
}

bool text_parse_decimal(const char *word, uint64_t *ret)
{
	/* neither "0x10" nor "010": these files are ours */
	if (!word || (word[0] == '0' && word[1]))
		return false;
	return number_parse_u64(word, ret) == 0;
}

bool text_is_hex(const char *word)
{
	return *word && !word[strspn(word, "0123456789abcdef")];
}

int text_error(const struct text_lines *lines, const char *why, struct op_error *e)
{
	return op_error_set(e, -EPROTO, "%s:%u: %s", lines->name, lines->number, why);
}

void text_add_escaped(struct strbuf *out, const char *s, bool blanks_too)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '\\' || c < ' ' || c == 0x7f || (blanks_too && c == ' '))
			strbuf_addf(out, "\\%03o", c);
		else
			strbuf_add_char(out, *s);
	}
}

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

bool text_unescape(char *s)
{
	char *to = s;

	while (*s) {
		int c = (unsigned char)*s++;

		if (c == '\\') {
			if (!is_octal(s[0]) || !is_octal(s[1]) || !is_octal(s[2]) || s[0] > '3')
				return false;
			c = (s[0] - '0') << 6 | (s[1] - '0') << 3 | (s[2] - '0');
			if (!c)
				return false;
			s += 3;
		}
		*to++ = (char)c;
	}
	*to = '\0';
	return true;
}

int text_append(const char *path, const char *text, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644), err = 0;
	struct stat st;
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = fstat(fd, &st) ? -1 : write(fd, text, len);
	if (n < 0)
		err = -errno;
	else if ((size_t)n != len)
		err = ftruncate(fd, st.st_size) ? -errno : -ENOSPC;
	close(fd);
	return err;
}
