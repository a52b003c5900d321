//! What a model reads where something was left out: written and recognised here.

mod pointer;

pub use self::pointer::{
    Counted, Marker, NUMBERED_EVERY, Reference, Target, TextName, clean_label, is_field, may_hold_markers,
};
