// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a replay found: per directive, per script, in all; and how people and programs read it.
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace weir::cli {

/// What became of one directive.
struct verdict {
  enum class kind { passed, failed, lacks_feature, skipped };
  kind what = kind::passed;
  std::string reason;   ///< the feature that is lacking, or why it was skipped
  std::string expected; ///< of a failure
  std::string got;

  static verdict pass() { return {}; }
  static verdict fail(std::string expected, std::string got) {
    return {kind::failed, {}, std::move(expected), std::move(got)};
  }
  static verdict lacks(std::string feature) { return {kind::lacks_feature, std::move(feature), {}, {}}; }
  static verdict skip(std::string reason) { return {kind::skipped, std::move(reason), {}, {}}; }
};

struct failure {
  std::uint64_t line = 0;
  std::string directive;
  std::string expected;
  std::string got;
};

/// Directives by what became of them.
struct tally {
  std::size_t passed = 0;
  std::size_t failed = 0;
  std::map<std::string, std::size_t> lacking; ///< by feature
  std::map<std::string, std::size_t> skipped; ///< by reason

  std::size_t not_run() const;
  std::size_t all() const { return passed + failed + not_run(); }
  tally& operator+=(const tally& other);
};

/// The replay of one script.
struct script_report {
  std::string script;
  tally counts;
  std::vector<failure> failures;

  /// No module and no value of the script needs what the engine lacks.
  bool is_fully_supported() const { return counts.lacking.empty(); }
  void add(std::uint64_t line, std::string_view directive, verdict result, std::size_t weight = 1);
};

/// The replay of all scripts of a run.
class conform_report {
public:
  void add(script_report one);

  bool is_clean() const { return total_.failed == 0; }
  const tally& total() const { return total_; }
  std::size_t scripts() const { return scripts_.size(); }
  std::size_t fully_supported() const { return fully_supported_; }

  /// Each failure as `script:line: directive: expected ..., got ...`, at most `most` of a script.
  std::string failures(std::size_t most) const;
  /// One line per script.
  std::string table() const;
  /// What passed, and by reason what was not run.
  std::string summary() const;
  std::string json(std::string_view mode) const;

private:
  std::map<std::string, script_report> scripts_; // by name, so that the order of finishing does not show
  tally total_;
  tally supported_; // of fully supported scripts alone
  std::size_t fully_supported_ = 0;
};

} // namespace weir::cli
