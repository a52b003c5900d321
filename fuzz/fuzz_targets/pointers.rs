#![no_main]

use libfuzzer_sys::fuzz_target;
use roo_condense::fuzzing;

fuzz_target!(|data: &[u8]| fuzzing::pointers(data));
