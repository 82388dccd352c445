// SPDX-License-Identifier: GPL-2.0-or-later
/* privacy.c - hash or drop names and paths before they leave the machine; the kernel's stay */
#include "fleet/push/series.h"

#include <sha2.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/xalloc.h"

void push_digest(const char *salt, const char *text, char ret[PUSH_DIGEST])
{
	unsigned char bytes[SHA256_DIGEST_LENGTH];
	SHA2_CTX context;

	SHA256Init(&context);
	if (salt)
		SHA256Update(&context, (const uint8_t *)salt, strlen(salt) + 1);
	SHA256Update(&context, (const uint8_t *)text, strlen(text));
	SHA256Final(bytes, &context);
	for (int i = 0; i < PUSH_DIGEST / 2; i++) {
		ret[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
		ret[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
	}
	ret[PUSH_DIGEST - 1] = '\0';
}

static uint32_t hide(const struct push_rules *r, enum push_privacy how, struct profile *p,
		     uint32_t string)
{
	char digest[PUSH_DIGEST];

	if (how == PUSH_KEEP || !string)
		return string;
	if (how == PUSH_DROP)
		return 0;
	push_digest(r->salt, profile_text(p, string), digest);
	return profile_string(p, digest);
}

static bool is_kernel(const struct profile *p, uint32_t image)
{
	return image != PROFILE_NONE && (p->images[image].kind == PROFILE_KERNEL ||
					 p->images[image].kind == PROFILE_KERNEL_MODULE);
}

/* "[BINARY+0x10]", of code without a symbol: it has a part of a path. */
static bool has_path(const struct profile *p, const struct profile_function *f)
{
	const char *name = profile_text(p, f->name);

	return *name == '[' && strstr(name, "+0x");
}

static void hide_functions(const struct push_rules *r, struct profile *p)
{
	bool *keeps = xcalloc(p->nr_functions + 1, sizeof(*keeps));

	for (uint32_t i = 0; i < p->nr_places; i++) {
		struct profile_place *place = &p->places[i];
		const struct profile_line_list list = p->line_lists[place->lines];
		const struct profile_line *lines = p->lines + list.first;

		if (is_kernel(p, place->image))
			for (uint32_t k = 0; k < list.nr; k++)
				keeps[lines[k].function] = true;
		else if (r->names == PUSH_DROP ||
			 (r->paths == PUSH_DROP && list.nr &&
			  has_path(p, &p->functions[lines[list.nr - 1].function])))
			place->lines = 0;
	}
	for (uint32_t i = 0; i < p->nr_functions; i++) {
		struct profile_function *f = &p->functions[i];
		enum push_privacy how = r->names;

		if (keeps[i])
			continue;
		if (how == PUSH_KEEP && has_path(p, f))
			how = r->paths;
		f->name = hide(r, how, p, f->name);
		f->system_name = hide(r, how, p, f->system_name);
		f->file = hide(r, r->paths, p, f->file);
	}
	free(keeps);
}

void push_privacy_apply(const struct push_rules *r, struct profile *p)
{
	if (r->names == PUSH_KEEP && r->paths == PUSH_KEEP)
		return;
	hide_functions(r, p);
	for (uint32_t i = 0; i < p->nr_images; i++)
		if (!is_kernel(p, i))
			p->images[i].path = hide(r, r->paths, p, p->images[i].path);
	p->title = 0;
	p->nr_comments = 0;
}
