# Tern. `make` builds build/tern; `make run` shows it working; `make test` tests everything.
# CFG=release|debug|asan|tsan|hostile   CC=gcc|clang   V=1 shows commands   WERROR=1 warnings are errors
# EXTRA_CFLAGS, LIB_CFLAGS (of src/lib alone): added to the flags
# To cross-compile: make CC=x86_64-linux-gnu-gcc BUILD=build/x86_64 (HOSTCC builds what runs here).
CFG     ?= release
# All cores, unless -j says otherwise; cleaning comes before what is built after it.
ifeq ($(MAKELEVEL)$(filter clean,$(MAKECMDGOALS)),0)
MAKEFLAGS += -j$(shell nproc 2>/dev/null || echo 2)
endif
PREFIX  ?= /usr/local
DESTDIR ?=
ifeq ($(origin CC),default)
CC := $(shell command -v gcc || command -v clang || echo cc)
endif
HOSTCC  ?= $(shell command -v gcc || command -v clang || echo cc)
AR      := $(if $(filter %-gcc,$(CC)),$(CC:gcc=ar),ar)
BUILD   ?= $(if $(filter release,$(CFG)),build,build/$(CFG))
# One spelling, so that the flags stay the same.
override BUILD := $(BUILD:$(CURDIR)/%=%)
Q       := $(if $(V),,@)
COMMA   := ,

# Off: long embedded texts are wanted, and in tables what is not named is zero. Warnings are errors where we test; other
# compilers, with other warnings, shall build it too. A change of WERROR alone rebuilds nothing.
WARN    := -Wall -Wextra -Wpedantic -Wno-overlength-strings -Wno-missing-field-initializers
WERROR  ?= $(filter test test-long check-quick coverage,$(MAKECMDGOALS))
STRICT  := $(if $(WERROR),-Werror)
export WERROR
CFLAGS_release  := -O2 -DNDEBUG
CFLAGS_debug    := -O0 -g3
CFLAGS_asan     := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined \
                   -fno-omit-frame-pointer
CFLAGS_tsan     := -O1 -g -fsanitize=thread
CFLAGS_hostile  := -O1 -g -DTERN_HOSTILE
CFLAGS_coverage := -O0 -g --coverage -DTERN_COVERAGE
# Without what AddressSanitizer finds, too: half the time to build.
CFLAGS_fuzz     := -O1 -gline-tables-only -fsanitize=address,undefined -fno-sanitize-recover=undefined \
                   -fno-sanitize=null,alignment,object-size,pointer-overflow \
                   -fno-omit-frame-pointer -fsanitize=fuzzer-no-link
CPPFLAGS := -D_GNU_SOURCE -Iinclude -Isrc -I. -I$(BUILD)/gen
CFLAGS   := -std=c11 -fPIC -fno-math-errno -ffp-contract=off -ffunction-sections -fdata-sections \
            $(WARN) $(CFLAGS_$(CFG)) $(EXTRA_CFLAGS)
LDFLAGS  := -Wl,--gc-sections
LDLIBS   := -lm -lpthread -ldl
ifeq ($(CFLAGS_$(CFG)),)
$(error CFG=$(CFG) is not one of release, debug, asan, tsan, hostile)
endif

# Sources are found, not listed: a new file needs no change here.
SRC     := $(sort $(wildcard src/*/*.c src/*/*/*.c src/*/*/*/*.c src/*/*/*/*/*.c))
CMD     := $(sort $(wildcard cmd/tern/*.c))
UNIT    := $(sort $(wildcard test/unit/*.c))
FUZZ    := $(sort $(wildcard test/fuzz/fuzz_*.c))
HEADERS := $(sort $(shell find include/cuda device -type f 2>/dev/null))
# The libraries of src/lib, and those whose functions are made from their tables (they have EACH, ONCE, NONE or IMAGE rows).
LIBRARIES := $(shell sed -n 's/^LIBRARY.\([A-Za-z]*\),.*/\1/p' src/lib/libraries.def)
TABLES  := $(foreach l,$(LIBRARIES),$(if $(shell grep -lE '^(EACH|ONCE|NONE|IMAGE).' src/lib/*/$(l).def),$(l)))
OBJ     := $(SRC:%.c=$(BUILD)/%.o) $(if $(wildcard src/front/cuda/pp/pp.h),$(BUILD)/gen/embedded.o $(BUILD)/gen/library.o $(BUILD)/gen/images.o) \
           $(BUILD)/gen/texts.o $(BUILD)/gen/prof_page.o $(TABLES:%=$(BUILD)/gen/lib_%.o) $(BUILD)/gen/lib_cublas_old.o
CMDOBJ  := $(CMD:%.c=$(BUILD)/%.o)
NVCCOBJ := $(patsubst %.c,$(BUILD)/%.o,$(sort $(wildcard cmd/terncc/*.c)))
UNITOBJ := $(UNIT:%.c=$(BUILD)/%.o)
DROPINS := $(addprefix $(BUILD)/dropin/,libcuda.so.1 libptxrun.so libternstatic.so libnvidia-ml.so.1 libcupti.so.12 libcupti.so.13 \
             $(patsubst cmd/dropin/cudart%.c,libcudart.so.%,$(wildcard cmd/dropin/cudart*.c)) \
             $(shell sed -n 's/^LIBRARY.\([A-Za-z]*\),[^"]*"\([0-9 ]*\)".*/\1 \2/p' src/lib/libraries.def | \
               while read -r name versions; do for v in $$versions; do echo lib$$name.so.$$v; done; done))
BENCHES := $(patsubst bench/%.c,$(BUILD)/%,$(sort $(wildcard bench/bench_*.c)))
FUZZERS := $(FUZZ:test/fuzz/fuzz_%.c=$(BUILD)/fuzz_%)
# The fuzz targets need the compiler; of what runs its output, only the container format.
FUZZOBJ := $(filter-out $(addprefix $(BUILD)/src/,api/% cuda/% rt/% lib/%) $(BUILD)/gen/lib_%,$(OBJ)) $(BUILD)/src/rt/fatbin.o

VERSION   := $(shell sed -n 's/^.define TERN_VERSION "\(.*\)"/\1/p' include/tern/version.h)
SOVERSION := $(shell sed -n 's/^.define TERN_SOVERSION \([0-9]*\).*/\1/p' include/tern/version.h)

all: $(BUILD)/tern $(BUILD)/libtern.so.$(VERSION) $(BUILD)/terncc $(BUILD)/ternhip $(BUILD)/cuda/made $(BUILD)/web/index.html $(BUILD)/web/tern/sources.js $(BUILD)/gen/abi.js $(DROPINS) $(BUILD)/dropin/mpi.c $(BUILD)/dropin/mpi_calls.h

# Every program that terncc builds is linked with it: but for the libraries, which only some want, it is one object, with a section
# of each kind. A linker takes 0.2 s for that, 0.5 s for 500 objects with 20,000 sections. What is linked here takes the
# objects, and leaves out what it does not use.
LIBOBJ  := $(filter $(BUILD)/src/lib/% $(BUILD)/gen/lib_%,$(OBJ))
$(LIBOBJ): CFLAGS += $(LIB_CFLAGS)
$(BUILD)/libtern.a: $(OBJ) tool/merge.ld
	$(Q)$(CC) -r -nostdlib -Wl,-T,tool/merge.ld -o $(BUILD)/runtime.o $(filter-out $(LIBOBJ),$(OBJ))
	$(Q)rm -f $@ && $(AR) rcs $@ $(BUILD)/runtime.o $(LIBOBJ)

# The C API as a shared library; only what include/tern declares is seen. (For CUDA's own names: dropin/libtern.so.)
$(BUILD)/libtern.so.$(VERSION): $(OBJ) tool/package/symbols.txt
	$(Q)(echo 'TERN_$(SOVERSION) { global:'; sed 's/$$/;/' tool/package/symbols.txt; echo 'local: *; };') >$(BUILD)/libtern.map
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,libtern.so.$(SOVERSION) -Wl,--version-script=$(BUILD)/libtern.map -o $@ \
	  $(OBJ) $(LDLIBS)
	$(Q)ln -sf $(@F) $(BUILD)/libtern.so.$(SOVERSION)
	$(Q)ln -sf $(@F) $(BUILD)/libtern.so

$(BUILD)/tern: $(CMDOBJ) $(OBJ)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/terncc: $(NVCCOBJ) $(OBJ)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# By its name it knows that its sources are HIP.
$(BUILD)/ternhip: $(BUILD)/terncc
	$(Q)ln -sf terncc $@

# A folder in the shape of a CUDA toolkit, for build systems that want one (CUDA_HOME, CUDA_PATH):
# bin/nvcc is terncc, and what links with libcudart or libcuda gets libtern.
$(BUILD)/cuda/made: Makefile tool/toolkit src/lib/libraries.def $(BUILD)/terncc
	$(Q)tool/toolkit $(BUILD)/cuda ../../terncc $(CURDIR)/include/cuda ../../libtern.a && touch $@

# What stands in for CUDA's shared libraries under `tern exec`: libtern.so has everything, the
# others only their name, their symbols' version, and what differs between versions of CUDA.
SHARED = $(CC) $(CPPFLAGS) $(CFLAGS) -shared -Wl,-soname,$(@F)
$(BUILD)/dropin/exports.map: cmd/dropin/exports.map src/lib/libraries.def
	@mkdir -p $(@D)
	$(Q)sed 's/^ *global:/&$(foreach l,$(LIBRARIES), $(l)*;)/' $< >$@
$(BUILD)/dropin/libtern.so: $(BUILD)/libtern.a $(BUILD)/dropin/exports.map
	@mkdir -p $(@D)
	$(Q)$(SHARED) -Wl,-Bsymbolic -Wl,--version-script=$(BUILD)/dropin/exports.map -o $@ \
	  -Wl,--whole-archive $< -Wl,--no-whole-archive $(LDLIBS)
THIN = $(SHARED) -Wl,-rpath,'$$ORIGIN' -o $@ $< -Wl,--no-as-needed $(BUILD)/dropin/libtern.so -ldl
$(BUILD)/dropin/libcudart.so.%: cmd/dropin/cudart%.c $(BUILD)/dropin/libtern.so $(BUILD)/flags
	@echo '$(@F) { global: *; };' >$@.map
	$(Q)$(THIN) -Wl,--version-script=$@.map
# Each by its name: a rule for several patterns would be one run for all of them.
$(filter $(foreach l,$(LIBRARIES),$(BUILD)/dropin/lib$(l).so.%),$(DROPINS)): cmd/dropin/library.c $(BUILD)/dropin/libtern.so $(BUILD)/flags
	@echo '$(@F) { global: *; };' >$@.map
	$(Q)$(THIN) -Wl,--version-script=$@.map
$(BUILD)/dropin/libcuda.so.1: cmd/dropin/cuda.c $(BUILD)/dropin/libtern.so $(BUILD)/flags
	$(Q)$(THIN)
$(BUILD)/dropin/libnvidia-ml.so.1 $(BUILD)/dropin/libcupti.so.12 $(BUILD)/dropin/libcupti.so.13: cmd/dropin/library.c $(BUILD)/dropin/libtern.so $(BUILD)/flags
	$(Q)$(THIN)
$(BUILD)/dropin/libptxrun.so: cmd/dropin/ptx_run.c $(BUILD)/dropin/libtern.so $(BUILD)/flags
	$(Q)$(THIN)
# Alone: every program under `tern exec` loads it, and it is to be the first that is initialised.
$(BUILD)/dropin/libternstatic.so: cmd/dropin/static.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(Q)$(SHARED) -Wl,-z,initfirst -o $@ $< -ldl

# Built where it is used, with the MPI that is there: `tern mpi`.
$(BUILD)/dropin/mpi.c $(BUILD)/dropin/mpi_calls.h: $(BUILD)/dropin/%: cmd/dropin/%
	@mkdir -p $(@D)
	$(Q)cp $< $@

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(STRICT) -MMD -MP -c -o $@ $<

# Which targets there are follows from the folders.
$(BUILD)/src/back/targets.o: $(wildcard src/back/*)

# A change of compiler or flags rebuilds; so does a change of the list of embedded headers.
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(CPPFLAGS) $(CFLAGS)$(LIB_CFLAGS:%= %)' | cmp -s - $@ || echo '$(CC) $(CPPFLAGS) $(CFLAGS)$(LIB_CFLAGS:%= %)' >$@
$(BUILD)/gen/embedded.list: FORCE
	@mkdir -p $(@D)
	@echo '$(HEADERS)' | cmp -s - $@ || echo '$(HEADERS)' >$@

# Which Tern this is, to code that it kept: a hash of all that decides what machine code the IR becomes.
# To modules that it kept, too: of all that decides what IR a source becomes.
MAKERS  := $(sort $(shell find $(addprefix src/,base ir pass opt lower mach back rt) -type f))
READERS := $(sort $(shell find src/front src/driver include/cuda device -type f) tool/library.c tool/image.c)
$(BUILD)/gen/identity.h: FORCE
	@mkdir -p $(@D)
	$(Q)cat $(MAKERS) | sha256sum | sed 's/^\(.\{32\}\).*/#define TERN_IDENTITY "\1"/' >$@.new
	$(Q)cat $(READERS) | sha256sum | sed 's/^\(.\{32\}\).*/#define TERN_READER "\1"/' >>$@.new
	$(Q)if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
$(BUILD)/src/rt/image.o: $(BUILD)/gen/identity.h

# The headers and the device library travel inside the program: include/cuda/x.h is "x.h",
# device/x.h is "device/x.h".
$(BUILD)/host/embed: tool/embed.c
	@mkdir -p $(@D)
	$(Q)$(HOSTCC) -std=c11 -O1 -Wall -Wextra $(STRICT) -o $@ $<
$(BUILD)/gen/embedded.c: $(BUILD)/host/embed $(BUILD)/gen/embedded.list $(HEADERS)
	$(Q)$(BUILD)/host/embed $@ $(foreach h,$(HEADERS),$(h:include/cuda/%=%)=$(h))
# The functions of a library's table, each a call of the one function of its family.
$(TABLES:%=$(BUILD)/gen/lib_%.c): $(BUILD)/gen/lib_%.c: tool/libapi src/lib/libraries.def $(wildcard src/lib/*/*.def)
	@mkdir -p $(@D)
	$(Q)folder=$$(basename $$(dirname src/lib/*/$*.def)); \
	  { for h in src/lib/$$folder/*_int.h; do echo "#include \"$${h#src/}\""; done; tool/libapi code $*; } >$@
$(BUILD)/gen/lib_cublas_old.c: tool/libapi src/lib/blas/cublas.def
	@mkdir -p $(@D)
	$(Q){ echo '#include "lib/blas/old.h"'; tool/libapi legacy-code cublas; } >$@
# The loops around the micro-kernels.
$(BUILD)/src/lib/blas/host/%.o: CFLAGS += -O3
$(BUILD)/src/lib/sparse/host/%.o: CFLAGS += -O3 -ffp-contract=fast
$(BUILD)/src/lib/fft/host/%.o: CFLAGS += -O3 -ffp-contract=fast
$(BUILD)/src/lib/nccl/host/%.o: CFLAGS += -O3
$(BUILD)/src/lib/solver/host/%.o: CFLAGS += -O3 -ffp-contract=fast
$(BUILD)/src/lib/rand/philox.o: CFLAGS += -O3
$(BUILD)/src/lib/dnn/host.o: CFLAGS += -O3
$(TABLES:%=$(BUILD)/gen/lib_%.h): $(BUILD)/gen/lib_%.h: tool/libapi $(wildcard src/lib/*/*.def)
	@mkdir -p $(@D)
	$(Q)tool/libapi families $* >$@
$(filter $(BUILD)/src/lib/%,$(OBJ)) $(TABLES:%=$(BUILD)/gen/lib_%.o) $(BUILD)/gen/lib_cublas_old.o: $(TABLES:%=$(BUILD)/gen/lib_%.h)
$(TABLES:%=$(BUILD)/gen/lib_%.o): $(BUILD)/gen/lib_%.o: $(BUILD)/gen/lib_%.c $(BUILD)/flags
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(STRICT) -MMD -MP -c -o $@ $<
$(BUILD)/gen/%.o: $(BUILD)/gen/%.c $(BUILD)/flags
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(STRICT) -c -o $@ $<

# The device library also as a table of its functions: a compilation reads the ones that it reaches.
LIBRARY := device/libm/f32.h device/libm/quick.h device/libm/f64.h device/libm/half.h device/libm/simd.h device/rand/dist.h
$(BUILD)/host/library: tool/library.c
	@mkdir -p $(@D)
	$(Q)$(HOSTCC) -std=c11 -O1 -Wall -Wextra $(STRICT) -o $@ $<
$(BUILD)/gen/library.c: $(BUILD)/host/library $(filter device/%,$(HEADERS)) Makefile
	@mkdir -p $(@D)
	$(Q)printf '#include "%s"\n' $(LIBRARY) | $(HOSTCC) -E -P -undef -D__TERN__ -I. -x c - >$@.txt
	$(Q)$(BUILD)/host/library $@ <$@.txt

# Images of the headers: the preprocessor itself, with its eyes on what it does, reads them all.
IMAGE_SRC := tool/image.c $(filter-out src/front/cuda/pp/image.c,$(wildcard src/front/cuda/pp/*.c)) \
             $(addprefix src/base/,arena.c diag.c format.c json.c map.c source.c str.c vec.c)
$(BUILD)/host/image: $(IMAGE_SRC) $(wildcard src/front/cuda/pp/*.h src/front/cuda/pp/*.def src/base/*.h) \
                     $(BUILD)/gen/embedded.c $(BUILD)/gen/library.c
	@mkdir -p $(@D)
	$(Q)$(HOSTCC) -std=c11 -O1 -D_GNU_SOURCE -DTERN_RECORD -Iinclude -Isrc $(WARN) $(STRICT) -o $@ $(IMAGE_SRC) \
	  $(BUILD)/gen/embedded.c $(BUILD)/gen/library.c -lm
$(BUILD)/gen/images.c: $(BUILD)/host/image
	$(Q)$< $@ $@.list

# What outputs carry word for word, each from files of its own language, with the numbers of our headers put in.
TEXTS := c_abi_text=src/back/cpu_abi.h $(foreach t,types blocks fiber standalone,c_$(t)_text=src/back/c/text/$(t).inc)
WASM_TEXTS := $(foreach t,launch wait park_warp host float math,src/back/wasm/text/$(t).ir)
WGSL_TEXTS := $(foreach t,helpers helpers_f64 helpers_park,src/back/wgsl/$(t).def)
$(BUILD)/host/text: tool/text.c
	@mkdir -p $(@D)
	$(Q)$(HOSTCC) -std=c11 -D_GNU_SOURCE -O1 -Wall -Wextra $(STRICT) -Iinclude -Isrc -MMD -MP -MF $@.d -MT $@ -o $@ $<
-include $(BUILD)/host/text.d
$(BUILD)/gen/texts.c: $(BUILD)/host/text $(foreach t,$(TEXTS),$(lastword $(subst =, ,$(t)))) $(WASM_TEXTS) Makefile
	@mkdir -p $(@D)
	$(Q)$(BUILD)/host/text $@ $(TEXTS) wasm_runtime=$(subst $() $(),$(COMMA),$(WASM_TEXTS))
$(BUILD)/gen/prof_page.c: $(BUILD)/host/text src/prof/page.html
	@mkdir -p $(@D)
	$(Q)$(BUILD)/host/text $@ prof_page=src/prof/page.html
$(BUILD)/gen/wgsl_helpers.def: $(BUILD)/host/text $(WGSL_TEXTS)
	@mkdir -p $(@D)
	$(Q)$(BUILD)/host/text -d $@ $(WGSL_TEXTS)
$(BUILD)/src/back/wgsl/helpers.o $(BUILD)/wasm/src/back/wgsl/helpers.o: $(BUILD)/gen/wgsl_helpers.def
$(BUILD)/gen/abi.js: $(BUILD)/host/text
	@mkdir -p $(@D)
	$(Q)$(BUILD)/host/text -j $@
abi: $(BUILD)/gen/abi.js
	$(Q)cp $< web/tern/abi.js

# The unit tests see every allocation of ours, so that each can be made to fail.
$(BUILD)/unit: $(UNITOBJ) $(BUILD)/libtern.a
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc -o $@ $^ $(LDLIBS)

# CFG=fuzz CC=clang: libFuzzer. Any other CFG: a driver that replays files.
$(BUILD)/libfuzzed.a: $(FUZZOBJ)
	$(Q)rm -f $@ && $(AR) rcs $@ $(FUZZOBJ)
$(BUILD)/fuzz_%: $(BUILD)/test/fuzz/fuzz_%.o $(BUILD)/test/fuzz/replay.o $(BUILD)/libfuzzed.a
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(if $(filter fuzz,$(CFG)),-fsanitize=fuzzer) -o $@ \
	  $(if $(filter fuzz,$(CFG)),$(filter-out %/replay.o,$^),$^) $(LDLIBS)
fuzzers: $(FUZZERS)

$(BUILD)/bench_%: $(BUILD)/bench/bench_%.o $(BUILD)/libtern.a
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

-include $(OBJ:.o=.d) $(CMDOBJ:.o=.d) $(NVCCOBJ:.o=.d) $(UNITOBJ:.o=.d) $(wildcard $(BUILD)/test/fuzz/*.d $(BUILD)/bench/*.d)

# The browser's half: build/web is the npm package, the playground and the compiler as WebAssembly, ready to be
# served or copied anywhere. The compiler takes clang, lld and wasi-libc for wasm32; without them the
# page asks `tern serve` to compile.
WEB_CC    ?= clang
WEB_FILES := $(sort $(shell find web/tern web/play -type f 2>/dev/null))
WEB_SRC   := $(sort $(wildcard src/base/*.c src/ir/*.c src/front/*/*.c src/front/*/*/*.c src/pass/*.c src/opt/*.c src/lower/*.c src/lower/*/*.c src/advise/*.c src/back/*.c \
               src/back/*/*.c src/driver/*.c web/compiler/*.c))
# What only whole programs need, and what is compiled in another way for them: in a compiler of their own.
WHOLE_SRC := src/front/cuda/lower/host.c src/front/cuda/lower/host_init.c src/front/cuda/lower/host_throw.c src/front/cuda/sema/except.c src/back/wasm/host.c src/back/plain.c
# One thread; WebAssembly runs the kernels; pages read CUDA, and of inline PTX what no_ptx.c does not refuse.
WEB_OUT   := src/base/thread.c \
             src/base/progress.c \
             src/base/report.c \
             src/base/settings.c \
             src/front/ptx/% \
             src/front/ptxops/mbarrier.c \
             src/front/ptxops/bulk.c \
             src/front/ptxops/wgmma.c \
             src/driver/synchrony.c \
             src/driver/store.c \
             src/ir/store.c \
             src/lower/expand/async.c \
             src/lower/expand/clusters.c \
             src/lower/expand/halves.c \
             src/lower/gang/alone.c \
             src/lower/gang/check.c \
             src/lower/gang/joins.c \
             src/back/ptx/async.c \
             src/back/ptx/tie.c \
             src/front/ptxops/texture.c \
             src/front/ptxops/wmma.c \
             src/back/a64/% \
             src/back/x64/% \
             src/back/sass/% \
             src/back/cpu_select.c \
             src/back/cpu_ops.c \
             src/back/cpu_vector.c \
             src/back/cpu_call.c \
             src/back/cpu_lanes.c \
             src/back/cpu_columns.c \
             src/back/cpu_gather.c \
             src/back/cpu_image.c \
             src/back/cpu_plain.c \
             $(WHOLE_SRC) \
             src/back/cpu_debug.c \
             src/ir/debug.c \
             src/front/cuda/lower/debug.c
WEB_SRC   := $(filter-out $(WEB_OUT),$(WEB_SRC))
# Algorithms that host code calls, and what includes them.
WEB_RANGES := include/cuda/nvfunctional include/cuda/tern_parallel% include/cuda/thrust/% include/cuda/cub/% include/cuda/cuda/iterator include/cuda/cuda/stream% include/cuda/cuda/__stream/% \
             include/cuda/cuda/__execution/% include/cuda/cuda/std/execution
# What kernels seldom include: only where whole programs are compiled.
WEB_SELDOM := include/cuda/tern_mma_bits.h include/cuda/tern_complex.h $(wildcard include/cuda/cuda_fp4.h* include/cuda/cuda_fp6.h*) $(addprefix include/cuda/cuda/,annotated_ptr bit discard_memory mdspan numeric ptx type_traits warp work_stealing \
                $(addprefix std/,__more/% bitset ccomplex chrono complex ctime inplace_vector mdspan ratio source_location variant))
# Only for host code, or in library.c already.
WEB_HOST  := include/cuda/tern_host% include/cuda/host/% include/cuda/skipped/% include/cuda/samples/% include/cuda/cuda_runtime_types.h include/cuda/cuda_driver_types.h include/cuda/cuda_external_types.h include/cuda/cuda_jit_types.h \
             include/cuda/curand_mtgp32_host.h include/cuda/curand_mtgp32dc% include/cuda/tern_bulk.h $(WEB_SELDOM) device/rand/% \
             $(filter-out %/prim.h,$(filter device/libm/%,$(HEADERS))) \
             $(WEB_RANGES) include/cuda/hip% \
             include/cuda/tern_abi.h device/gpu/async.h device/gpu/check.h \
             include/cuda/tern_cublas% include/cuda/tern_cufft% include/cuda/tern_cusparse.h include/cuda/tern_krylov.h include/cuda/tern_solver.h include/cuda/tern_fft.h include/cuda/tern_blas.h include/cuda/tern_npp.h include/cuda/tern_nccl.h include/cuda/tern_cupti% include/cuda/tern_cusolver% include/cuda/tern_terndnn.h include/cuda/tern_cudnn.h include/cuda/tern_cudnn_graph.h $(patsubst src/lib/%,device/%/%,$(wildcard src/lib/*))
# There for those who include them; nothing in them is for device code.
WEB_EMPTY := $(wildcard include/cuda/npp*.h) include/cuda/terndnn.h include/cuda/cudnn.h include/cuda/cudnn_version.h include/cuda/cudnn_ops.h include/cuda/cudnn_cnn.h include/cuda/cudnn_adv.h include/cuda/cudnn_graph.h include/cuda/cudnn_backend.h include/cuda/nccl.h include/cuda/cublas.h include/cuda/cublasLt.h include/cuda/cublasXt.h include/cuda/cublas_v2.h include/cuda/cublas_api.h include/cuda/cusparse.h include/cuda/cusparse_v2.h include/cuda/cusolver_common.h include/cuda/cusolverDn.h include/cuda/cusolverSp.h include/cuda/cusolverSp_LOWLEVEL_PREVIEW.h include/cuda/cusolverRf.h include/cuda/cusolverMg.h include/cuda/curand.h include/cuda/cufft.h include/cuda/cufftXt.h include/cuda/cufftw.h include/cuda/cudalibxt.h include/cuda/nvml.h include/cuda/cupti.h include/cuda/nvrtc.h include/cuda/nvtx3/nvToolsExt.h include/cuda/nvtx3/nvtx3.hpp include/cuda/cudaTypedefs.h include/cuda/cuda_occupancy.h
# Libraries are for machines.
WHOLE_NOT := $(filter-out include/cuda/tern_host% include/cuda/host/% include/cuda/samples/% include/cuda/skipped/% include/cuda/cuda_runtime_types.h include/cuda/cuda_driver_types.h include/cuda/cuda_external_types.h include/cuda/cuda_jit_types.h \
               $(WEB_RANGES) $(WEB_SELDOM) include/cuda/tern_abi.h,$(WEB_HOST))
WHOLE_TWICE := $(shell grep -lE 'cu_host|wasm_is_host|TERN_WHOLE' $(WEB_SRC))
WHOLE_OBJ := $(patsubst %.c,$(BUILD)/wasm/whole/%.o,$(WHOLE_SRC) $(WHOLE_TWICE)) $(patsubst %.c,$(BUILD)/wasm/%.o,$(filter-out $(WHOLE_TWICE),$(WEB_SRC))) \
             $(BUILD)/wasm/whole/embedded.o $(BUILD)/wasm/library.o $(BUILD)/wasm/texts.o
WEB_OBJ   := $(WEB_SRC:%.c=$(BUILD)/wasm/%.o) $(BUILD)/wasm/embedded.o $(BUILD)/wasm/library.o \
             $(BUILD)/wasm/texts.o
WEB_FLAGS := --target=wasm32-wasi -mexception-handling -mllvm -wasm-enable-sjlj -mbulk-memory -msign-ext \
             -mnontrapping-fptoint -std=c11 -Oz -mllvm -inline-threshold=-25 -DNDEBUG -DTERN_SMALL -fno-math-errno \
             -ffp-contract=off -ffunction-sections -fdata-sections $(WARN)
# What the package's own gemm, fft, scan and sort are: the libraries' kernels as text, and cuFFT's planner.
WEB_KERNELS := $(addprefix device/,$(addprefix blas/,types.h product.h stored.h gemm.h level1.h level2.h) $(addprefix fft/,step.h butterfly.h lines.h)) \
             web/library/products.cuh web/library/ranges.cuh $(sort $(wildcard include/cuda/tern_parallel*.h))
FFT_OBJ   := $(patsubst %,$(BUILD)/wasm/%.o,$(addprefix src/lib/fft/,layout plan shape table) web/library/plan $(addprefix web/compiler/,libc memory unpack))
web: all $(BUILD)/web/index.html
	$(Q)! tool/web-compiler $(WEB_CC) || $(MAKE) --no-print-directory $(addprefix $(BUILD)/web/tern/tern,.wasm -host.wasm -fft.wasm)
WEB_DOC := $(addprefix doc/,tutorial.md language.md mistakes.md glossary.md deterministic.md wgsl-abi.md wasm-abi.md ir-ops.md) # the page's help links to them
$(BUILD)/web/index.html: $(WEB_FILES) $(WEB_DOC)
	@mkdir -p $(@D)
	$(Q)cp -r web/tern web/play/. $(@D) && cp LICENSE $(@D)/tern && mkdir -p $(@D)/doc && cp $(WEB_DOC) $(@D)/doc && touch $@
$(BUILD)/web/tern/sources.js: $(BUILD)/web/index.html tool/web-sources $(WEB_KERNELS)
	$(Q)tool/web-sources $(WEB_KERNELS) >$@.new && mv $@.new $@
$(BUILD)/wasm/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(WEB_CC) $(WEB_FLAGS) $(STRICT) -Iweb/compiler $(CPPFLAGS) -MMD -MP -c -o $@ $<
$(BUILD)/wasm/embedded.c: $(BUILD)/host/embed $(BUILD)/gen/embedded.list $(HEADERS) Makefile
	@mkdir -p $(@D)
	$(Q)$(BUILD)/host/embed -s $@ $(WEB_EMPTY:include/cuda/%=%=/dev/null) \
	  $(foreach h,$(filter-out $(WEB_HOST) $(WEB_EMPTY),$(HEADERS)),$(h:include/cuda/%=%)=$(h))
$(BUILD)/wasm/whole/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(WEB_CC) $(WEB_FLAGS) -DTERN_WHOLE $(STRICT) -Iweb/compiler $(CPPFLAGS) -MMD -MP -c -o $@ $<
$(BUILD)/wasm/whole/embedded.c: $(BUILD)/host/embed $(BUILD)/gen/embedded.list $(HEADERS) Makefile
	@mkdir -p $(@D)
	$(Q)$(BUILD)/host/embed -w $@ $(foreach h,$(filter-out $(WHOLE_NOT) $(filter-out include/cuda/cudaTypedefs.h include/cuda/cuda_occupancy.h,$(WEB_EMPTY)),$(HEADERS)),$(h:include/cuda/%=%)=$(h))
$(BUILD)/wasm/whole/embedded.o: $(BUILD)/wasm/whole/embedded.c
	@mkdir -p $(@D)
	$(Q)$(WEB_CC) $(WEB_FLAGS) $(STRICT) -Iweb/compiler $(CPPFLAGS) -c -o $@ $<
$(BUILD)/wasm/library.c: $(BUILD)/gen/library.c
	@mkdir -p $(@D)
	$(Q)sed -E -e 's/^ +//; s/([][,;(){}=*+<?:]) +/\1/g; s/ +([][,;(){}*?])/\1/g' \
	  -e 's/([A-Za-z0-9_)]) +([|&^%<>=!~:/])/\1\2/g; s/([|&^%<>=!~:/]) +([A-Za-z0-9_(])/\1\2/g' $<.txt | $(BUILD)/host/library $@
$(BUILD)/wasm/library.o: $(BUILD)/wasm/library.c
	@mkdir -p $(@D)
	$(Q)$(WEB_CC) $(WEB_FLAGS) $(STRICT) -Iweb/compiler $(CPPFLAGS) -c -o $@ $<
$(BUILD)/wasm/embedded.o: $(BUILD)/wasm/embedded.c
	@mkdir -p $(@D)
	$(Q)$(WEB_CC) $(WEB_FLAGS) $(STRICT) -Iweb/compiler $(CPPFLAGS) -c -o $@ $<
$(BUILD)/wasm/texts.o: $(BUILD)/gen/texts.c
	@mkdir -p $(@D)
	$(Q)$(WEB_CC) $(WEB_FLAGS) $(STRICT) -Iweb/compiler $(CPPFLAGS) -c -o $@ $<
$(BUILD)/wasm/web/compiler/unpack.o: WEB_FLAGS += -O2 # everybody waits for it
$(BUILD)/host/pack: tool/pack.c web/compiler/pack.h
	@mkdir -p $(@D)
	$(Q)$(HOSTCC) -std=c11 -O2 -Wall -Wextra $(STRICT) -o $@ $< -lm
# wasm-opt, where it is, makes it a twelfth smaller. The stack comes first in memory, so that running out of it traps.
$(BUILD)/web/tern/tern.wasm: $(WEB_OBJ)
$(BUILD)/web/tern/tern-host.wasm: $(WHOLE_OBJ)
$(BUILD)/web/tern/tern-fft.wasm: $(FFT_OBJ)
# Not to the last byte (--converge): 200 of them take three times as long.
$(BUILD)/web/tern/%.wasm: $(BUILD)/web/index.html $(BUILD)/host/pack
	@mkdir -p $(@D)
	$(Q)$(WEB_CC) --target=wasm32-wasi -mexec-model=reactor -Wl,--gc-sections,-s,-z,stack-size=2097152,--stack-first \
	  -Wl,--max-memory=1073741824,--export=__heap_base -o $@.tmp $(filter %.o,$^)
	$(Q)! command -v wasm-opt >/dev/null || \
	  wasm-opt --enable-exception-handling --enable-bulk-memory --enable-sign-ext --enable-nontrapping-float-to-int \
	    --low-memory-unused --always-inline-max-function-size=0 --flexible-inline-max-function-size=0 \
	    --one-caller-inline-max-function-size=0 -Oz $@.tmp -o $@.tmp
	$(Q)$(BUILD)/host/pack $@.tmp && mv $@.tmp $@
-include $(WEB_OBJ:.o=.d) $(WHOLE_OBJ:.o=.d) $(FFT_OBJ:.o=.d)

# What the test scripts are told.
TEST_ENV = BUILD='$(abspath $(BUILD))' CFG='$(CFG)' CC='$(CC)' MAKE='$(MAKE)'

run: all
	$(Q)tool/run-example $(BUILD)/tern

test: all $(BUILD)/unit
	$(Q)tool/setup-test-tools
	$(Q)$(TEST_ENV) tool/test-run
test-long: all $(BUILD)/unit
	$(Q)tool/setup-test-tools
	$(Q)$(TEST_ENV) TERN_TEST_LONG=1 tool/test-run
check-quick: all $(BUILD)/unit
	$(Q)$(TEST_ENV) tool/test-run unit golden
bless: all
	$(Q)$(TEST_ENV) TERN_BLESS=1 test/golden/run

# Formats the files that differ from the last commit, but for CUDA C++, which is formatted by hand.
format:
	$(Q)(git diff --name-only --diff-filter=d HEAD; git ls-files -o --exclude-standard) | \
	  grep '\.[ch]$$' | grep -Ev '^(include/cuda|device)/' | xargs -r clang-format -i
lint:
	$(Q)tool/lint
# The pages under doc/ that come from tables.
$(BUILD)/irdoc: $(BUILD)/tool/irdoc.o $(BUILD)/libtern.a
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)
doc: $(BUILD)/irdoc $(BUILD)/tern
	$(Q)$(BUILD)/irdoc >doc/ir-ops.md
	$(Q)TERN=$(BUILD)/tern tool/parkwarp >$(BUILD)/park_warp.ir && mv $(BUILD)/park_warp.ir src/back/wasm/text/park_warp.ir
	$(Q)tool/apidoc >doc/api.md
	$(Q)tool/settingsdoc >doc/settings.md
	$(Q)tool/mistakes >doc/mistakes.md
	$(Q)tool/libheaders && tool/libdoc
coverage:
	$(Q)$(MAKE) CFG=coverage all build/coverage/unit
	$(Q)tool/coverage
fuzz:
	$(Q)TERN_TEST_LONG=1 $(TEST_ENV) test/fuzz/run
bench: all $(BENCHES)
	$(Q)$(TEST_ENV) bench/run

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib
	install -m 755 $(BUILD)/tern $(BUILD)/terncc $(DESTDIR)$(PREFIX)/bin/
	ln -sf terncc $(DESTDIR)$(PREFIX)/bin/ternhip
	install -m 644 $(BUILD)/libtern.a $(DESTDIR)$(PREFIX)/lib/libtern.a
	install -m 755 $(BUILD)/libtern.so.$(VERSION) $(DESTDIR)$(PREFIX)/lib/
	ln -sf libtern.so.$(VERSION) $(DESTDIR)$(PREFIX)/lib/libtern.so.$(SOVERSION)
	ln -sf libtern.so.$(SOVERSION) $(DESTDIR)$(PREFIX)/lib/libtern.so
	install -D -m 644 tool/python/tern/__init__.py $(DESTDIR)$(PREFIX)/lib/tern/python/tern/__init__.py
	tool/package/fill $(PREFIX) $(DESTDIR)$(PREFIX) $(BUILD)/tern
	set -e; for f in $$(find include/tern -name '*.h' -o -name '*.def'); do \
	  install -D -m 644 $$f $(DESTDIR)$(PREFIX)/$$f; done
	set -e; for f in $(filter include/cuda/%,$(HEADERS)); do \
	  install -D -m 644 $$f $(DESTDIR)$(PREFIX)/include/tern/$${f#include/}; done
	set -e; for f in $(filter device/%,$(HEADERS)); do \
	  install -D -m 644 $$f $(DESTDIR)$(PREFIX)/share/tern/$$f; done
	install -d $(DESTDIR)$(PREFIX)/lib/tern/dropin
	install -m 755 $(BUILD)/dropin/libtern.so $(DROPINS) $(DESTDIR)$(PREFIX)/lib/tern/dropin/
	install -m 644 $(BUILD)/dropin/mpi.c $(BUILD)/dropin/mpi_calls.h $(DESTDIR)$(PREFIX)/lib/tern/dropin/
	tool/toolkit $(DESTDIR)$(PREFIX)/lib/tern/cuda ../../../../bin/terncc ../../../include/tern/cuda ../../../libtern.a
	set -e; cd $(BUILD)/web; for f in $$(find . -type f); do \
	  install -D -m 644 $$f $(DESTDIR)$(PREFIX)/share/tern/web/$$f; done
uninstall:
	rm -rf $(DESTDIR)$(PREFIX)/bin/tern $(DESTDIR)$(PREFIX)/bin/terncc $(DESTDIR)$(PREFIX)/bin/ternhip \
	  $(DESTDIR)$(PREFIX)/lib/libtern.a $(DESTDIR)$(PREFIX)/lib/libtern.so* $(DESTDIR)$(PREFIX)/lib/tern \
	  $(DESTDIR)$(PREFIX)/lib/pkgconfig/tern.pc $(DESTDIR)$(PREFIX)/lib/cmake/Tern \
	  $(DESTDIR)$(PREFIX)/share/man/man1/tern.1 $(DESTDIR)$(PREFIX)/share/man/man1/tern-*.1 \
	  $(DESTDIR)$(PREFIX)/share/bash-completion/completions/tern $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_tern \
	  $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/tern.fish \
	  $(DESTDIR)$(PREFIX)/include/tern $(DESTDIR)$(PREFIX)/share/tern
# build/tern_VERSION_ARCH.deb
deb: all
	$(Q)rm -rf $(BUILD)/deb
	$(Q)$(MAKE) --no-print-directory install DESTDIR=$(CURDIR)/$(BUILD)/deb PREFIX=/usr >/dev/null
	$(Q)tool/package/deb $(BUILD)/deb $(BUILD)

clean:
	rm -rf build

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all abi doc run test test-long check-quick bless format lint coverage fuzz fuzzers bench install deb uninstall \
        clean web FORCE
