/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sha256.c - what sha256sum says of so many letters 'a', added in pieces of every size */
#include "tap.h"

#include "sha256.h"

static const struct {
	size_t length;
	const char *sum;
} known[] = {
	{ 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
	{ 1, "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb" },
	{ 55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318" },
	{ 56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a" },
	{ 63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34" },
	{ 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb" },
	{ 65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0" },
	{ 119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb" },
	{ 120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c" },
	{ 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0" },
};

static const char *sum_in_pieces(size_t length, size_t piece, char text[SHA256_TEXT])
{
	static char letters[1000];
	struct sha256 s;

	memset(letters, 'a', sizeof(letters));
	sha256_init(&s);
	for (size_t at = 0; at < length; at += piece)
		sha256_add(&s, letters, length - at < piece ? length - at : piece);
	return sha256_text(&s, text);
}

TEST(known_sums)
{
	static const size_t pieces[] = { 1, 3, 63, 64, 65, 1000 };
	char text[SHA256_TEXT];

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		for (size_t j = 0; j < sizeof(pieces) / sizeof(pieces[0]); j++)
			CHECK(!strcmp(sum_in_pieces(known[i].length, pieces[j], text),
				      known[i].sum),
			      "%zu in %zu: %s", known[i].length, pieces[j], text);
}

TEST(other_bytes)
{
	char text[SHA256_TEXT];
	struct sha256 s;

	sha256_init(&s);
	sha256_add(&s, "abc", 3);
	CHECK(!strcmp(sha256_text(&s, text),
		      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
	      "abc: %s", text);
}

TEST_MAIN()
