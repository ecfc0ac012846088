// SPDX-License-Identifier: Apache-2.0
#pragma once

// Engine-wide identity of function types: equal types have equal ids, so call_indirect and linking compare one number,
// across all modules of an engine.
//
// States: an id, once given, names the same type as long as the registry lives; types are never removed. Two modules
// with the
//         same types share their entries, so the registry grows with the number of distinct types alone.
// Rules:  R1 everything below `mutex_` is read and written under it.
//         R2 a node of `ids_` never moves, so a reference from `type()` stays valid without the lock.
// Rejected: reference counts per id. A module has some hundred types of a few dozen bytes, most of them common to all
// modules.
#include <weir/wasm/types.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace weir::wasm::detail {

class type_registry {
public:
  /// Gives the type's id, a new one for a type not seen before.
  ///
  /// Thread: any.
  std::uint32_t intern(const func_type& type);

  /// The type with an id that intern() gave.
  ///
  /// Thread: any. Lifetime: as long as the registry.
  const func_type& type(std::uint32_t id) const;

  std::size_t size() const;

private:
  struct hash {
    std::size_t operator()(const func_type& type) const noexcept;
  };

  mutable std::mutex mutex_;
  std::unordered_map<func_type, std::uint32_t, hash> ids_;
  std::vector<const func_type*> types_; // by id, the keys of `ids_`
};

} // namespace weir::wasm::detail
