#!/bin/sh
# Prints the bytes of a program for one architecture as base64: build.sh probe|sweep|read amd64|arm64
# The bytes are those of gcc 12.2.0 and binutils 2.40, as in Debian 12: packages gcc, gcc-aarch64-linux-gnu (ADR 32).
set -eu
case "$1" in probe | sweep | read) ;; *) exit 2 ;; esac
case "$2" in amd64) compiler=x86_64-linux-gnu-gcc ;; arm64) compiler=aarch64-linux-gnu-gcc ;; *) exit 2 ;; esac
out=$(mktemp)
trap 'rm -f "$out"' EXIT
"$compiler" -Os -static -nostdlib -ffreestanding -fno-stack-protector -fno-asynchronous-unwind-tables -fno-pie -no-pie \
  -fno-tree-loop-distribute-patterns -Wl,-n,--build-id=none,-z,noexecstack -s -o "$out" "$(dirname "$0")/$1.c"
"${compiler%gcc}objcopy" --remove-section .comment --strip-section-headers "$out" 2> /dev/null || "${compiler%gcc}objcopy" --remove-section .comment "$out"
base64 -w 110 "$out"
