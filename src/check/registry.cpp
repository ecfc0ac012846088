// SPDX-License-Identifier: Apache-2.0
#include <weir/check/registry.hpp>

#include <algorithm>
#include <iterator>
#include <set>

#include <weir/check/settings.hpp>

namespace weir::check {

std::vector<registered_model>& registered_models() {
  static std::vector<registered_model> models;
  return models;
}

registered_model& detail::find_registered(std::string_view name) {
  auto& models = registered_models();
  const auto at =
      std::find_if(models.begin(), models.end(), [&](const registered_model& one) { return one.name == name; });
  if (at != models.end()) return *at;
  models.emplace_back().name = name;
  return models.back();
}

namespace {

std::string bound_of(const exploration& found, const model_options& options) {
  switch (options.engine) {
  case engine_kind::exhaustive: return found.is_complete ? "none" : std::to_string(found.executions) + " executions";
  case engine_kind::bounded: return std::to_string(options.preemptions) + " preemptions";
  case engine_kind::random:
  case engine_kind::pos: break;
  case engine_kind::pct: return std::to_string(options.runs) + " runs, depth " + std::to_string(options.depth);
  }
  return std::to_string(options.runs) + " runs";
}

// A reason is about a line of the source, so it holds in every model which has that line.
bool is_explained(const registered_model& model, std::string_view change) {
  const auto explains = [change](const registered_model& by) {
    return std::any_of(by.explained.begin(), by.explained.end(), [change](const explained_change& at) {
      return change.find(at.part_of_name) != std::string_view::npos;
    });
  };
  return explains(model) || std::any_of(registered_models().begin(), registered_models().end(), explains);
}

} // namespace

model_verdict verify(const registered_model& model) {
  model_verdict out;
  out.name = model.name;
  const model_options options = with_environment(model.options);
  out.engine = options.engine;
  out.found = explore(model.name, model.body, options);
  out.bound = bound_of(out.found, options);
  if (out.found.failure != failure_kind::none) return out;
  out.mutants = explore_mutants(model.name, model.body, out.found.weaker, model.mutations, options);
  for (const mutant& at : out.mutants) {
    if (!at.is_survivor()) continue;
    if (is_explained(model, at.name)) {
      ++out.explained;
    } else {
      out.survivors.push_back(at.name);
    }
  }
  return out;
}

std::vector<std::string> unnoticed(std::span<const model_verdict> verdicts) {
  std::set<std::string> killed;
  std::set<std::string> survived;
  for (const model_verdict& at : verdicts) {
    for (const mutant& one : at.mutants)
      if (!one.is_survivor()) killed.insert(one.name);
    survived.insert(at.survivors.begin(), at.survivors.end());
  }
  std::vector<std::string> out;
  std::set_difference(survived.begin(), survived.end(), killed.begin(), killed.end(), std::back_inserter(out));
  return out;
}

mutation_score score_of(std::span<const model_verdict> verdicts) {
  std::set<std::string> all;
  std::set<std::string> noticed;
  for (const model_verdict& at : verdicts)
    for (const mutant& one : at.mutants) {
      all.insert(one.name);
      if (!one.is_survivor()) noticed.insert(one.name);
    }
  return {all.size(), noticed.size(), all.size() - noticed.size() - unnoticed(verdicts).size()};
}

std::string table_of(std::span<const model_verdict> verdicts) {
  std::string out = "model | engine | executions | blocked | events | bound | result | mutants killed | explained\n";
  for (const model_verdict& at : verdicts) {
    const auto killed = at.mutants.size() - at.survivors.size() - at.explained;
    const std::string& verdict = at.found.verdict;
    const std::string result = at.found.failure != failure_kind::none ? std::string(to_string(at.found.failure))
                                                                      : verdict.substr(0, verdict.find(':'));
    out += at.name + " | " + std::string(to_string(at.engine)) + " | " + std::to_string(at.found.executions) + " | " +
           std::to_string(at.found.blocked) + " | " + std::to_string(at.found.most_events) + " | " + at.bound + " | " +
           result + " | " + std::to_string(killed) + " of " + std::to_string(at.mutants.size()) + " | " +
           std::to_string(at.explained) + "\n";
  }
  return out;
}

} // namespace weir::check
