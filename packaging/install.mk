# install.mk - what is installed where, and what removes it; the folders are in rules.mk

$(O)/%.pc: %.pc.in $(O)/dirs
	@mkdir -p $(@D)
	$(Q)sed 's|@prefix@|$(prefix)|; s|@libdir@|$(libdir)|; s|@includedir@|$(includedir)|' $< > $@
pc_files := $(addprefix $(O)/,libagent/opagent.pc libsampler/oprofsampler.pc)

# systemd's units and what belongs to them; the programs' folders are filled in
$(O)/%.service: %.service.in $(O)/dirs
	@mkdir -p $(@D)
	$(Q)sed 's|@BINDIR@/oprofiled|$(sbindir)/oprofiled|; s|@BINDIR@|$(bindir)|' $< > $@
systemd  := packaging/systemd
units    := $(patsubst %.in,$(O)/%,$(filter-out $(if $(has_curl),,%/oppush.service.in),\
		$(wildcard $(systemd)/*.service.in))) \
	    $(wildcard $(systemd)/*.mount $(systemd)/*.timer)
sysusers := $(wildcard $(systemd)/*.sysusers)
tmpfiles := $(wildcard $(systemd)/*.tmpfiles)

# completion for three shells, where Makefile makes it
completed := $(notdir $(completion))

# What is installed: MODE FILE DESTINATION, a line each; "link" instead of a mode: a symbolic link
# to FILE. install and uninstall read the same list.
to             = $(foreach file,$(2),$(1) $(file) $(3)/$(notdir $(file))$(newline))
to_same        = $(foreach file,$(2),$(1) $(file) $(3)/$(file)$(newline))
sbin_programs := $(O)/bin/oprofiled
tables        := $(patsubst events/%,%,$(wildcard events/*/*/events events/*/*/unit_masks))
pages         := README.md NEWS.md $(sort $(wildcard doc/*.md)) doc/opreport.xsd
define installed
$(call to,755,$(filter-out $(sbin_programs),$(programs)),$(bindir))
$(call to,755,$(sbin_programs),$(sbindir))
$(call to,644,$(filter %.a,$(shared)) $(versioned),$(libdir))
$(foreach file,$(versioned),link $(notdir $(file)) $(libdir)/$(notdir $(basename $(file)))$(newline))
$(call to,644,$(plugins),$(pkglibdir))
$(call to,644,libagent/opagent.h libsampler/oprofsampler.h,$(includedir))
$(call to,644,$(pc_files),$(pkgconfigdir))
$(foreach s,1 5 8,$(call to,644,$(sort $(wildcard doc/man/*.$(s))),$(mandir)/man$(s)))
$(foreach file,$(tables),644 events/$(file) $(pkgdatadir)/$(file)$(newline))
$(call to_same,644,$(pages),$(docdir))
$(call to,644,$(completion),$(datadir)/bash-completion/completions)
$(call to,644,$(completed:%=$(O)/completion/zsh/_%),$(zshdir))
$(call to,644,$(completed:%=$(O)/completion/fish/%.fish),$(datadir)/fish/vendor_completions.d)
$(call to,644,$(units),$(unitdir))
$(call to,644,$(wildcard $(systemd)/*.rules),$(udevdir)/rules.d)
$(foreach file,$(sysusers),644 $(file) $(prefix)/lib/sysusers.d/oprofile.conf$(newline))
$(foreach file,$(tmpfiles),644 $(file) $(prefix)/lib/tmpfiles.d/oprofile.conf$(newline))
endef

.PHONY: install uninstall install-module uninstall-module install-dkms
install: all $(pc_files) $(units)	## install programs, libraries, pages below prefix=/usr/local
	$(file >$(O)/installed,$(installed))
	$(Q)while read -r mode file to; do \
		case $$mode in \
		'') ;; \
		link) ln -sfn "$$file" "$(DESTDIR)$$to" ;; \
		*) install -D -m "$$mode" "$$file" "$(DESTDIR)$$to" ;; \
		esac || exit; done < $(O)/installed

uninstall:				## remove what install put there
	$(Q)mkdir -p $(O)
	$(file >$(O)/installed,$(installed))
	$(Q)while read -r mode file to; do \
		[ -z "$$to" ] || rm -f "$(DESTDIR)$$to" || exit; done < $(O)/installed
	$(Q)for dir in $(own_dirs); do [ ! -d "$(DESTDIR)$$dir" ] || \
		find "$(DESTDIR)$$dir" -depth -type d -exec rmdir --ignore-fail-on-non-empty {} +; done

# what uname -r prints; make kernelrelease prints something else for Debian's kernels before 6.12
release_file = $(KDIR)/include/generated/utsrelease.h
release = $(shell sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' $(release_file))
module_dir = $(if $(wildcard $(release_file)),,$(error \
	'$(release_file)' not found: give KDIR=))$(DESTDIR)/lib/modules/$(release)/updates
install-module: module			## install the module for KDIR's kernel
	install -D -m 644 $(O)/module/oprofile.ko $(module_dir)/oprofile.ko
	$(if $(DESTDIR),,depmod $(release))

uninstall-module:			## remove it
	rm -f $(module_dir)/oprofile.ko
	$(if $(DESTDIR),,depmod $(release))

# what DKMS builds the module from, and nothing else
dkms_dir = $(DESTDIR)/usr/src/oprofile-ng-$(VERSION)
install-dkms:				## install the module's sources for DKMS in /usr/src
	$(Q)control/build-module --list | while read -r file; do \
		install -D -m 644 "$$file" "$(dkms_dir)/$$file" || exit; done
	$(Q)sed 's|#MODULE_VERSION#|$(VERSION)|' packaging/dkms.conf > $(dkms_dir)/dkms.conf

uninstall-dkms:				## remove them
	rm -rf $(dkms_dir)
