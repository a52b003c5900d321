//! The addon's allocator: mimalloc, with the system's allocator as its fallback. mimalloc reserves address space in
//! units of 32 MiB or more. If that is limited (`ulimit -v`), it fails while much memory is left, which would end the
//! process; the system's allocator needs little.
#![allow(unsafe_code, reason = "an allocator hands out memory")]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    ptr::null_mut,
    sync::atomic::{AtomicBool, AtomicPtr, Ordering},
};

use mimalloc::MiMalloc;

/// Address space that work in progress may still use when the system refuses more: 64 MiB, nothing of it written.
const RESERVE: Layout = Layout::new::<[u64; 8 << 20]>();

/// mimalloc, with the system's allocator as its fallback.
pub struct Allocator {
    /// True once the system's allocator was used. Until then no pointer's origin has to be checked.
    has_fallen_back: AtomicBool,
    /// Null if there is no reserve.
    reserve: AtomicPtr<u8>,
}

impl Allocator {
    /// Creates an allocator that has allocated nothing.
    pub const fn new() -> Self {
        Self { has_fallen_back: AtomicBool::new(false), reserve: AtomicPtr::new(null_mut()) }
    }

    /// Allocates the reserve if there is none, so that the rest of the process cannot take all memory that was found
    /// free before the work began.
    pub fn replenish(&self) {
        if self.reserve.load(Ordering::Relaxed).is_null() {
            // SAFETY: the layout is not empty. The code that takes the pointer out of `reserve` frees it.
            Self::free_reserve(self.reserve.swap(unsafe { System.alloc(RESERVE) }, Ordering::AcqRel));
        }
    }

    fn free_reserve(reserve: *mut u8) -> bool {
        if !reserve.is_null() {
            // SAFETY: the pointer was allocated with this layout, and taken out of `reserve`.
            unsafe { System.dealloc(reserve, RESERVE) };
        }
        !reserve.is_null()
    }

    fn is_system(&self, pointer: *mut u8) -> bool {
        // This was set before any pointer from the system's allocator was handed out.
        self.has_fallen_back.load(Ordering::Relaxed)
            // SAFETY: the function looks up the address without reading the memory there.
            && !unsafe { libmimalloc_sys::mi_is_in_heap_region(pointer.cast()) }
    }

    /// Allocates with the system's allocator, if need be from the reserve.
    #[cold]
    fn fall_back(&self, alloc: impl Fn() -> *mut u8) -> *mut u8 {
        self.has_fallen_back.store(true, Ordering::Relaxed);
        let pointer = alloc();
        if pointer.is_null() && Self::free_reserve(self.reserve.swap(null_mut(), Ordering::AcqRel)) {
            alloc()
        } else {
            pointer
        }
    }
}

// SAFETY: every pointer is from one of two allocators that keep the contract, and is returned to the one it is from.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's guarantees are passed on, here and below.
        let pointer = unsafe { MiMalloc.alloc(layout) };
        if pointer.is_null() { self.fall_back(|| unsafe { System.alloc(layout) }) } else { pointer }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let pointer = unsafe { MiMalloc.alloc_zeroed(layout) };
        if pointer.is_null() { self.fall_back(|| unsafe { System.alloc_zeroed(layout) }) } else { pointer }
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
            return self.fall_back(|| unsafe { System.realloc(pointer, layout, new_size) });
        }
        let moved = unsafe { MiMalloc.realloc(pointer, layout, new_size) };
        if !moved.is_null() {
            return moved;
        }
        // SAFETY: the new layout has the alignment of the old one, and a size that the caller may request.
        let moved =
            self.fall_back(|| unsafe { System.alloc(Layout::from_size_align_unchecked(new_size, layout.align())) });
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

    #[test]
    fn the_reserve_is_given_up_once_and_taken_again() {
        let allocator = Allocator::new();
        let has_reserve = || !allocator.reserve.load(Ordering::Relaxed).is_null();
        let refused = || allocator.fall_back(null_mut);
        assert!(refused().is_null() && !has_reserve());
        allocator.replenish();
        allocator.replenish();
        assert!(has_reserve());
        let calls = std::cell::Cell::new(0);
        let given = allocator.fall_back(|| {
            calls.set(calls.get() + 1);
            if has_reserve() { null_mut() } else { std::ptr::dangling_mut() }
        });
        assert!(!given.is_null() && calls.get() == 2 && !has_reserve());
        assert!(refused().is_null());
    }
}
