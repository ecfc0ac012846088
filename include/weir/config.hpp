// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the build has, as macros that are always defined to 0 or 1, and the attributes that differ between compilers.

#if defined(__SANITIZE_ADDRESS__)
#define WEIR_HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WEIR_HAS_ASAN 1
#endif
#endif
#ifndef WEIR_HAS_ASAN
#define WEIR_HAS_ASAN 0
#endif

#if defined(__SANITIZE_THREAD__)
#define WEIR_HAS_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WEIR_HAS_TSAN 1
#endif
#endif
#ifndef WEIR_HAS_TSAN
#define WEIR_HAS_TSAN 0
#endif

/// 1 where WEIR_DEBUG_CHECK and the bookkeeping behind it are compiled in. Never changes the layout of a public type.
#ifndef WEIR_HAS_DEBUG_CHECKS
#ifdef NDEBUG
#define WEIR_HAS_DEBUG_CHECKS 0
#else
#define WEIR_HAS_DEBUG_CHECKS 1
#endif
#endif

/// 1 selects the portable fiber switch; define it to 1 to use it where a switch in assembly exists too.
#ifndef WEIR_PORTABLE_CONTEXT
#if defined(__x86_64__) && !defined(__ILP32__)
#define WEIR_PORTABLE_CONTEXT 0
#else
#define WEIR_PORTABLE_CONTEXT 1
#endif
#endif

/// 1 in the variant of the library that runs in a simulation: target weir::sim, <weir/sim.hpp>.
#ifndef WEIR_SIMULATED
#define WEIR_SIMULATED 0
#endif

/// Stands before a variable that each thread has its own of; the initial value must be a constant. Simulated threads share one
/// thread of the system, and the simulation exchanges what lies in this section whenever it switches between them.
#if WEIR_SIMULATED
#define WEIR_THREAD_LOCAL __attribute__((section("weir_thread_locals"))) constinit
#else
#define WEIR_THREAD_LOCAL constinit thread_local
#endif

/// Marks the wrong variant of a line, which the simulated variant of the library has and can switch on to show that a test finds it.
#if !WEIR_SIMULATED
#define WEIR_MUTANT(name) false
#endif

#define WEIR_NOINLINE __attribute__((noinline))
#define WEIR_ALWAYS_INLINE inline __attribute__((always_inline))
