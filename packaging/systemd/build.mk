# The unit with the path of the programs. BINDIR: where they will be, once installed.
BINDIR ?= $(PREFIX)/bin
systemd_units := $(O)/systemd/oprofiled.service
$(call keep_list,$(O)/systemd/bindir,$(BINDIR))
$(O)/systemd/bindir: ;
$(systemd_units): packaging/systemd/oprofiled.service.in $(O)/systemd/bindir
	@mkdir -p $(@D)
	$(call say,GEN)sed 's|@BINDIR@|$(BINDIR)|g' $< > $@
