// SPDX-License-Identifier: Apache-2.0
#pragma once

// Models that a test program runs all at once, each with the changes it has to notice:
//
//   WEIR_MODEL(my_queue) { ... }                                     // a function body with `weir::check::model& m`
//   WEIR_MODEL_OPTIONS(my_queue, {.engine = weir::check::engine_kind::pct});  // where the defaults do not fit
//   WEIR_MUTATIONS(my_queue, "pops without looking at tail");         // is_mutated() in the body or the code asks for it
//   WEIR_EXPLAINED(my_queue, "queue.hpp:31", "only a hint");          // a weakened order that need not be noticed
//
//   TEST(models, hold) { for (const auto& at : check::registered_models()) ... check::verify(at) ... }

#include <span>
#include <string>
#include <vector>

#include <weir/check/model.hpp>

namespace weir::check {

/// Changes to a model that it need not notice.
struct explained_change {
  std::string part_of_name; ///< of the mutant
  std::string reason;
};

/// A model and what it has to notice.
struct registered_model {
  std::string name;
  std::function<void(model&)> body;
  model_options options;
  std::vector<std::string> mutations;
  std::vector<explained_change> explained;
};

/// What verify() found.
struct model_verdict {
  std::string name;
  exploration found;
  engine_kind engine = engine_kind::exhaustive;
  std::string bound; ///< "none" when every execution was visited
  std::vector<mutant> mutants;
  std::vector<std::string> survivors; ///< changes that went unnoticed and are not explained
  std::size_t explained = 0;          ///< changes that went unnoticed with a reason

  /// Nothing was found, by an engine that did what it was asked to, and every change was noticed.
  [[nodiscard]] bool passed() const noexcept { return found.found_nothing() && survivors.empty(); }
};

[[nodiscard]] std::vector<registered_model>& registered_models();

/// Explores a model, then each of its mutants.
[[nodiscard]] model_verdict verify(const registered_model& model);

/// The changes that no model which has them notices, and that are not explained.
[[nodiscard]] std::vector<std::string> unnoticed(std::span<const model_verdict> verdicts);

/// How many different changes some models have, and how many of them at least one model notices.
struct mutation_score {
  std::size_t changes = 0;
  std::size_t noticed = 0;
  std::size_t explained = 0; ///< not noticed by any, with a reason

  [[nodiscard]] double share_noticed() const noexcept {
    return changes == 0 ? 1 : static_cast<double>(noticed) / static_cast<double>(changes);
  }
};

[[nodiscard]] mutation_score score_of(std::span<const model_verdict> verdicts);

/// A line per model: engine, executions, verified or bounded, mutants killed.
[[nodiscard]] std::string table_of(std::span<const model_verdict> verdicts);

namespace detail {

registered_model& find_registered(std::string_view name);

// Made before main(): no memory for a registration ends the program.
struct registration {
  registration(std::string_view name, void (*body)(model&)) noexcept { find_registered(name).body = body; }
  registration(std::string_view name, model_options (*options)()) noexcept {
    find_registered(name).options = options();
  }
  registration(std::string_view name, std::initializer_list<const char*> mutations) noexcept {
    for (const char* one : mutations) find_registered(name).mutations.emplace_back(one);
  }
  registration(std::string_view name, const char* part_of_name, const char* reason) noexcept {
    find_registered(name).explained.push_back({part_of_name, reason});
  }
};

} // namespace detail

} // namespace weir::check

#define WEIR_MODEL_JOIN2(a, b) a##b
#define WEIR_MODEL_JOIN(a, b) WEIR_MODEL_JOIN2(a, b)

#define WEIR_MODEL(name)                                                                                               \
  static void weir_model_##name([[maybe_unused]] ::weir::check::model& m);                                             \
  static const ::weir::check::detail::registration weir_registration_##name(#name, weir_model_##name);                 \
  static void weir_model_##name([[maybe_unused]] ::weir::check::model& m)

#define WEIR_MODEL_OPTIONS(name, ...)                                                                                  \
  static ::weir::check::model_options weir_options_##name() { return ::weir::check::model_options __VA_ARGS__; }       \
  static const ::weir::check::detail::registration weir_options_registration_##name(#name, weir_options_##name)

#define WEIR_MUTATIONS(name, ...)                                                                                      \
  static const ::weir::check::detail::registration WEIR_MODEL_JOIN(weir_mutations_, __LINE__)(#name, {__VA_ARGS__})

#define WEIR_EXPLAINED(name, part_of_name, reason)                                                                     \
  static const ::weir::check::detail::registration WEIR_MODEL_JOIN(weir_explained_, __LINE__)(#name, part_of_name,     \
                                                                                              reason)
