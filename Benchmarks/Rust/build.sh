#!/bin/sh
# build.sh CONTENDER OUT: builds one of the Rust contenders without the network; crates come from Debian's packages. Called by ../run.sh.
set -eu
name=$1
out=$(readlink -f "$2")
here=$(dirname "$(readlink -f "$0")")
case $name in
rust-std) exec rustc --edition 2021 -C opt-level=3 -o "$out/bench_rust-std" "$here/std.rs" ;;
crossbeam) needs='crossbeam = "0.8"' ;;
tokio) needs='tokio = { version = "1", features = ["rt-multi-thread", "sync", "time"] }' ;;
esac
mkdir -p "$out/rust/$name"
cd "$out/rust/$name"
cat >Cargo.toml.new <<END
[package]
name = "bench_$name"
version = "0.0.0"
edition = "2021"
[[bin]]
name = "bench_$name"
path = "$here/$name.rs"
[dependencies]
$needs
[workspace]
END
cmp -s Cargo.toml.new Cargo.toml || mv Cargo.toml.new Cargo.toml
# Not a part of make: it would warn of a jobserver that it may not use.
unset MAKEFLAGS
cargo build --quiet --release --offline --target-dir target --config 'source.crates-io.replace-with="debian"' \
    --config "source.debian.directory=\"/usr/share/cargo/registry\""
cp "target/release/bench_$name" "$out/bench_$name"
