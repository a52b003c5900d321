//! Sets the linker flags a Node addon needs; does nothing for the plain Rust crate.

fn main() {
    #[cfg(feature = "node")]
    napi_build::setup();
}
