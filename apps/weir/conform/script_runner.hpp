// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conform/corpus.hpp"
#include "conform/directive.hpp"
#include "conform/report.hpp"

#include <weir/task.hpp>
#include <weir/wasm/engine.hpp>
#include <weir/wasm/func.hpp>
#include <weir/wasm/instance.hpp>
#include <weir/wasm/linker.hpp>
#include <weir/wasm/module.hpp>
#include <weir/wasm/store.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir::cli {

/// How a script calls its guests.
enum class call_style {
  synchronous, ///< func::call()
  suspending,  ///< func::call_async(), which comes back to the scheduler at checkpoints
};

/// Replays one script in a store of its own.
///
/// A module that the engine refuses for a feature leaves a place that is known to be vacant for that feature, and so
/// does whatever needs it: what acts on a vacant place counts for the feature and is neither passed nor failed.
class script_runner {
public:
  script_runner(const corpus& files, std::string script, const wasm::engine& engine, call_style style);

  /// Replays every directive. A line that cannot be read is a failure like any other.
  ///
  /// Suspends: at the guests' checkpoints, in the suspending style.
  /// Cancels:  stops at a checkpoint; nothing outlives the runner.
  task<script_report> run();

private:
  /// What a name stands for: an instance, or why there is none.
  struct place {
    std::optional<wasm::instance> instance;
    verdict vacancy;
  };
  struct definition {
    std::optional<wasm::module> blueprint;
    verdict vacancy;
  };

  task<verdict> replay(directive one);
  task<verdict> replay_module(directive one);
  verdict replay_definition(const directive& one);
  task<verdict> replay_instance(directive one);
  verdict replay_register(const directive& one);
  task<verdict> replay_action(directive one);
  verdict replay_refusal(const directive& one);
  task<verdict> replay_failed_start(directive one);

  wasm::result<wasm::module> compile(const directive& one, const file_bytes& bytes) const;
  definition define(const directive& one);
  task<place> instantiate(definition from);
  std::optional<verdict> vacant_import(const wasm::module& blueprint) const;
  task<wasm::result<wasm::instance>> start(wasm::module blueprint);
  task<wasm::result<std::vector<wasm::value>>> perform(script_action action, wasm::instance on);
  verdict judge_action(const directive& one, const wasm::result<std::vector<wasm::value>>& outcome) const;
  verdict refused(const directive& one, const wasm::error& why) const;
  const place* find_place(const std::string& name) const;
  void remember(const std::string& name, place made);
  void remember(const std::string& name, definition made);
  void forget(const directive& one);

  const corpus& files_;
  std::string script_;
  std::string folder_;
  std::string proposal_; // the feature that the script's folder is about, if the engine lacks it
  wasm::engine engine_;
  wasm::store store_;
  wasm::linker linker_;
  call_style style_;
  std::optional<place> latest_;
  std::optional<definition> latest_definition_;
  std::map<std::string, place> named_;
  std::map<std::string, definition> definitions_;
  std::map<std::string, place> registered_;
};

/// The script's name for people: the text script that it was converted from, such as `core/linking.wast`.
std::string script_name(std::string_view path);

/// The proposal that a path is about, of those that the engine lacks; empty when there is none.
std::string lacking_proposal(std::string_view path);

} // namespace weir::cli
