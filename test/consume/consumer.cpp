// SPDX-License-Identifier: Apache-2.0
// What a user's first program looks like: a task on a runtime and a module in the engine.
#include <weir/runtime.hpp>
#include <weir/task.hpp>
#include <weir/wasm/wasm.hpp>

#include <array>
#include <cstddef>
#include <cstdio>

namespace {

weir::task<int> answer() { co_return 42; }

// (module (func (export "add") (param i32 i32) (result i32) local.get 0 local.get 1 i32.add))
constexpr std::array<unsigned char, 41> add_module{0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00, 0x01, 0x07, 0x01,
                                                   0x60, 0x02, 0x7f, 0x7f, 0x01, 0x7f, 0x03, 0x02, 0x01, 0x00, 0x07,
                                                   0x07, 0x01, 0x03, 0x61, 0x64, 0x64, 0x00, 0x00, 0x0a, 0x09, 0x01,
                                                   0x07, 0x00, 0x20, 0x00, 0x20, 0x01, 0x6a, 0x0b};

int add_in_guest() {
  weir::wasm::engine engine;
  const auto module = weir::wasm::module::compile(engine, std::as_bytes(std::span{add_module}), "add");
  if (!module) return std::printf("%s\n", module.error().to_string().c_str()), -1;
  weir::wasm::store store{engine};
  const auto instance = weir::wasm::linker{engine}.instantiate(store, *module);
  if (!instance) return -1;
  const std::array<weir::wasm::value, 2> arguments{weir::wasm::value{40}, weir::wasm::value{2}};
  const auto sum = instance->get_func("add")->call(store, arguments);
  return sum ? (*sum)[0].i32() : -1;
}

} // namespace

int main() {
  weir::runtime runtime{{.permits = 1}};
  const int from_task = runtime.block_on(answer());
  const int from_guest = add_in_guest();
  std::printf("task %d, guest %d\n", from_task, from_guest);
  return from_task == 42 && from_guest == 42 ? 0 : 1;
}
