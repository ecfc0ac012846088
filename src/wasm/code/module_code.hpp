// SPDX-License-Identifier: Apache-2.0
#pragma once

// The code of a module's functions, shared by all of its instances in all stores, and the way from a cell back to its
// function.
//
// R1  `lock_` covers translation and `ranges_`. It is held for the translation of one function at a time and never
// while a guest
//     or a host function runs.
// R2  function_code is written by these rules: see function_code.hpp.
#include "base/mutex.hpp"
#include "wasm/binary/module_data.hpp"
#include "wasm/code/function_code.hpp"
#include "wasm/code/translate_options.hpp"

#include <weir/wasm/error.hpp>

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace weir::wasm::detail {

struct module_code {
  module_code(std::shared_ptr<const module_data> data, const translate_options& options);
  module_code(const module_code&) = delete;
  module_code& operator=(const module_code&) = delete;
  ~module_code();

  const module_data& data() const { return *data_; }
  const translate_options& options() const { return options_; }

  /// The code of a function that the module defines; `index` is of the whole index space.
  function_code& function(std::uint32_t index) { return functions_[index - data_->imported_functions]; }

  /// Translates the function unless that is done.
  ///
  /// Errors: errc::limit_exceeded for a function that does not fit the code's format; errc::invalid and the like where
  /// bodies are
  ///         validated late.
  /// Thread: any.
  result<void> translate(function_code& function);
  /// Translates everything; returns the bytes of code.
  result<std::size_t> translate_all();
  /// Bytes of the code there is now.
  std::size_t code_bytes() const;
  /// The function whose cells contain `at`; null for cells of nobody here.
  const function_code* find(const cell* at) const;

private:
  struct code_range {
    const cell* begin;
    const cell* end;
    const function_code* function;
  };

  std::shared_ptr<const module_data> data_;
  translate_options options_;
  std::unique_ptr<function_code[]> functions_;
  mutable rt::mutex lock_;
  std::vector<code_range> ranges_; // sorted by address
};

} // namespace weir::wasm::detail
