// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rules.c - convert the states of call frame information to numbered rules
 *
 * The hash table is not a struct hash_table (libutil/table.h): the binary is untrusted, so
 * searching is bounded, and running out of memory must be an error and not the end of the daemon.
 */
#include <errno.h>
#include <stdlib.h>
#include "libutil/hash.h"
#include "unwind/rules.h"

#define SLOTS_MIN	256
#define PROBES_MAX	64	/* a hostile binary may have rules of equal hash */

#define I386_CALLEE_SAVED \
	(1u << OP_I386_EBX | 1u << OP_I386_EBP | 1u << OP_I386_ESI | 1u << OP_I386_EDI)
#define X86_CALLEE_SAVED	(1u << OP_X86_RBX | 1u << OP_X86_RBP | 0xf000u)
#define ARM64_CALLEE_SAVED	0x3ff80000u	/* x19 to x29 */

/* --- one state --- */

static uint32_t callee_saved(uint16_t machine)
{
	if (machine == OP_UNWIND_I386)
		return I386_CALLEE_SAVED;
	return machine == OP_UNWIND_ARM64 ? ARM64_CALLEE_SAVED : X86_CALLEE_SAVED;
}

static bool to_words(uint16_t machine, int64_t offset, int16_t *ret)
{
	int64_t words = offset / unwind_word(machine);

	if (offset % unwind_word(machine) || words != (int16_t)words)
		return false;
	*ret = words;
	return true;
}

/* Convert a place relative to the CFA's base register to one relative to the CFA. */
static struct unwind_place to_cfa_relative(const struct unwind_state *s, struct unwind_place place)
{
	int64_t offset = (int64_t)place.offset - s->cfa.offset;

	if (place.where == UNWIND_AT_REGISTER && s->cfa.kind == OP_CFA_REGISTER &&
	    place.n == s->cfa.base && offset == (int32_t)offset)
		return (struct unwind_place){ .where = UNWIND_AT_CFA, .offset = offset };
	return place;
}

/* False: rules cannot express the place of the return address. */
static bool set_return_address(uint16_t machine, const struct unwind_state *s,
			       struct op_unwind_rule *rule)
{
	struct unwind_place place = to_cfa_relative(s, s->at[unwind_ra_column(machine)]);

	rule->ra_register = rule->save_base = OP_UNWIND_NO_REGISTER;
	switch (place.where) {
	case UNWIND_AT_CFA:
		return to_words(machine, place.offset, &rule->ra);
	case UNWIND_AT_REGISTER:
		rule->ra_register = OP_UNWIND_AT_BASE;
		rule->save_base = place.n;
		return place.n < op_unwind_registers(machine) &&
		       to_words(machine, place.offset, &rule->ra);
	case UNWIND_IN_REGISTER:
		rule->ra_register = place.n;
		return place.n < op_unwind_registers(machine);
	case UNWIND_DEFAULT:
	case UNWIND_SAME:
		rule->ra_register = OP_ARM64_LR;
		return machine == OP_UNWIND_ARM64;
	}
	return false;
}

/* Registers that the rule has no room for are in neither mask. */
static void set_registers(uint16_t machine, const struct unwind_state *s,
			  struct op_unwind_rule *rule)
{
	unsigned int nr_saved = 0;

	for (uint32_t left = callee_saved(machine); left; left &= left - 1) {
		unsigned int n = __builtin_ctz(left);
		struct unwind_place place = to_cfa_relative(s, s->at[n]);
		uint32_t bit = 1u << n;

		if (place.where == UNWIND_DEFAULT || place.where == UNWIND_SAME)
			rule->kept |= bit;
		if (place.where != UNWIND_AT_CFA && place.where != UNWIND_AT_REGISTER)
			continue;
		if (nr_saved == OP_UNWIND_SAVED_MAX ||
		    !to_words(machine, place.offset, &rule->at[nr_saved]))
			continue;
		if (place.where == UNWIND_AT_REGISTER) {
			if (rule->save_base != OP_UNWIND_NO_REGISTER && rule->save_base != place.n)
				continue;
			rule->from_base |= bit;
			rule->save_base = place.n;
		}
		rule->saved |= bit;
		nr_saved++;
	}
	for (; nr_saved < OP_UNWIND_SAVED_MAX; nr_saved++)
		rule->at[nr_saved] = 0;		/* may be left over from a skipped register */
}

/*
 * glibc's call frame information for the return from a signal handler describes the place of each
 * register in the kernel's signal frame. If those that matter are in their usual places, the rule
 * for signals is equivalent.
 */
static bool is_x86_signal(uint16_t machine, const struct unwind_state *s, int32_t *ret_offset)
{
	struct saved { uint8_t n, words; };
	static const struct saved x86_order[] = {
		{ OP_X86_RBX, 11 }, { OP_X86_RBP, 10 }, { OP_X86_R12, 4 }, { OP_X86_R13, 5 },
		{ OP_X86_R14, 6 }, { OP_X86_R15, 7 }, { UNWIND_X86_RA, 16 },
	}, i386_order[] = {
		{ OP_I386_EDI, 0 }, { OP_I386_ESI, 1 }, { OP_I386_EBP, 2 }, { OP_I386_EBX, 4 },
		{ UNWIND_I386_RA, 10 },
	};
	bool on_i386 = machine == OP_UNWIND_I386;
	const struct saved *order = on_i386 ? i386_order : x86_order;
	size_t nr = (on_i386 ? sizeof(i386_order) : sizeof(x86_order)) / sizeof(*order);
	int word = unwind_word(machine);
	/* the CFA is the interrupted sp */
	int64_t offset = (int64_t)s->cfa.offset - word * (on_i386 ? 3 : 15);

	if (s->cfa.kind != OP_CFA_DEREF || s->cfa.offset2 || offset != (int32_t)offset)
		return false;
	for (size_t i = 0; i < nr; i++) {
		struct unwind_place place = s->at[order[i].n];

		if (place.where != UNWIND_AT_REGISTER || place.n != s->cfa.base ||
		    place.offset != offset + word * order[i].words)
			return false;
	}
	*ret_offset = offset;
	return true;
}

/* gcc's way to jump to a landing pad: rcx has its address, or points to it. [UT-16] */
static bool is_x86_landing(uint16_t machine, const struct unwind_state *s)
{
	unsigned int rcx = machine == OP_UNWIND_I386 ? OP_I386_ECX : OP_X86_RCX;
	struct unwind_place ra = s->at[unwind_ra_column(machine)];
	int word = unwind_word(machine);

	return (ra.where == UNWIND_IN_REGISTER && ra.n == rcx) ||
	       (s->cfa.kind == OP_CFA_REGISTER && s->cfa.base == rcx && s->cfa.offset == word &&
		ra.where == UNWIND_AT_CFA && ra.offset == -word);
}

static bool is_unchanged(struct unwind_place place)
{
	return place.where == UNWIND_DEFAULT || place.where == UNWIND_SAME;
}

static struct op_unwind_rule signal_rule(uint8_t base, int32_t offset)
{
	return (struct op_unwind_rule){
		.cfa = OP_CFA_SIGNAL, .base = base, .offset = offset,
		.ra_register = OP_UNWIND_NO_REGISTER, .save_base = OP_UNWIND_NO_REGISTER,
	};
}

static struct op_unwind_rule make_rule(uint16_t machine, const struct unwind_state *s, bool signal)
{
	static const struct op_unwind_rule unknown = { .cfa = OP_CFA_UNKNOWN };
	bool arm64 = machine == OP_UNWIND_ARM64;
	unsigned int nr_registers = op_unwind_registers(machine);
	struct op_unwind_rule rule = { .cfa = s->cfa.kind, .base = s->cfa.base, .exact = signal,
				       .offset = s->cfa.offset };
	int32_t offset;

	if (s->at[unwind_ra_column(machine)].where == UNWIND_UNDEFINED)
		return (struct op_unwind_rule){ .cfa = OP_CFA_END };
	if (s->cfa.kind == OP_CFA_NONE || s->cfa.base >= nr_registers ||
	    (arm64 && s->cfa.kind == OP_CFA_PLT))
		return unknown;
	if (!arm64 && is_x86_signal(machine, s, &offset))
		return signal_rule(s->cfa.base, offset);
	if (!is_unchanged(s->at[unwind_sp_column(machine)]))
		return unknown;		/* sp is the CFA everywhere else */
	rule.exact |= !arm64 && is_x86_landing(machine, s);
	if (s->cfa.kind != OP_CFA_REGISTER)
		rule.offset2 = s->cfa.offset2;
	if (s->cfa.kind == OP_CFA_INDEXED)
		rule.index = s->cfa.index;
	if (!set_return_address(machine, s, &rule))
		return unknown;
	set_registers(machine, s, &rule);
	return (rule.from_base && rule.save_base >= nr_registers) || rule.index >= nr_registers ?
	       unknown : rule;
}

/* --- the set of rules --- */

int unwind_rules_init(struct unwind_rules *rules, uint16_t machine)
{
	*rules = (struct unwind_rules){ .machine = machine, .nr = 2, .room = SLOTS_MIN,
					.nr_slots = SLOTS_MIN };
	rules->rule = calloc(rules->room, sizeof(*rules->rule));
	rules->slot = calloc(rules->nr_slots, sizeof(*rules->slot));
	if (!rules->rule || !rules->slot)
		return -ENOMEM;
	rules->rule[UNWIND_UNKNOWN_RULE].cfa = OP_CFA_UNKNOWN;
	return 0;
}

void unwind_rules_free(struct unwind_rules *rules)
{
	free(rules->rule);
	free(rules->slot);
	*rules = (struct unwind_rules){ 0 };
}

/* The slot of @rule, or an empty one for it; NULL: PROBES_MAX other rules are in the way. */
static uint32_t *slot_of(const struct unwind_rules *rules, const struct op_unwind_rule *rule)
{
	size_t hash = hash_bytes(rule, sizeof(*rule));

	for (size_t i = 0; i < PROBES_MAX; i++) {
		uint32_t *slot = &rules->slot[(hash + i) & (rules->nr_slots - 1)];

		if (!*slot || !memcmp(&rules->rule[*slot - 1], rule, sizeof(*rule)))
			return slot;
	}
	return NULL;
}

static int double_slots(struct unwind_rules *rules)
{
	uint32_t *slots = calloc(2 * rules->nr_slots, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	free(rules->slot);
	rules->slot = slots;
	rules->nr_slots *= 2;
	for (size_t i = 0; i < rules->nr; i++) {
		uint32_t *slot = slot_of(rules, &rules->rule[i]);

		if (slot)
			*slot = i + 1;
	}
	return 0;
}

static int double_rules(struct unwind_rules *rules)
{
	struct op_unwind_rule *more = realloc(rules->rule, 2 * rules->room * sizeof(*more));

	if (!more)
		return -ENOMEM;
	rules->rule = more;
	rules->room *= 2;
	return 0;
}

static int number_of(struct unwind_rules *rules, const struct op_unwind_rule *rule, uint16_t *ret)
{
	uint32_t *slot;
	int err = 0;

	*ret = UNWIND_UNKNOWN_RULE;
	if (rule->cfa == OP_CFA_UNKNOWN)
		return 0;
	slot = slot_of(rules, rule);
	if (!slot)
		return 0;
	if (*slot) {
		*ret = *slot - 1;
		return 0;
	}
	if (rules->nr == OP_UNWIND_RULES_MAX)
		return 0;
	if (rules->nr == rules->room)
		err = double_rules(rules);
	if (err)
		return err;
	rules->rule[rules->nr++] = *rule;
	*slot = rules->nr;
	*ret = rules->nr - 1;
	return 2 * rules->nr > rules->nr_slots ? double_slots(rules) : 0;
}

int unwind_rules_add(struct unwind_rules *rules, const struct unwind_state *state, bool signal,
		     uint16_t *ret)
{
	struct op_unwind_rule rule = make_rule(rules->machine, state, signal);

	return number_of(rules, &rule, ret);
}

int unwind_rules_add_signal(struct unwind_rules *rules, uint8_t base, int32_t offset, uint16_t *ret)
{
	struct op_unwind_rule rule = signal_rule(base, offset);

	return number_of(rules, &rule, ret);
}
