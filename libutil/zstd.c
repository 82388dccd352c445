// SPDX-License-Identifier: GPL-2.0-or-later
/* zstd.c - see zstd.h */
#include "libutil/zstd.h"

#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

int zstd_pack(const void *bytes, size_t n, int level, void **ret, size_t *ret_n)
{
	size_t room = ZSTD_compressBound(n), packed_n = 0;
	ZSTD_CCtx *context = ZSTD_createCCtx();
	void *packed = malloc(room);
	int err = -ENOMEM;

	if (context && packed) {
		ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
		ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
		packed_n = ZSTD_compress2(context, packed, room, bytes, n);
		err = ZSTD_isError(packed_n) ? -ENOMEM : 0;
	}
	ZSTD_freeCCtx(context);
	if (err) {
		free(packed);
		return err;
	}
	*ret = packed;
	*ret_n = packed_n;
	return 0;
}
