/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mappings.c - tables of mappings by name and by process */
#include "pp/select/mappings.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/hash.h"
#include "libutil/xalloc.h"

struct key {
	const struct report_session *session;
	const struct image_name *name;
};

static bool is_of_process(const void *mappings, uint32_t id, const void *key)
{
	const struct anon_mapping *m = &((const struct anon_mappings *)mappings)->all[id];
	const struct key *k = key;

	return m->session == k->session && m->name.anon_tgid == k->name->anon_tgid &&
	       !strcmp(m->name.path, k->name->path);
}

static bool is_mapping(const void *mappings, uint32_t id, const void *key)
{
	const struct anon_mapping *m = &((const struct anon_mappings *)mappings)->all[id];
	const struct key *k = key;

	return m->name.anon_start == k->name->anon_start &&
	       m->name.anon_end == k->name->anon_end && is_of_process(mappings, id, key);
}

static uint64_t hash_process(const struct key *k)
{
	uint64_t hash = hash_mix((uintptr_t)k->session, k->name->anon_tgid);

	return hash_mix(hash, hash_string(k->name->path));
}

static uint64_t hash_mapping(const struct key *k)
{
	return hash_mix(hash_process(k), k->name->anon_start);
}

static uint32_t find(const struct anon_mappings *m, const struct key *k)
{
	return hash_table_find(&m->by_name, hash_mapping(k), is_mapping, m, k);
}

struct anon_mapping *anon_mappings_get(struct anon_mappings *m,
				       const struct report_session *session,
				       const struct image_name *name, const struct image_name *app)
{
	const struct key k = { session, name };
	uint32_t id = find(m, &k);

	if (id != HASH_NONE)
		return &m->all[id];
	xgrow(m->all, m->nr, m->room);
	m->all[m->nr] = (struct anon_mapping){ .session = session, .name = *name, .app = *app };
	m->all[m->nr].name.path = xstrdup(name->path);
	m->all[m->nr].app.path = xstrdup(app->path);
	hash_table_add(&m->by_name, hash_mapping(&k), (uint32_t)m->nr);
	return &m->all[m->nr++];
}

void anon_mapping_set_image(struct anon_mappings *m, struct anon_mapping *mapping,
			    struct report_image *image)
{
	const struct key k = { mapping->session, &mapping->name };
	uint64_t hash = hash_process(&k);

	mapping->image = image;
	if (hash_table_find(&m->by_process, hash, is_of_process, m, &k) == HASH_NONE)
		hash_table_add(&m->by_process, hash, (uint32_t)(mapping - m->all));
}

const struct anon_mapping *anon_mappings_find(const struct anon_mappings *m,
					      const struct report_session *session,
					      const struct image_name *name)
{
	const struct key k = { session, name };
	uint32_t id = find(m, &k);

	return id == HASH_NONE ? NULL : &m->all[id];
}

struct report_image *anon_mappings_image(const struct anon_mappings *m,
					 const struct report_session *session,
					 const struct image_name *name)
{
	const struct anon_mapping *mapping = anon_mappings_find(m, session, name);
	const struct key k = { session, name };
	uint32_t id;

	if (mapping && mapping->image)
		return mapping->image;
	id = hash_table_find(&m->by_process, hash_process(&k), is_of_process, m, &k);
	return id == HASH_NONE ? NULL : m->all[id].image;
}

void anon_mappings_free(struct anon_mappings *m)
{
	for (size_t i = 0; i < m->nr; i++) {
		free((char *)m->all[i].name.path);
		free((char *)m->all[i].app.path);
	}
	free(m->all);
	hash_table_free(&m->by_name);
	hash_table_free(&m->by_process);
	*m = (struct anon_mappings){ 0 };
}
