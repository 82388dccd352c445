// SPDX-License-Identifier: GPL-2.0-or-later
/* jvmti_lines.c - map (address, method, byte code) to (address, line, file) */
#include <jvmti.h>
#include <jvmticmlr.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "libagent/jvmti_lines.h"

/* The last method looked up: neighboring addresses usually share it. */
struct method {
	jmethodID id;
	jvmtiLineNumberEntry *table;
	jint nr;
	const char *file;		/* one of jvmti_lines.files, or NULL */
};

struct reading {
	jvmtiEnv *jvmti;
	struct jvmti_lines *out;
	struct method last;
};

/* Make room for one more element; false: out of memory. */
static bool grow(void **array, size_t nr, size_t *room, size_t size)
{
	size_t larger = *room ? 2 * *room : 16;
	void *more;

	if (nr < *room)
		return true;
	more = realloc(*array, larger * size);
	if (!more)
		return false;
	*array = more;
	*room = larger;
	return true;
}

static const char *intern_file(struct jvmti_lines *out, const char *name)
{
	char *copy;

	for (size_t i = 0; i < out->nr_files; i++)
		if (!strcmp(out->files[i], name))
			return out->files[i];
	copy = strdup(name);
	if (!copy || !grow((void **)&out->files, out->nr_files, &out->files_room,
			   sizeof(*out->files))) {
		free(copy);
		return NULL;
	}
	return out->files[out->nr_files++] = copy;
}

static void drop_method(struct reading *r)
{
	(*r->jvmti)->Deallocate(r->jvmti, (unsigned char *)r->last.table);
	r->last = (struct method){ 0 };
}

static void look_up_method(struct reading *r, jmethodID id)
{
	char *name = NULL;
	jclass class;

	if (r->last.id == id)
		return;
	drop_method(r);
	r->last.id = id;
	if ((*r->jvmti)->GetLineNumberTable(r->jvmti, id, &r->last.nr, &r->last.table) !=
	    JVMTI_ERROR_NONE) {
		r->last.nr = 0;
		r->last.table = NULL;
		return;
	}
	if ((*r->jvmti)->GetMethodDeclaringClass(r->jvmti, id, &class) == JVMTI_ERROR_NONE &&
	    (*r->jvmti)->GetSourceFileName(r->jvmti, class, &name) == JVMTI_ERROR_NONE)
		r->last.file = intern_file(r->out, name);
	(*r->jvmti)->Deallocate(r->jvmti, (unsigned char *)name);
}

/* The line of byte code @at, from the last entry that starts at or before it. 0: unknown. */
static unsigned int line_at(const struct method *m, jlocation at)
{
	jlocation best = -1;
	unsigned int line = 0;

	for (jint i = 0; i < m->nr; i++)
		if (m->table[i].start_location <= at && m->table[i].start_location > best) {
			best = m->table[i].start_location;
			line = (unsigned int)m->table[i].line_number;
		}
	return line;
}

static void add(struct reading *r, const void *address, jmethodID method, jlocation at)
{
	struct jvmti_lines *out = r->out;
	const struct debug_line_info *last = out->nr ? &out->lines[out->nr - 1] : NULL;
	unsigned int line;

	look_up_method(r, method);
	line = line_at(&r->last, at);
	if (!line || !r->last.file ||
	    (last && last->lineno == line && last->filename == r->last.file) ||
	    !grow((void **)&out->lines, out->nr, &out->room, sizeof(*out->lines)))
		return;
	out->lines[out->nr++] = (struct debug_line_info){ (uintptr_t)address, line, r->last.file };
}

static bool add_inlined(struct reading *r, const void *compile_info)
{
	const jvmtiCompiledMethodLoadRecordHeader *head = compile_info;
	bool any = false;

	for (; head; head = head->next) {
		const jvmtiCompiledMethodLoadInlineRecord *record = (const void *)head;

		if (head->kind != JVMTI_CMLR_INLINE_INFO)
			continue;
		for (jint i = 0; i < record->numpcs; i++) {
			const PCStackInfo *info = &record->pcinfo[i];

			if (info->numstackframes > 0)
				add(r, info->pc, info->methods[0], info->bcis[0]);
		}
		any |= record->numpcs > 0;
	}
	return any;
}

void jvmti_lines_read(jvmtiEnv *jvmti, jmethodID method, jint map_length,
		      const jvmtiAddrLocationMap *map, const void *compile_info,
		      struct jvmti_lines *ret)
{
	struct reading r = { .jvmti = jvmti, .out = ret };

	*ret = (struct jvmti_lines){ 0 };
	if (!add_inlined(&r, compile_info))
		for (jint i = 0; map && i < map_length; i++)
			add(&r, map[i].start_address, method, map[i].location);
	drop_method(&r);
}

void jvmti_lines_free(struct jvmti_lines *lines)
{
	for (size_t i = 0; i < lines->nr_files; i++)
		free(lines->files[i]);
	free(lines->files);
	free(lines->lines);
}
