# what libdb/ builds
$(eval $(call library,libdb.a,libdb/odb_open.c libdb/odb_add.c libdb/odb_grow.c libdb/odb_read.c \
	libdb/odb_check.c libdb/sample_header.c libdb/sample_name.c libdb/session.c \
	libdb/session_info.c libdb/session_counts.c libdb/session_settle.c libdb/session_settle_stacks.c \
	libdb/event_times.c \
	libdb/image_ids.c libdb/session_parts.c libdb/kernel_capture.c libdb/kernel_symbols.c \
	libdb/text_file.c libdb/abi.c libdb/stack_open.c libdb/stack_check.c libdb/stack_index.c \
	libdb/stack_grow.c \
	libdb/stack_labels.c libdb/stack_add.c libdb/stack_read.c libdb/stack_ends.c))
