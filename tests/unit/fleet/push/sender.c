// SPDX-License-Identifier: GPL-2.0-or-later
/* sender.c - what a status means, and how long to wait after failures */
#include "fleet/push/sender.h"
#include <string.h>
#include "fleet/push/target/kinds.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

TEST(data_is_refused_only_for_what_it_is)
{
	static const struct { int status; enum push_verdict verdict; } table[] = {
		{ 200, PUSH_SENT }, { 202, PUSH_SENT }, { 100, PUSH_AGAIN }, { 301, PUSH_AGAIN },
		{ 400, PUSH_REFUSED }, { 401, PUSH_AGAIN }, { 403, PUSH_AGAIN },
		{ 404, PUSH_AGAIN }, { 408, PUSH_AGAIN }, { 413, PUSH_REFUSED },
		{ 415, PUSH_AGAIN }, { 422, PUSH_REFUSED }, { 429, PUSH_AGAIN },
		{ 500, PUSH_AGAIN }, { 503, PUSH_AGAIN }, { 999, PUSH_AGAIN },
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		CHECK(push_judge(table[i].status) == table[i].verdict, "status %d: %d",
		      table[i].status, push_judge(table[i].status));
}

TEST(waits_grow_and_are_spread)
{
	for (unsigned int tries = 0; tries < 40; tries++) {
		uint32_t least = push_wait_ms(tries, 0, 0), most = 0;

		for (uint32_t random = 0; random < 400000; random += 997)
			if (push_wait_ms(tries, 0, random) > most)
				most = push_wait_ms(tries, 0, random);
		CHECK(least >= 500 && most <= 300000 && most > least * 19 / 10,
		      "after %u tries: %u to %u ms", tries, least, most);
		CHECK(!tries || tries > 8 || least == 2 * push_wait_ms(tries - 1, 0, 0),
		      "after %u tries: %u ms", tries, least);
	}
	CHECK(push_wait_ms(5, UINT32_MAX, UINT32_MAX) <= 4500000, "it may be asked for an hour");
	CHECK(push_wait_ms(0, 7, 0) == 7000 && push_wait_ms(0, 7, 1750) == 8750, "not earlier");
	CHECK(push_wait_ms(20, 7, 0) == 150000, "nor sooner than without being asked");
}

TEST(slices_are_left_out_late)
{
	CHECK(!push_leaves_out(-EPROTO, 2) && push_leaves_out(-EPROTO, 3), "malformed");
	CHECK(!push_leaves_out(-ENOMEM, 9) && push_leaves_out(-ENOMEM, 10), "no memory");
	CHECK(!push_leaves_out(-EPIPE, 9) && push_leaves_out(-EPIPE, 10), "killed");
}

/* What Parca's answer of status 200 means, with this trailer. */
static enum push_verdict parca_verdict(const char *trailer)
{
	struct http_answer a = { .status = 200, .grpc_status = -1,
				 .body = STRBUF_INIT };
	struct push_answer ret = { .verdict = PUSH_SENT };
	const char header[] = { (char)0x80, 0, 0, 0, (char)strlen(trailer) };

	strbuf_add_bytes(&a.body, header, sizeof(header));
	strbuf_add_bytes(&a.body, trailer, strlen(trailer));
	push_parca.look(&a, &ret);
	http_answer_free(&a);
	return ret.verdict;
}

TEST(only_a_number_is_a_grpc_status)
{
	CHECK(parca_verdict("grpc-status: 0\r\n") == PUSH_SENT, "0");
	CHECK(parca_verdict("grpc-message: x\r\nGrpc-Status:3 \r\n") == PUSH_REFUSED, "3");
	CHECK(parca_verdict("grpc-status: unknown\r\n") == PUSH_AGAIN, "a word");
	CHECK(parca_verdict("grpc-status:") == PUSH_AGAIN, "nothing");
	CHECK(parca_verdict("x-grpc-status: 0\r\n") == PUSH_AGAIN, "another header");
}

TEST_MAIN()
