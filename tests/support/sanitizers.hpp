// tests: which sanitizer is active. Asked at run time, so that test objects do not depend on it, and a test
// that is left out is reported as skipped.
#pragma once

extern "C" {
// Names that the sanitizers chose. NOLINTBEGIN(bugprone-reserved-identifier)
void __asan_init() __attribute__((weak));
void __tsan_init() __attribute__((weak));
// NOLINTEND(bugprone-reserved-identifier)
}

namespace attnscope::test {

/// It checks every access, stops the program if an allocation fails, and makes loops ten times slower.
inline bool under_address_sanitizer() { return __asan_init != nullptr; }
inline bool under_thread_sanitizer() { return __tsan_init != nullptr; }

}  // namespace attnscope::test
