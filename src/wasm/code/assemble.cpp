// SPDX-License-Identifier: Apache-2.0
// From drafts to cells: handlers for operations, addresses for labels, and copies through low slots for operands whose
// slot number does not fit 16 bits.
#include "wasm/code/handlers.hpp"
#include "wasm/code/translator.hpp"

#include <weir/check.hpp>

#include <utility>

namespace weir::wasm::detail {
namespace {

constexpr std::uint32_t slot_limit = 0x10000;

class assembler {
public:
  assembler(const translation& from, function_code& to) : from_{from}, to_{to} {}

  void run() {
    place();
    to_.cells = std::make_unique<cell[]>(cell_count_);
    to_.cell_count = static_cast<std::uint32_t>(cell_count_);
    to_.slot_count = static_cast<std::uint32_t>(from_.slot_count);
    to_.pinned_slot = static_cast<std::uint16_t>(from_.pinned_slot);
    for (std::size_t i = 0; i < from_.drafts.size(); ++i) write(i);
    for (const draft_range& range : from_.ranges) to_.ranges.push_back(range_of(range));
  }

private:
  /// A slot that an operation names, and which of its fields does.
  struct far_slot {
    std::uint32_t draft::* field;
    bool is_written;
  };

  static std::vector<far_slot> far_slots(const draft& one) {
    std::vector<far_slot> far;
    const auto add = [&](std::uint8_t role, std::uint32_t draft::* field, bool is_written) {
      if ((one.roles & role) != 0 && one.*field >= slot_limit) far.push_back({field, is_written});
    };
    add(slot_role::a_read, &draft::a, false);
    add(slot_role::b_read, &draft::b, false);
    add(slot_role::c_read, &draft::c, false);
    add(slot_role::d_read, &draft::d, false);
    add(slot_role::a_written, &draft::a, true);
    return far;
  }

  bool is_wide() const { return from_.slot_count > slot_limit; }

  std::size_t cells_after(std::size_t at) const {
    std::size_t next = at + 1;
    while (next < from_.drafts.size() && from_.drafts[next].what == op::data) ++next;
    return next;
  }

  /// Copies of far operands come before the operation, those of far results behind its last cell.
  void place() {
    places_.resize(from_.drafts.size() + 1);
    for (std::size_t i = 0; i < from_.drafts.size();) {
      const std::size_t next = cells_after(i);
      places_[i] = cell_count_;
      std::size_t before = 0;
      std::size_t after = 0;
      if (is_wide())
        for (std::size_t k = i; k < next; ++k)
          for (const far_slot& far : far_slots(from_.drafts[k])) (far.is_written ? after : before) += 2;
      cell_count_ += before;
      for (std::size_t k = i; k < next; ++k) {
        if (k != i) places_[k] = cell_count_;
        ++cell_count_;
      }
      cell_count_ += after;
      i = next;
    }
    places_.back() = cell_count_;
  }

  cell* address(std::size_t draft_at) const { return &to_.cells[places_[draft_at]]; }

  cell* write_copy(cell* at, std::uint32_t to, std::uint32_t from) const {
    at[0].word = find_handler(op::mov_far, 0);
    at[0].c = to;
    at[1].c = from;
    return at + 2;
  }

  void write(std::size_t i) {
    if (from_.drafts[i].what == op::data) return;
    cell* at = address(i);
    const std::size_t next = cells_after(i);
    std::vector<draft> group(from_.drafts.begin() + static_cast<std::ptrdiff_t>(i),
                             from_.drafts.begin() + static_cast<std::ptrdiff_t>(next));
    std::vector<std::pair<std::uint32_t, std::uint32_t>> results;
    if (is_wide()) {
      std::uint32_t scratch = from_.scratch_slot;
      for (draft& one : group) {
        for (const far_slot& far : far_slots(one)) {
          const std::uint32_t slot = one.*far.field;
          one.*far.field = far.is_written ? from_.scratch_slot : scratch;
          if (far.is_written)
            results.emplace_back(slot, from_.scratch_slot);
          else
            at = write_copy(at, scratch++, slot);
        }
      }
    }
    for (const draft& one : group) write_cell(*at++, one);
    for (const auto& [slot, scratch] : results) at = write_copy(at, slot, scratch);
  }

  void write_cell(cell& to, const draft& one) const {
    if (one.what == op::data) {
      to.word = one.label < 0 ? one.word : reinterpret_cast<std::uintptr_t>(label(one.label));
    } else {
      to.word = find_handler(one.what, variant(one.b_kind, one.c_kind, one.to));
      WEIR_CHECK(to.word != 0, "the translator asks only for handlers that exist", static_cast<unsigned>(one.what));
    }
    to.a = static_cast<std::uint16_t>(one.a);
    to.b = static_cast<std::uint16_t>(one.b);
    to.c = (one.roles & slot_role::d_read) != 0 || (one.roles & slot_role::d_written) != 0
               ? (one.c & 0xffffu) | one.d << 16
               : one.c;
  }

  const cell* label(std::int32_t number) const { return address(from_.labels[static_cast<std::size_t>(number)]); }

  exception_range range_of(const draft_range& range) const {
    exception_range out{address(range.begin), &to_.cells[0] + places_[range.end], {}};
    for (const draft_clause& one : range.clauses)
      out.clauses.push_back(
          {!one.clause.has_tag(), one.clause.has_reference(), one.clause.tag, one.slot, label(one.label)});
    return out;
  }

  const translation& from_;
  function_code& to_;
  std::vector<std::size_t> places_; // the first cell of each draft
  std::size_t cell_count_ = 0;
};

} // namespace

void assemble(const translation& from, function_code& to) { assembler{from, to}.run(); }

} // namespace weir::wasm::detail
