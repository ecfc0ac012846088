// SPDX-License-Identifier: Apache-2.0
// What ThreadSanitizer cannot see: the count of the references to an exception is in libstdc++, which is not instrumented. A thread
// that reads an exception and drops it, and another that drops the last reference, look like a race of the read with the end of
// the exception. Part of each executable of a build with WEIR_SANITIZE=thread.
extern "C" const char* __tsan_default_suppressions();

extern "C" const char* __tsan_default_suppressions() {
  return "race:std::runtime_error::~runtime_error\n"
         "race:std::logic_error::~logic_error\n"
         "race:__cxa_free_exception\n"
         "race:std::__exception_ptr::exception_ptr::_M_release\n";
}
