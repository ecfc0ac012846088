// SPDX-License-Identifier: Apache-2.0
#pragma once

// Options of a search as text, for the environment and command lines:
//
//   WEIR_CHECK="engine=pct depth=3 runs=100000 seed=7" ./my_models
//
//   engine=exhaustive|bounded|random|pct|pos   preemptions=N   runs=N   seed=N   depth=N   stale=N
//   executions=N   time=SECONDS   progress=on|off   shrink=on|off

#include <expected>
#include <string>
#include <string_view>

#include <weir/check/model.hpp>

namespace weir::check {

/// Changes the options that the text names. Words are separated by spaces or commas.
///
/// Errors: a sentence when a word is no setting; the options are unchanged then.
[[nodiscard]] std::expected<void, std::string> apply_settings(model_options& options, std::string_view settings);

/// The options with what the environment variable WEIR_CHECK says. explore() does this itself.
///
/// Errors: the program ends when the variable holds anything but settings: what runs would not be what was asked for.
[[nodiscard]] model_options with_environment(const model_options& options);

} // namespace weir::check
