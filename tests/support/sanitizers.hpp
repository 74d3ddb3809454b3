// tests: which sanitizer is at work. Asked at run time, so that a test's object need not know it, and what is
// left out under one is reported as skipped instead of being absent.
#pragma once

extern "C" {
// Names that the sanitizers chose. NOLINTBEGIN(bugprone-reserved-identifier)
void __asan_init() __attribute__((weak));
void __tsan_init() __attribute__((weak));
// NOLINTEND(bugprone-reserved-identifier)
}

namespace attnscope::test {

/// Checks every access, stops the program where an allocation fails, and makes loops ten times slower.
inline bool under_address_sanitizer() { return __asan_init != nullptr; }
inline bool under_thread_sanitizer() { return __tsan_init != nullptr; }

}  // namespace attnscope::test
