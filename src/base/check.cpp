// SPDX-License-Identifier: Apache-2.0
#include <weir/check.hpp>
#include <weir/detail/atomic.hpp>

#include <charconv>
#include <cstdio>
#include <cstdlib>

namespace weir::detail {
namespace {

constinit atomic<task_description (*)() noexcept> describer{nullptr};
constinit atomic<void (*)(std::string_view, const std::source_location&) noexcept> observer{nullptr};

// Collects the report in a fixed buffer, so that a check fails the same way when memory is short.
class report {
public:
  report& operator<<(std::string_view text) noexcept {
    for (char c : text) {
      if (used_ + 1 < sizeof(buffer_)) buffer_[used_++] = c;
    }
    return *this;
  }

  template <class T> report& number(T value, int base = 10) noexcept {
    char digits[32];
    auto end = std::to_chars(digits, digits + sizeof(digits), value, base).ptr;
    return *this << std::string_view(digits, static_cast<std::size_t>(end - digits));
  }

  report& value(const check_value& value) noexcept {
    using enum check_value::kind;
    switch (value.which()) {
    case boolean: return *this << (value.as_unsigned() != 0 ? "true" : "false");
    case signed_integer: return number(value.as_signed());
    case unsigned_integer: return number(value.as_unsigned());
    case text: return *this << "\"" << value.as_text() << "\"";
    case pointer: return (*this << "0x").number(reinterpret_cast<std::uintptr_t>(value.as_pointer()), 16);
    case real: {
      char digits[40];
      int length = std::snprintf(digits, sizeof(digits), "%g", value.as_real());
      return *this << std::string_view(digits, static_cast<std::size_t>(length));
    }
    }
    return *this;
  }

  void place(const std::source_location& where) noexcept { (*this << where.file_name() << ":").number(where.line()); }
  void print() const noexcept {
    std::fwrite(buffer_, 1, used_, stderr);
    std::fflush(stderr);
  }

private:
  std::size_t used_ = 0;
  char buffer_[4096];
};

} // namespace

void set_task_describer(task_description (*describe)() noexcept) noexcept {
  describer.store(describe, memory_order::release);
}

void set_check_observer(void (*observe)(std::string_view, const std::source_location&) noexcept) noexcept {
  observer.store(observe, memory_order::release);
}

void check_failed(const char* condition, std::string_view what, const std::source_location& where, const char* names,
                  std::initializer_list<check_value> values) noexcept {
  if (auto* observe = observer.load(memory_order::acquire); observe != nullptr) observe(what, where);
  report out;
  out << "weir: check failed: " << what << "\n  condition: " << condition << "\n";
  if (values.size() != 0) {
    out << "  values:    " << names << " = ";
    const char* separator = "";
    for (const check_value& value : values) {
      (out << separator).value(value);
      separator = ", ";
    }
    out << "\n";
  }
  out << "  at:        ";
  out.place(where);
  out << " in " << where.function_name() << "\n";
  auto* describe = describer.load(memory_order::acquire);
  task_description task = describe != nullptr ? describe() : task_description{};
  if (!task.name.empty()) {
    out << "  task:      \"" << task.name << "\"";
    if (task.spawned_at.line() != 0) {
      out << ", spawned at ";
      out.place(task.spawned_at);
    }
    out << "\n";
  } else {
    out << "  task:      none on this thread\n";
  }
  out.print();
  std::abort();
}

} // namespace weir::detail
