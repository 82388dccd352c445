// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * name.c - format and parse the names of sample files
 *
 * Both directions share one grammar and one set of checks, so that what one accepts the other
 * returns. A path is read from left to right. The words in braces may only stand where the grammar
 * has them: a name with one in a binary's own path is refused rather than guessed at.
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

/* Whether @s can be a component of a path and nothing else. [SF-22] */
static bool is_component(const char *s, size_t n)
{
	if (!n || equals(s, n, ".") || equals(s, n, ".."))
		return false;
	if (equals(s, n, ROOT) || equals(s, n, KERN) || equals(s, n, DEP) || equals(s, n, CG))
		return false;
	return !starts_with(s, n, ANON);
}

/* An absolute path of valid components. */
static bool is_valid_path(const char *path)
{
	if (*path != '/')
		return false;
	while (*path) {
		size_t n = strcspn(++path, "/");

		if (!is_component(path, n))
			return false;
		path += n;
	}
	return true;
}

static bool is_bare_name(const char *name)
{
	return !strchr(name, '/') && is_component(name, strlen(name));
}

/* Anything without '/': the last '}' of the component ends it. [SF-25] */
static bool is_anon_name(const char *name)
{
	return *name && !strchr(name, '/');
}

static bool is_event_name(const char *event)
{
	return *event && !strpbrk(event, "./");
}

static bool is_valid_image(const struct image_name *image)
{
	if (!image->path)
		return false;
	switch (image->kind) {
	case IMAGE_FILE:
		return is_valid_path(image->path);
	case IMAGE_KERNEL:
		return is_bare_name(image->path);
	case IMAGE_ANON:
	case IMAGE_JIT:
		return is_anon_name(image->path);
	}
	return false;
}

/* An application is a file that was executed, or the kernel itself. [SF-21] */
static bool is_valid_app(const struct image_name *app)
{
	return (app->kind == IMAGE_FILE || app->kind == IMAGE_KERNEL) && is_valid_image(app);
}

static bool is_valid_id(int64_t id)
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
	if (!is_valid_app(&name->app) || !is_valid_image(&name->image) ||
	    (name->has_callee && !is_valid_image(&name->callee)))
		return -EINVAL;
	if (!name->event || !is_event_name(name->event) || !is_valid_id(name->tgid) ||
	    !is_valid_id(name->tid) || !is_valid_id(name->cpu))
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
 * The path is copied, and the walk replaces its slashes with NULs. The components of a file image
 * are joined by restoring the slashes.
 */
struct walk {
	const char *whole;	/* for messages */
	char *p;		/* the rest; NULL at the end */
	struct op_error *e;
};

static int refuse(struct walk *w, const char *why)
{
	return op_error_set(w->e, -EINVAL, "invalid sample file name '%s': %s", w->whole, why);
}

/* The next component, NUL-terminated; NULL at the end. */
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

/* Whether the next component is @word. */
static bool is_at_word(const struct walk *w, const char *word)
{
	return w->p && equals(w->p, strcspn(w->p, "/"), word);
}

static bool is_last(const struct walk *w)
{
	return w->p && !strchr(w->p, '/');
}

/* Parse decimal or lower-case hex without leading zeros at *@p, and advance *@p past it. */
static bool parse_number(char **p, unsigned int base, uint64_t *ret)
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

static bool skip_word(char **p, const char *word)
{
	if (strncmp(*p, word, strlen(word)))
		return false;
	*p += strlen(word);
	return true;
}

/* "/usr/lib/libc.so" of "{root}/usr/lib/libc.so/{cg}": up to the next word or the last component */
static int parse_file(struct walk *w, struct image_name *ret)
{
	char *start = w->p ? w->p - 1 : NULL, *end = start;

	while (w->p && !is_last(w) && !is_at_word(w, DEP) && !is_at_word(w, CG)) {
		size_t n = strcspn(w->p, "/");

		if (!is_component(w->p, n))
			return refuse(w, "a path has an empty component, '.', '..' or a misplaced "
					 "word in braces");	/* [SF-22] */
		w->p += n;
		end = w->p;
		w->p++;
	}
	if (!start || end == start)
		return refuse(w, "expected a path after {root}");	/* [SF-23] */
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
	if (!ret->path || !is_bare_name(ret->path))
		return refuse(w, "expected a name after {kern}");	/* [SF-24] */
	return 0;
}

/* @component is "{anon:NAME}"; TGID.0xSTART.0xEND or TGID.jo follows. [SF-25] */
static int parse_anon(struct walk *w, char *component, struct image_name *ret)
{
	size_t n = strlen(component);
	char *p = next_component(w);
	uint64_t tgid;

	if (component[n - 1] != '}' || n <= strlen(ANON "}"))
		return refuse(w, "expected a name and '}' after '{anon:'");
	component[n - 1] = '\0';
	ret->path = component + strlen(ANON);
	if (!p || !parse_number(&p, 10, &tgid) || tgid > UINT32_MAX || !skip_word(&p, "."))
		return refuse(w, "expected TGID.0xSTART.0xEND after {anon:NAME}");
	ret->anon_tgid = (uint32_t)tgid;
	ret->kind = IMAGE_JIT;
	if (!strcmp(p, "jo"))
		return 0;
	ret->kind = IMAGE_ANON;
	if (!skip_word(&p, "0x") || !parse_number(&p, 16, &ret->anon_start) ||
	    !skip_word(&p, ".0x") || !parse_number(&p, 16, &ret->anon_end) || *p)
		return refuse(w, "expected TGID.0xSTART.0xEND after {anon:NAME}");
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
	return refuse(w, anon_allowed	/* [SF-21] */
		      ? "expected {root}, {kern} or {anon:NAME}"
		      : "expected {root} or {kern} at the beginning");
}

static bool parse_id(char **p, int64_t *ret)
{
	uint64_t value;

	*ret = SAMPLE_ALL;
	if (!skip_word(p, "."))
		return false;
	if (skip_word(p, "all"))
		return true;
	if (!parse_number(p, 10, &value) || value > INT64_MAX)
		return false;
	*ret = (int64_t)value;
	return true;
}

/* EVENT.count.um.tgid.tid.cpu [SF-27] */
static int parse_fields(struct walk *w, struct sample_name *ret)
{
	char *p = next_component(w);
	char *dot = p ? strchr(p, '.') : NULL;

	if (!dot || dot == p || w->p)
		return refuse(w, "expected EVENT.count.mask.tgid.tid.cpu at the end");
	ret->event = p;
	p = dot;
	if (!skip_word(&p, ".") || !parse_number(&p, 10, &ret->count) || !skip_word(&p, ".") ||
	    !parse_number(&p, 10, &ret->unit_mask) || !parse_id(&p, &ret->tgid) ||
	    !parse_id(&p, &ret->tid) || !parse_id(&p, &ret->cpu) || *p)
		return refuse(w, "expected EVENT.count.mask.tgid.tid.cpu at the end");
	*dot = '\0';
	return 0;
}

static int parse_all(struct walk *w, struct sample_name *ret)
{
	int err = parse_image(w, false, &ret->app);

	if (err)
		return err;
	if (!is_at_word(w, DEP))
		return refuse(w, "{dep} is missing");	/* [SF-20] */
	next_component(w);
	err = parse_image(w, true, &ret->image);
	if (err)
		return err;
	ret->has_callee = is_at_word(w, CG);
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
