// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * name.c - sample file names, made and taken apart
 *
 * Both directions share one grammar and one set of checks, so what one accepts the other
 * gives back. A path is read from left to right; the words in braces may stand only where the
 * grammar has them, so one that is part of a binary's own path is refused, not guessed at.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "libdb/session/name.h"
#include "libutil/xalloc.h"

#define ROOT	"{root}"
#define KERN	"{kern}"
#define DEP	"{dep}"
#define CG	"{cg}"
#define ANON	"{anon:"

/* --- checks shared by both directions --- */

static bool equals(const char *s, size_t n, const char *word)
{
	return n == strlen(word) && !memcmp(s, word, n);
}

static bool starts_with(const char *s, size_t n, const char *word)
{
	return n >= strlen(word) && !memcmp(s, word, strlen(word));
}

/* May @s stand for itself between two slashes? [SF-22] */
static bool component_ok(const char *s, size_t n)
{
	if (!n || equals(s, n, ".") || equals(s, n, ".."))
		return false;
	if (equals(s, n, ROOT) || equals(s, n, KERN) || equals(s, n, DEP) || equals(s, n, CG))
		return false;
	return !starts_with(s, n, ANON);
}

/* An absolute path with nothing in it that reads as something else. */
static bool path_ok(const char *path)
{
	if (*path != '/')
		return false;
	while (*path) {
		size_t n = strcspn(++path, "/");

		if (!component_ok(path, n))
			return false;
		path += n;
	}
	return true;
}

static bool bare_name_ok(const char *name)
{
	return !strchr(name, '/') && component_ok(name, strlen(name));
}

/* Anything but '/': the last '}' of the component ends it. [SF-25] */
static bool anon_name_ok(const char *name)
{
	return *name && !strchr(name, '/');
}

static bool event_ok(const char *event)
{
	return *event && !strpbrk(event, "./");
}

static bool image_ok(const struct image_name *image)
{
	if (!image->path)
		return false;
	switch (image->kind) {
	case IMAGE_FILE:
		return path_ok(image->path);
	case IMAGE_KERNEL:
		return bare_name_ok(image->path);
	case IMAGE_ANON:
	case IMAGE_JIT:
		return anon_name_ok(image->path);
	}
	return false;
}

/* An application was executed, so it is a file, or the kernel standing for itself. [SF-21] */
static bool app_ok(const struct image_name *app)
{
	return (app->kind == IMAGE_FILE || app->kind == IMAGE_KERNEL) && image_ok(app);
}

static bool id_ok(int64_t id)
{
	return id >= SAMPLE_ALL;
}

/* --- from fields to path --- */

static void add_image(struct strbuf *out, const struct image_name *image)
{
	switch (image->kind) {
	case IMAGE_FILE:
		strbuf_addf(out, ROOT "%s", image->path);
		break;
	case IMAGE_KERNEL:
		strbuf_addf(out, KERN "/%s", image->path);
		break;
	case IMAGE_ANON:
		strbuf_addf(out, ANON "%s}/%" PRIu32 ".0x%" PRIx64 ".0x%" PRIx64, image->path,
			    image->anon_tgid, image->anon_start, image->anon_end);
		break;
	case IMAGE_JIT:
		strbuf_addf(out, ANON "%s}/%" PRIu32 ".jo", image->path, image->anon_tgid);
		break;
	}
}

static void add_id(struct strbuf *out, int64_t id)
{
	if (id == SAMPLE_ALL)
		strbuf_add(out, ".all");
	else
		strbuf_addf(out, ".%" PRId64, id);
}

int sample_name_format(const struct sample_name *name, struct strbuf *out)
{
	if (!app_ok(&name->app) || !image_ok(&name->image) ||
	    (name->has_callee && !image_ok(&name->callee)))
		return -EINVAL;
	if (!name->event || !event_ok(name->event) || !id_ok(name->tgid) || !id_ok(name->tid) ||
	    !id_ok(name->cpu))
		return -EINVAL;
	add_image(out, &name->app);
	strbuf_add(out, "/" DEP "/");
	add_image(out, &name->image);
	if (name->has_callee) {
		strbuf_add(out, "/" CG "/");
		add_image(out, &name->callee);
	}
	strbuf_addf(out, "/%s.%" PRIu64 ".%" PRIu64, name->event, name->count, name->unit_mask);
	add_id(out, name->tgid);
	add_id(out, name->tid);
	add_id(out, name->cpu);
	return 0;
}

/* --- from path to fields --- */

/*
 * The path is copied and cut at its slashes while walking along. A file image's components are
 * joined again by putting the slashes back.
 */
struct walk {
	const char *whole;	/* for messages */
	char *p;		/* what is still to be read; NULL: nothing */
	struct op_error *e;
};

static int refuse(struct walk *w, const char *why)
{
	return op_error_set(w->e, -EINVAL, "invalid sample file name '%s': %s", w->whole, why);
}

/* The next component, NUL terminated; NULL at the end. */
static char *next_component(struct walk *w)
{
	char *component = w->p, *slash;

	if (!component)
		return NULL;
	slash = strchr(component, '/');
	w->p = slash ? slash + 1 : NULL;
	if (slash)
		*slash = '\0';
	return component;
}

/* Is the next component @word? */
static bool at_word(const struct walk *w, const char *word)
{
	return w->p && equals(w->p, strcspn(w->p, "/"), word);
}

static bool is_last(const struct walk *w)
{
	return w->p && !strchr(w->p, '/');
}

/* Decimal or lower-case hex without leading zeros, at *@p, which is moved behind it. */
static bool take_number(char **p, unsigned int base, uint64_t *ret)
{
	static const char digits[] = "0123456789abcdef";
	const char *start = *p;
	uint64_t value = 0;

	for (;; (*p)++) {
		const char *digit = **p ? strchr(digits, **p) : NULL;

		if (!digit || digit - digits >= (int)base)
			break;
		if (__builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(digit - digits), &value))
			return false;
	}
	if (*p == start || (*start == '0' && *p - start > 1))
		return false;
	*ret = value;
	return true;
}

static bool take_word(char **p, const char *word)
{
	if (strncmp(*p, word, strlen(word)))
		return false;
	*p += strlen(word);
	return true;
}

/* "/usr/lib/libc.so" of "{root}/usr/lib/libc.so/{cg}": all up to the next word or last field */
static int parse_file(struct walk *w, struct image_name *ret)
{
	char *start = w->p ? w->p - 1 : NULL, *end = start;

	while (w->p && !is_last(w) && !at_word(w, DEP) && !at_word(w, CG)) {
		size_t n = strcspn(w->p, "/");

		if (!component_ok(w->p, n))
			return refuse(w, "a path in it has an empty component, '.', '..' or a word "
					 "in braces where none may be [SF-22]");
		w->p += n;
		end = w->p;
		w->p++;
	}
	if (!start || end == start)
		return refuse(w, "{root} without a path [SF-23]");
	*start = '/';
	*end = '\0';
	ret->kind = IMAGE_FILE;
	ret->path = start;
	return 0;
}

static int parse_kernel(struct walk *w, struct image_name *ret)
{
	ret->kind = IMAGE_KERNEL;
	ret->path = next_component(w);
	if (!ret->path || !bare_name_ok(ret->path))
		return refuse(w, "{kern} without a name [SF-24]");
	return 0;
}

/* @component is "{anon:NAME}"; TGID.0xSTART.0xEND or TGID.jo follows */
static int parse_anon(struct walk *w, char *component, struct image_name *ret)
{
	size_t n = strlen(component);
	char *p = next_component(w);
	uint64_t tgid;

	if (component[n - 1] != '}' || n <= strlen(ANON "}"))
		return refuse(w, "{anon: without a name and '}' [SF-25]");
	component[n - 1] = '\0';
	ret->path = component + strlen(ANON);
	if (!p || !take_number(&p, 10, &tgid) || tgid > UINT32_MAX || !take_word(&p, "."))
		return refuse(w, "{anon:NAME} without TGID.0xSTART.0xEND [SF-25]");
	ret->anon_tgid = (uint32_t)tgid;
	ret->kind = IMAGE_JIT;
	if (!strcmp(p, "jo"))
		return 0;
	ret->kind = IMAGE_ANON;
	if (!take_word(&p, "0x") || !take_number(&p, 16, &ret->anon_start) ||
	    !take_word(&p, ".0x") || !take_number(&p, 16, &ret->anon_end) || *p)
		return refuse(w, "{anon:NAME} without TGID.0xSTART.0xEND [SF-25]");
	return 0;
}

static int parse_image(struct walk *w, bool anon_allowed, struct image_name *ret)
{
	char *component = next_component(w);

	if (component && !strcmp(component, ROOT))
		return parse_file(w, ret);
	if (component && !strcmp(component, KERN))
		return parse_kernel(w, ret);
	if (component && anon_allowed && starts_with(component, strlen(component), ANON))
		return parse_anon(w, component, ret);
	return refuse(w, anon_allowed ? "{root}, {kern} or {anon: is missing [SF-21]" :
					"it does not begin with {root} or {kern} [SF-21]");
}

static bool take_id(char **p, int64_t *ret)
{
	uint64_t value;

	*ret = SAMPLE_ALL;
	if (!take_word(p, "."))
		return false;
	if (take_word(p, "all"))
		return true;
	if (!take_number(p, 10, &value) || value > INT64_MAX)
		return false;
	*ret = (int64_t)value;
	return true;
}

/* EVENT.count.um.tgid.tid.cpu */
static int parse_fields(struct walk *w, struct sample_name *ret)
{
	char *p = next_component(w);
	char *dot = p ? strchr(p, '.') : NULL;

	if (!dot || dot == p || w->p)
		return refuse(w, "it does not end in EVENT.count.mask.tgid.tid.cpu [SF-27]");
	ret->event = p;
	p = dot;
	if (!take_word(&p, ".") || !take_number(&p, 10, &ret->count) || !take_word(&p, ".") ||
	    !take_number(&p, 10, &ret->unit_mask) || !take_id(&p, &ret->tgid) ||
	    !take_id(&p, &ret->tid) || !take_id(&p, &ret->cpu) || *p)
		return refuse(w, "it does not end in EVENT.count.mask.tgid.tid.cpu [SF-27]");
	*dot = '\0';
	return 0;
}

static int parse_all(struct walk *w, struct sample_name *ret)
{
	int err = parse_image(w, false, &ret->app);

	if (err)
		return err;
	if (!at_word(w, DEP))
		return refuse(w, "{dep} is missing [SF-20]");
	next_component(w);
	err = parse_image(w, true, &ret->image);
	if (err)
		return err;
	ret->has_callee = at_word(w, CG);
	if (ret->has_callee) {
		next_component(w);
		err = parse_image(w, true, &ret->callee);
	}
	return err ? err : parse_fields(w, ret);
}

int sample_name_parse(const char *path, struct sample_name *ret, struct op_error *e)
{
	struct sample_name name = { .storage = xstrdup(path) };
	struct walk w = { .whole = path, .p = name.storage, .e = e };
	int err = parse_all(&w, &name);

	if (err)
		free(name.storage);
	else
		*ret = name;
	return err;
}

void sample_name_free(struct sample_name *name)
{
	free(name->storage);
	memset(name, 0, sizeof(*name));
}

bool sample_event_is_derived(const char *event)
{
	return !strncmp(event, "IBS_FETCH_", 10) || !strncmp(event, "IBS_OP_", 7);
}
