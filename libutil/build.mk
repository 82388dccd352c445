# what libutil/ builds
$(eval $(call library,libutil.a,libutil/error.c libutil/say.c libutil/number.c \
	libutil/option_help.c libutil/strbuf.c libutil/xalloc.c libutil/file.c \
	libutil/file_reserved.c libutil/file_tree.c libutil/path.c libutil/hash.c \
	libutil/channel.c libutil/cpu_clock.c libutil/json_text.c))
# apart: build-ids are not everybody's business
$(eval $(call library,libbuildid.a,libutil/build_id.c libutil/build_id_elf.c))
