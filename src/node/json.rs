//! JSON for JavaScript.

use napi::{bindgen_prelude::ToNapiValue, check_status, sys};

use crate::conversation::utf16::narrow_json;

/// JSON for JavaScript to parse. It is prepared off the main thread, so that the main thread creates the string fast.
pub struct Json(String);

impl Json {
    /// Wraps JSON, narrowed for JavaScript.
    pub fn new(json: String) -> Self {
        Self(narrow_json(json))
    }
}

impl ToNapiValue for Json {
    #[expect(unsafe_code, reason = "napi has no function for strings of one byte a unit")]
    unsafe fn to_napi_value(env: sys::napi_env, Self(json): Self) -> napi::Result<sys::napi_value> {
        if !json.is_ascii() {
            // SAFETY: the environment is the caller's.
            return unsafe { String::to_napi_value(env, json) };
        }
        let mut value = std::ptr::null_mut();
        // SAFETY: as above; Node copies this many bytes, and ASCII is Latin-1.
        let status =
            unsafe { sys::napi_create_string_latin1(env, json.as_ptr().cast(), json.len() as isize, &raw mut value) };
        check_status!(status)?;
        Ok(value)
    }
}
