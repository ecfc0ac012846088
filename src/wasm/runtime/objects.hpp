// SPDX-License-Identifier: Apache-2.0
#pragma once

// The run-time objects that guest code reads directly. Each has a stable address for as long as its store lives; a
// reference in a slot is the address of one of them, and 0 is null.
#include "wasm/binary/module_data.hpp"

#include <weir/wasm/types.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace weir::wasm::detail {

class activation;
class store_data;
struct compiled_module; // runtime/compiled_module.hpp: what a public `module` handle names
struct function_code; // code/function_code.hpp: translated code of one function, shared by all instances of its module
struct module_code;   // code/module_code.hpp: a module with the code of its functions
struct instance_object;
struct func_object;
struct reservation; // runtime/reservation_pool.hpp

/// The object that a reference in a slot names; null for 0.
template <class Object> Object* referent(std::uint64_t slot) { return std::bit_cast<Object*>(slot); }
template <class Object> std::uint64_t reference_to(const Object* object) {
  return std::bit_cast<std::uint64_t>(object);
}

/// What a host function tells the interpreter.
enum class host_status : std::uint8_t {
  done,    ///< results are in the slots
  suspend, ///< the activation stops; its driver later calls finish_host_call() or fail_host_call() and run()
  fail,    ///< the error was left in the activation by fail()
  raise,   ///< an exception object was left in the activation by raise()
};

/// A host function: arguments come in `slots`, results go to the same place. There is room for the larger of the two
/// counts.
using host_entry = host_status (*)(func_object& self, activation& caller, std::uint64_t* slots);

/// What the closure of a host function derives from.
struct host_data {
  virtual ~host_data() = default;
};

struct func_object {
  const func_type* type = nullptr;
  std::uint32_t type_id = 0;
  std::uint32_t index = 0;             // in the module, for guest functions
  instance_object* instance = nullptr; // null for a host function
  function_code* code = nullptr;       // null for a host function
  host_entry host = nullptr;           // null for a guest function
  std::unique_ptr<host_data> data;     // what `host` closes over
  store_data* store = nullptr;
};

struct memory_object {
  std::byte* base = nullptr; // never moves: the address range is reserved at creation
  std::uint64_t size = 0;    // bytes now
  memory_type type;
  std::uint64_t max_pages = 0; // the smaller of the type's maximum and what the address range holds
  store_data* store = nullptr;
  reservation* range = nullptr; // what `base` points into
};

struct table_object {
  std::uint64_t* elements = nullptr; // may move when the table grows
  std::uint64_t size = 0;
  table_type type;
  store_data* store = nullptr;
  std::vector<std::uint64_t> storage; // owner of `elements`
};

struct global_object {
  std::uint64_t value = 0;
  global_type type;
  store_data* store = nullptr;
};

struct tag_object {
  const func_type* type = nullptr;
  std::uint32_t type_id = 0;
  store_data* store = nullptr;
};

/// A thrown exception; an exnref is the address of one.
struct exception_object {
  tag_object* tag = nullptr;
  std::vector<std::uint64_t> values;
  bool is_marked = false; // by the collection of unreachable exceptions
  bool is_pinned = false; // the host has seen it, so it stays
};

struct instance_object {
  module_code* module = nullptr;
  store_data* store = nullptr;
  const compiled_module* compiled = nullptr;
  // In the order of the module's index spaces. Arrays never grow after instantiation begins.
  std::vector<func_object*> functions;
  std::vector<table_object*> tables;
  std::vector<memory_object*> memories;
  std::vector<global_object*> globals;
  std::vector<tag_object*> tags;
  std::vector<bool> dropped_elements;
  std::vector<bool> dropped_data;
  // Of the passive segments; an active or declarative one is empty and dropped.
  std::vector<std::vector<std::uint64_t>> element_values;
};

// The slow operations of the interpreter, in runtime/. Each returns false where the guest must trap with the
// operation's own reason (out of bounds); growth returns the old size or ~0.
std::uint64_t memory_grow(memory_object& memory, std::uint64_t pages);
std::uint64_t table_grow(table_object& table, std::uint64_t count, std::uint64_t value);
bool table_init(instance_object& instance, std::uint32_t table, std::uint32_t segment, std::uint64_t to,
                std::uint64_t from, std::uint64_t count);
bool table_copy(table_object& to_table, table_object& from_table, std::uint64_t to, std::uint64_t from,
                std::uint64_t count);
bool table_fill(table_object& table, std::uint64_t to, std::uint64_t value, std::uint64_t count);
void element_drop(instance_object& instance, std::uint32_t segment);
void data_drop(instance_object& instance, std::uint32_t segment);
/// The bytes of a data segment; empty once dropped.
std::span<const std::byte> data_bytes(const instance_object& instance, std::uint32_t segment);
exception_object* make_exception(store_data& store, tag_object& tag, const std::uint64_t* values, std::size_t count);

} // namespace weir::wasm::detail
