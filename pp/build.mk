# what pp/ builds
pp_mains := $(addprefix pp/,opannotate.c oparchive.c opdiff.c opexport.c opgprof.c opimport.c opreport.c)
# BFD=static: packages outlive the shared libraries, whose names change with each binutils. Some names
# of libiberty's are also those of libutil/xalloc.h; it gets others.
ifeq ($(BFD),static)
library_file = $(filter /%,$(shell $(CC) -print-file-name=$(1)))
bfd := -l:libopcodes.a -l:libbfd.a $(and $(call library_file,libsframe.a),-l:libsframe.a) \
	$(O)/lib/libiberty.a -lz -lzstd
iberty := libiberty.a
$(O)/lib/libiberty.a:
	@mkdir -p $(@D)
	$(Q)$(OBJCOPY) $(foreach name,xmalloc xcalloc xstrdup xasprintf,--redefine-sym $(name)=iberty_$(name)) \
		$(call library_file,libiberty.a) $@
else
bfd := -lopcodes -lbfd
endif
pp_rooms := pp/select pp/binary pp/binary/* pp/cli pp/report pp/report/*
$(eval $(call library,libpp.a,pp/report.c $(call sources,$(pp_rooms)),libdb.a libevents.a libunwind.a libutil.a $(iberty),\
	$(bfd) -ldw -lpopt -lelf -llzma -lzstd -lmd -ldl -lm -pthread))
$(eval $(call library,libannotate.a,$(call sources,pp/annotate),libpp.a))
$(eval $(call library,libpicture.a,$(call sources,pp/picture),libannotate.a))
$(O)/pp/picture/parts.o: $(wildcard pp/picture/page/*)
$(eval $(call library,libexchange.a,$(call sources,pp/exchange pp/exchange/*),libformats.a libpp.a))

$(eval $(call program,opreport,pp/opreport.c,libpicture.a))
$(eval $(call program,opannotate,pp/opannotate.c,libannotate.a))
$(eval $(call program,opdiff,pp/opdiff.c,libpp.a))
$(foreach t,oparchive opexport opgprof opimport,\
	$(eval $(call program,$(t),pp/$(t).c,libexchange.a)))
