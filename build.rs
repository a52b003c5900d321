//! Sets the linker flags a Node addon needs; does nothing for the plain Rust crate.

fn main() {
    #[cfg(feature = "node")]
    {
        napi_build::setup();
        // Node unloads an addon when the last worker thread that has loaded it ends. Our own threads would then run code that is gone.
        if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
            println!("cargo:rustc-link-arg-cdylib=-Wl,-z,nodelete");
        }
    }
}
