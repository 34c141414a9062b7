# What can be done here; `make` alone prints it. The work is in scripts/, one file a thing.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:

VERSION := $(shell cat VERSION)
ARCH := $(shell uname -m)
PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
SECONDS_EACH ?= 60
BENCH ?= --markdown docs/performance.md --json .build/bench/results.json
SOCKET_BENCH ?= $(if $(filter --quick,$(BENCH)),--quick,--markdown docs/performance-sockets.md)
export JOBS

# Debian packages; NAME=MODULE is also satisfied by a module that pkg-config knows.
BUILD_PACKAGES := pkg-config libc-ares-dev=libcares libtomlplusplus-dev=tomlplusplus \
  libssl-dev=openssl
TEST_PACKAGES := $(BUILD_PACKAGES) curl shellcheck nginx-light openssl openssh-server iperf3 wrk \
  iproute2 util-linux lftp wget vsftpd python3-pyftpdlib

# The release build with the Swift runtime inside has a folder of its own.
STATIC := .build/static
RELEASE := swift build -c release --static-swift-stdlib --scratch-path $(STATIC) -j $(JOBS)

ifneq ($(shell uname -s),Linux)
ifneq ($(filter-out help clean format lint,$(MAKECMDGOALS)),)
$(error Adit runs on Linux only: its tunnels are made of what no other system has)
endif
endif

.PHONY: help run test build install dist bench fuzz docs format lint clean toolchain
.PHONY: build-packages

help:  ## print this
	@echo "Adit $(VERSION): make TARGET [NAME=VALUE…]"
	@echo "YES=1 installs what is missing without asking."
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: build  ## open a tunnel to a page of its own; LISTEN= and TARGET= make it yours
	@scripts/run $(STATIC)/release

test: toolchain  ## run all that CI runs: lint, builds, tests, sanitizers, fuzz corpora, docs
	@scripts/packages $(TEST_PACKAGES)
	@scripts/test

build: build-packages  ## build the release binary with the Swift runtime inside
	@$(RELEASE)

install: build  ## install below PREFIX (/usr/local), staged in DESTDIR
	@scripts/install $(STATIC)/release/adit "$(DESTDIR)" "$(PREFIX)"

dist: build  ## make dist/adit-VERSION-ARCH.tar.gz
	@scripts/dist $(STATIC)/release/adit adit-$(VERSION)-$(ARCH)

bench: build  ## measure against other relays, side by side; BENCH=--quick for a first look
	@ADIT="$(CURDIR)/$(STATIC)/release/adit" scripts/optional Bench/run $(BENCH)
	@scripts/optional Bench/Sockets/run $(SOCKET_BENCH)

fuzz: build-packages  ## fuzz each parser for SECONDS_EACH=60 seconds
	@scripts/optional Fuzz/run $(SECONDS_EACH)

docs: build-packages  ## build the documentation of the libraries into .build/docs
	@scripts/docs

format: toolchain  ## format the Swift code
	@swift format --in-place --recursive $$(scripts/swift-sources)

lint: toolchain  ## check the format of the Swift code and the shell scripts
	@scripts/lint

clean:  ## remove everything that was built
	@rm -rf .build dist Fuzz/.build Bench/.build Bench/Sockets/.build Examples/.build

toolchain:
	@command -v swift >/dev/null \
	  || { echo "Adit needs the Swift 6.3 toolchain: https://www.swift.org/install/linux/" >&2; exit 1; }

build-packages: toolchain
	@scripts/packages $(BUILD_PACKAGES)
