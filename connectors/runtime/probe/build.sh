#!/bin/sh
# Prints the bytes of probe.c for one architecture as base64: build.sh amd64 | build.sh arm64
set -eu
case "$1" in amd64) compiler=x86_64-linux-gnu-gcc ;; arm64) compiler=aarch64-linux-gnu-gcc ;; *) exit 2 ;; esac
out=$(mktemp)
trap 'rm -f "$out"' EXIT
"$compiler" -Os -static -nostdlib -ffreestanding -fno-stack-protector -fno-asynchronous-unwind-tables -fno-pie -no-pie \
  -fno-tree-loop-distribute-patterns -Wl,-n,--build-id=none,-z,noexecstack -s -o "$out" "$(dirname "$0")/probe.c"
"${compiler%gcc}objcopy" --remove-section .comment --strip-section-headers "$out" 2> /dev/null || "${compiler%gcc}objcopy" --remove-section .comment "$out"
base64 -w 110 "$out"
