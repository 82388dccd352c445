# what libdb/ builds
$(eval $(call library,libdb.a,libdb/odb/open.c libdb/odb/add.c libdb/odb/grow.c libdb/odb/read.c \
	libdb/odb/check.c libdb/session/header.c libdb/session/name.c libdb/session/session.c \
	libdb/session/info.c libdb/session/counts.c libdb/session/settle.c libdb/session/settle_stacks.c \
	libdb/session/event_times.c \
	libdb/session/image_ids.c libdb/session/parts.c libdb/session/kernel_capture.c libdb/session/kernel_symbols.c \
	libdb/session/text_file.c libdb/session/abi.c libdb/stack/open.c libdb/stack/check.c libdb/stack/index.c \
	libdb/stack/grow.c \
	libdb/stack/labels.c libdb/stack/add.c libdb/stack/read.c libdb/stack/ends.c))
