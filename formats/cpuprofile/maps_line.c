// SPDX-License-Identifier: GPL-2.0-or-later
/* maps_line.c - parse one line of the text after a CPU profile [GC-9] [GC-10] [GC-11] */
#include "formats/cpuprofile/maps_line.h"

#include <ctype.h>
#include <string.h>


#define BUILD_ID_DIGITS_MIN 4

static bool take_hex(struct text *c, uint64_t *ret)
{
	const char *first = c->at;
	uint64_t value = 0;

	for (; c->at < c->end && isxdigit((unsigned char)*c->at); c->at++) {
		char digit = *c->at;

		if (value >> 60)
			return false;
		value = value << 4 | (uint64_t)(isdigit((unsigned char)digit) ? digit - '0' :
						tolower((unsigned char)digit) - 'a' + 10);
	}
	*ret = value;
	return c->at > first;
}

static bool take_char(struct text *c, char wanted)
{
	if (c->at == c->end || *c->at != wanted)
		return false;
	c->at++;
	return true;
}

static bool take_blanks(struct text *c)
{
	const char *first = c->at;

	while (c->at < c->end && isblank((unsigned char)*c->at))
		c->at++;
	return c->at > first;
}

/* "r-xp" */
static bool take_permissions(struct text *c, bool *is_code)
{
	static const char *const letters[] = { "r-", "w-", "xX-", "sp-" };

	if (c->end - c->at < 4)
		return false;
	for (int i = 0; i < 4; i++)
		if (!strchr(letters[i], c->at[i]) || !c->at[i])
			return false;
	*is_code = c->at[2] != '-';
	c->at += 4;
	return true;
}

static bool take_digits(struct text *c)
{
	const char *first = c->at;

	while (c->at < c->end && isdigit((unsigned char)*c->at))
		c->at++;
	return c->at > first;
}

/* The rest is the path, blanks included, without the kernel's remark that it is deleted. */
static void take_path(struct text *c, struct maps_mapping *m)
{
	static const char deleted[] = " (deleted)";
	size_t len = sizeof(deleted) - 1;

	m->path = c->at;
	m->path_len = (size_t)(c->end - c->at);
	if (m->path_len > len && !memcmp(c->end - len, deleted, len))
		m->path_len -= len;
}

/* "40000000-40015000 r-xp 00000000 03:01 12845071   /lib/ld-2.3.2.so" [GC-10] */
bool maps_line_full(struct text c, struct maps_mapping *m)
{
	uint64_t device;

	if (!take_hex(&c, &m->start) || !take_char(&c, '-') || !take_hex(&c, &m->limit) ||
	    !take_blanks(&c) || !take_permissions(&c, &m->is_code) || !take_blanks(&c) ||
	    !take_hex(&c, &m->offset) || !take_blanks(&c) || !take_hex(&c, &device) ||
	    !take_char(&c, ':') || !take_hex(&c, &device) || !take_blanks(&c) || !take_digits(&c))
		return false;
	if (c.at < c.end && !take_blanks(&c))
		return false;
	take_path(&c, m);
	return true;
}

/* Remove the last word from @c; NULL if only one is left. */
static const char *last_word(struct text *c, size_t *ret_len)
{
	const char *end = c->end, *word;

	while (end > c->at && isblank((unsigned char)end[-1]))
		end--;
	for (word = end; word > c->at && !isblank((unsigned char)word[-1]); word--)
		;
	if (word == c->at)
		return NULL;
	*ret_len = (size_t)(end - word);
	for (c->end = word; c->end > c->at && isblank((unsigned char)c->end[-1]); c->end--)
		;
	return word;
}

static bool is_build_id(const char *word, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isxdigit((unsigned char)word[i]))
			return false;
	return len >= BUILD_ID_DIGITS_MIN && len % 2 == 0;
}

/* "(@1000)" */
static bool is_offset(const char *word, size_t len, uint64_t *ret)
{
	struct text c = { word, word + len };

	return take_char(&c, '(') && take_char(&c, '@') && take_hex(&c, ret) &&
	       take_char(&c, ')') && c.at == c.end;
}

/* The end of a brief line: "(@OFFSET)", a build ID, or both. */
static void take_offset_and_build_id(struct text *c, struct maps_mapping *m)
{
	struct text before = *c;
	size_t len;
	const char *word = last_word(&before, &len);

	if (!word)
		return;
	if (is_offset(word, len, &m->offset)) {
		*c = before;
		return;
	}
	if (!is_build_id(word, len))
		return;
	m->build_id = word;
	m->build_id_len = len;
	*c = before;
	word = last_word(&before, &len);
	if (word && is_offset(word, len, &m->offset))
		*c = before;
}

/* "40000000-40015000: /lib/ld-2.3.2.so (@1000) 5f1e...", code unless permissions deny it [GC-11] */
bool maps_line_brief(struct text c, struct maps_mapping *m)
{
	struct text with_permissions;

	take_blanks(&c);
	if (!take_hex(&c, &m->start) || !take_char(&c, '-') || !take_hex(&c, &m->limit) ||
	    !take_char(&c, ':'))
		return false;
	take_blanks(&c);
	m->is_code = true;
	with_permissions = c;
	if (take_permissions(&with_permissions, &m->is_code) && take_blanks(&with_permissions))
		c = with_permissions;
	else
		m->is_code = true;
	take_offset_and_build_id(&c, m);
	take_path(&c, m);
	return true;
}

bool maps_line_build(struct text c, struct maps_build *build)
{
	take_blanks(&c);
	if (c.end - c.at < 6 || memcmp(c.at, "build=", 6))
		return false;
	*build = (struct maps_build){ c.at + 6, (size_t)(c.end - c.at) - 6 };
	return true;
}
