//! The addon's allocator: mimalloc, with the system's allocator as its fallback. mimalloc reserves address space in
//! units of 32 MiB or more. If that is limited (`ulimit -v`), it fails while much memory is left, which would end the
//! process; the system's allocator needs little.
#![allow(unsafe_code, reason = "an allocator hands out memory")]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicBool, Ordering},
};

use mimalloc::MiMalloc;

/// mimalloc, with the system's allocator as its fallback.
pub struct Allocator {
    /// True once the system's allocator was used. Until then no pointer's origin has to be checked.
    has_fallen_back: AtomicBool,
}

impl Allocator {
    /// Creates an allocator that has allocated nothing.
    pub const fn new() -> Self {
        Self { has_fallen_back: AtomicBool::new(false) }
    }

    fn is_system(&self, pointer: *mut u8) -> bool {
        // This was set before any pointer from the system's allocator was handed out.
        self.has_fallen_back.load(Ordering::Relaxed)
            // SAFETY: the function looks up the address without reading the memory there.
            && !unsafe { libmimalloc_sys::mi_is_in_heap_region(pointer.cast()) }
    }

    #[cold]
    fn fall_back(&self) -> System {
        self.has_fallen_back.store(true, Ordering::Relaxed);
        System
    }
}

// SAFETY: every pointer is from one of two allocators that keep the contract, and is returned to the one it is from.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's guarantees are passed on, here and below.
        let pointer = unsafe { MiMalloc.alloc(layout) };
        if pointer.is_null() { unsafe { self.fall_back().alloc(layout) } } else { pointer }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let pointer = unsafe { MiMalloc.alloc_zeroed(layout) };
        if pointer.is_null() { unsafe { self.fall_back().alloc_zeroed(layout) } } else { pointer }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        if self.is_system(pointer) {
            unsafe { System.dealloc(pointer, layout) }
        } else {
            unsafe { MiMalloc.dealloc(pointer, layout) }
        }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        if self.is_system(pointer) {
            return unsafe { System.realloc(pointer, layout, new_size) };
        }
        let moved = unsafe { MiMalloc.realloc(pointer, layout, new_size) };
        if !moved.is_null() {
            return moved;
        }
        // SAFETY: the new layout has the alignment of the old one, and a size that the caller may request.
        let moved = unsafe { self.fall_back().alloc(Layout::from_size_align_unchecked(new_size, layout.align())) };
        if !moved.is_null() {
            // SAFETY: both are at least that long, and the new one overlaps nothing.
            unsafe {
                moved.copy_from_nonoverlapping(pointer, layout.size().min(new_size));
                MiMalloc.dealloc(pointer, layout);
            }
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// More than any address space.
    const IMPOSSIBLE: usize = 1 << 60;

    #[test]
    fn memory_of_both_goes_back_to_where_it_is_from() {
        let allocator = Allocator::new();
        let layout = Layout::from_size_align(100, 8).unwrap();
        // SAFETY: layouts are not empty, and every pointer is freed once, with its layout at that time.
        unsafe {
            let before = allocator.alloc(layout);
            before.write_bytes(7, 100);
            assert!(allocator.realloc(before, layout, IMPOSSIBLE).is_null());
            assert!(!allocator.is_system(before), "it stays where it was");

            let system = System.alloc(layout);
            system.write_bytes(9, 100);
            assert!(allocator.is_system(system));
            let system = allocator.realloc(system, layout, 5000);
            assert!(allocator.is_system(system) && *system.add(99) == 9);
            allocator.dealloc(system, Layout::from_size_align(5000, 8).unwrap());

            let longer = allocator.realloc(before, layout, 50_000_000);
            assert!(!allocator.is_system(longer) && *longer.add(99) == 7, "what could not grow is whole");
            allocator.dealloc(longer, Layout::from_size_align(50_000_000, 8).unwrap());
            let zeroed = allocator.alloc_zeroed(layout);
            assert_eq!(*zeroed.add(99), 0);
            allocator.dealloc(zeroed, layout);
        }
    }

    #[test]
    fn what_mimalloc_cannot_give_is_tried_with_the_system() {
        let allocator = Allocator::new();
        let layout = Layout::from_size_align(IMPOSSIBLE, 8).unwrap();
        // SAFETY: the layout is not empty, and nothing is allocated.
        unsafe {
            assert!(allocator.alloc(layout).is_null() && allocator.alloc_zeroed(layout).is_null());
        }
        assert!(allocator.has_fallen_back.load(Ordering::Relaxed), "both were asked");
    }
}
