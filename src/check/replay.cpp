// SPDX-License-Identifier: Apache-2.0
#include "check/replay.hpp"

#include <cstdint>

namespace weir::check::detail {

namespace {

constexpr std::string_view alphabet = "abcdefghijklmnopqrstuvwxyz234567";

std::uint32_t checksum(std::string_view text) {
  std::uint32_t hash = 2'166'136'261U;
  for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 16'777'619U;
  return (hash ^ hash >> 16U) & 0xffffU;
}

std::string hex(std::uint32_t value) {
  static constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (unsigned shift = 16; shift != 0; shift -= 4) out += digits[value >> (shift - 4) & 15U];
  return out;
}

std::string to_base32(const std::vector<std::uint8_t>& bytes) {
  std::string out;
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (const std::uint8_t byte : bytes) {
    bits = bits << 8U | byte;
    for (held += 8; held >= 5; held -= 5) out += alphabet[bits >> (held - 5) & 31U];
  }
  if (held != 0) out += alphabet[bits << (5 - held) & 31U];
  return out;
}

std::expected<std::vector<std::uint8_t>, std::string> from_base32(std::string_view text) {
  std::vector<std::uint8_t> out;
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (const char letter : text) {
    const std::size_t value = alphabet.find(letter);
    if (value == std::string_view::npos)
      return std::unexpected(std::string("the replay string holds the letter '") + letter + "'");
    bits = bits << 5U | static_cast<std::uint32_t>(value);
    held += 5;
    if (held < 8) continue;
    held -= 8;
    out.push_back(static_cast<std::uint8_t>(bits >> held));
  }
  return out;
}

// Numbers below 128 in one byte, others in several, low part first.
class number_writer {
public:
  void put(std::uint64_t value) {
    for (; value >= 128; value >>= 7U) bytes_.push_back(static_cast<std::uint8_t>(value | 128U));
    bytes_.push_back(static_cast<std::uint8_t>(value));
  }
  [[nodiscard]] const std::vector<std::uint8_t>& bytes() const { return bytes_; }

private:
  std::vector<std::uint8_t> bytes_;
};

class number_reader {
public:
  explicit number_reader(const std::vector<std::uint8_t>& bytes) : bytes_(bytes) {}

  std::uint64_t get() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 63; shift += 7) {
      if (at_ == bytes_.size()) break;
      const std::uint8_t byte = bytes_[at_++];
      value |= std::uint64_t{byte & 127U} << shift;
      if (byte < 128) return value;
    }
    is_broken_ = true;
    return 0;
  }
  [[nodiscard]] bool is_broken() const { return is_broken_; }

private:
  const std::vector<std::uint8_t>& bytes_;
  std::size_t at_ = 0;
  bool is_broken_ = false;
};

} // namespace

replay_plan plan_of(const checker& run) {
  const graph& g = run.engine().current();
  replay_plan plan;
  plan.children.assign(run.children().begin(), run.children().end());
  for (std::size_t thread = 0; thread < max_threads; ++thread) {
    for (event_id id = g.threads[thread].first; id != no_event; id = g[id].next) {
      const event& e = g[id];
      replay_record& record = plan.threads[thread].emplace_back();
      if (e.is_read()) {
        record.what = replay_record::form::read;
        if (is_initial(e.source)) continue;
        record.thread = g[e.source].thread;
        record.value = static_cast<std::uint32_t>(g[e.source].index);
      } else if (e.is_write()) {
        record.what = replay_record::form::write;
        record.value = static_cast<std::uint32_t>(e.position);
      } else if (e.op.kind == operation_kind::choose) {
        record.what = replay_record::form::choice;
        record.value = static_cast<std::uint32_t>(e.value);
      }
    }
  }
  return plan;
}

std::string encode_replay(std::string_view model, const replay_plan& plan) {
  number_writer out;
  for (const auto& records : plan.threads) {
    out.put(records.size());
    for (const replay_record& record : records) {
      out.put(static_cast<std::uint64_t>(record.what) << 4U | static_cast<std::uint64_t>(record.thread + 1));
      if (record.what != replay_record::form::other) out.put(record.value);
    }
  }
  out.put(plan.children.size());
  for (const auto& [by, child] : plan.children) {
    out.put(by.first);
    out.put(by.second);
    out.put(child);
  }
  const std::string text = "w1:" + hex(checksum(model)) + ":ex:" + to_base32(out.bytes());
  return text + ":" + hex(checksum(text));
}

std::expected<replay_plan, std::string> decode_replay(std::string_view model, std::string_view text) {
  const std::size_t colon = text.rfind(':');
  const std::string head = "w1:" + hex(checksum(model)) + ":ex:";
  if (!text.starts_with("w1:") || colon == std::string_view::npos)
    return std::unexpected("this is no replay string; it starts with w1: and has five parts");
  if (text.substr(colon + 1) != hex(checksum(text.substr(0, colon))))
    return std::unexpected("the replay string is damaged: its checksum does not fit; copy it whole");
  if (!text.starts_with(head))
    return std::unexpected("the replay string belongs to a model of another name than " + std::string(model));
  const auto bytes = from_base32(text.substr(head.size(), colon - head.size()));
  if (!bytes) return std::unexpected(bytes.error());
  number_reader in(*bytes);
  replay_plan plan;
  for (auto& records : plan.threads) {
    for (std::uint64_t left = in.get(); left != 0 && !in.is_broken(); --left) {
      const std::uint64_t first = in.get();
      replay_record record;
      record.what = static_cast<replay_record::form>(first >> 4U & 3U);
      record.thread = static_cast<std::int32_t>(first & 15U) - 1;
      if (record.what != replay_record::form::other) record.value = static_cast<std::uint32_t>(in.get());
      if (record.thread >= static_cast<std::int32_t>(max_threads))
        return std::unexpected("the replay string names more threads than a model has");
      records.push_back(record);
    }
  }
  for (std::uint64_t left = in.get(); left != 0 && !in.is_broken(); --left) {
    const auto by = static_cast<unsigned>(in.get());
    const auto ordinal = static_cast<unsigned>(in.get());
    plan.children.push_back({{by, ordinal}, static_cast<unsigned>(in.get())});
  }
  if (in.is_broken()) return std::unexpected("the replay string ends too early");
  return plan;
}

// The part of the checker that follows a plan.
// ------------------------------------------------------------------------------------

bool checker::has_source_for_next(unsigned thread) const noexcept {
  const auto at = static_cast<std::size_t>(position_of(thread));
  if (at >= plan_->threads[thread].size()) return false;
  const replay_record& record = plan_->threads[thread][at];
  if (record.what != replay_record::form::read || record.thread < 0) return true;
  return static_cast<std::uint32_t>(position_of(static_cast<unsigned>(record.thread))) > record.value;
}

step_result checker::perform_planned(const operation& op, std::uint64_t& value) {
  graph& g = engine_.current();
  const auto& records = plan_->threads[self_];
  const auto at = static_cast<std::size_t>(position_of(self_));
  const replay_record& record = records[at];
  using form = replay_record::form;
  const bool is_read = op.kind == operation_kind::load || is_read_modify_write(op.kind);
  const form expected = is_read                             ? form::read
                        : op.kind == operation_kind::store  ? form::write
                        : op.kind == operation_kind::choose ? form::choice
                                                            : form::other;
  if (record.what != expected) return step_result::diverged;
  event_id other = no_event;
  if (is_read) {
    other = initial_write(op.location);
    if (record.thread >= 0) {
      other = g.threads[static_cast<std::size_t>(record.thread)].first;
      while (other != no_event && g[other].index != static_cast<std::int32_t>(record.value)) other = g[other].next;
      if (other == no_event || !g[other].is_write() || g[other].location != op.location) return step_result::diverged;
    }
  } else if (expected == form::write) {
    other = g.newest_write(op.location);
    while (!is_initial(other) && planned_positions_[other] > record.value) other = g[other].older;
  }
  const event_id before = g.size();
  engine_.add_as(self_, op, other, record.value);
  for (event_id id = before; id < g.size(); ++id) {
    const auto of = at + static_cast<std::size_t>(id - before);
    if (g[id].is_write() && of < records.size()) planned_positions_[id] = records[of].value;
  }
  return engine_.perform(self_, op, value);
}

} // namespace weir::check::detail
