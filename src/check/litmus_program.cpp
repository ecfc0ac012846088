// SPDX-License-Identifier: Apache-2.0
#include "check/litmus_program.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

#include <nlohmann/json.hpp>

namespace weir::check::detail {

namespace {

using json = nlohmann::json;

memory_order parse_order(const std::string& name) {
  static const std::map<std::string, memory_order> orders{{"rlx", memory_order::relaxed},
                                                          {"acq", memory_order::acquire},
                                                          {"rel", memory_order::release},
                                                          {"acq_rel", memory_order::acq_rel},
                                                          {"sc", memory_order::seq_cst}};
  const auto found = orders.find(name);
  if (found == orders.end()) throw std::invalid_argument("no memory order is called '" + name + "'");
  return found->second;
}

// Numbers names in sorted order, so that states of equal programs compare equal.
class name_table {
public:
  void add(const std::string& name) { names_.emplace(name, 0); }
  std::vector<std::string> number() {
    std::vector<std::string> sorted;
    for (auto& [name, at] : names_) {
      at = static_cast<int>(sorted.size());
      sorted.push_back(name);
    }
    return sorted;
  }
  [[nodiscard]] int operator[](const std::string& name) const {
    const auto found = names_.find(name);
    if (found == names_.end()) throw std::invalid_argument("no instruction writes '" + name + "'");
    return found->second;
  }

private:
  std::map<std::string, int> names_;
};

constexpr std::size_t deepest_nesting = 64;
constexpr std::size_t most_instructions = 1'000; // of a program; events are numbered with 16 bits

void collect_names(const json& list, name_table& locations, name_table& registers, std::size_t& instructions,
                   std::size_t depth = 0) {
  if (!list.is_array()) throw std::invalid_argument("a list of instructions is no array");
  if (depth > deepest_nesting) throw std::invalid_argument("instructions are nested more than 64 deep");
  for (const json& op : list) {
    if (++instructions > most_instructions) throw std::invalid_argument("more than 1000 instructions");
    if (op.contains("loc")) locations.add(op["loc"].get<std::string>());
    if (op.contains("reg")) registers.add(op["reg"].get<std::string>());
    if (op.contains("then")) collect_names(op["then"], locations, registers, instructions, depth + 1);
  }
}

litmus_instruction parse_instruction(const json& op, const name_table& locations, const name_table& registers);

litmus_thread parse_list(const json& list, const name_table& locations, const name_table& registers) {
  litmus_thread thread;
  for (const json& op : list) thread.push_back(parse_instruction(op, locations, registers));
  return thread;
}

operation_kind parse_kind(const std::string& name) {
  static const std::map<std::string, operation_kind> kinds{{"store", operation_kind::store},
                                                           {"load", operation_kind::load},
                                                           {"xchg", operation_kind::exchange},
                                                           {"add", operation_kind::add},
                                                           {"cas", operation_kind::compare_exchange},
                                                           {"pstore", operation_kind::store},
                                                           {"pload", operation_kind::load}};
  const auto found = kinds.find(name);
  if (found == kinds.end()) throw std::invalid_argument("no operation is called '" + name + "'");
  return found->second;
}

litmus_instruction parse_instruction(const json& op, const name_table& locations, const name_table& registers) {
  litmus_instruction out;
  const auto name = op.at("op").get<std::string>();
  if (name == "fence") {
    out.what = litmus_instruction::form::fence;
    out.op.kind = operation_kind::fence;
    out.op.order = parse_order(op.at("ord").get<std::string>());
    return out;
  }
  if (name == "if") {
    out.what = litmus_instruction::form::if_equal;
    out.reg = registers[op.at("reg").get<std::string>()];
    out.equals = op.at("eq").get<std::int64_t>();
    out.then = parse_list(op.at("then"), locations, registers);
    return out;
  }
  out.op.kind = parse_kind(name);
  out.op.is_plain = name == "pstore" || name == "pload";
  out.op.location = locations[op.at("loc").get<std::string>()];
  if (!out.op.is_plain) out.op.order = parse_order(op.at("ord").get<std::string>());
  if (out.op.kind != operation_kind::store) out.reg = registers[op.at("reg").get<std::string>()];
  if (out.op.kind != operation_kind::load)
    out.op.operand = static_cast<std::uint64_t>(op.at("val").get<std::int64_t>());
  if (out.op.kind == operation_kind::compare_exchange) {
    out.op.expected = static_cast<std::uint64_t>(op.at("exp").get<std::int64_t>());
    out.op.failure = parse_order(op.at("fail").get<std::string>());
  }
  return out;
}

litmus_state parse_state(const json& state, const litmus_program& program) {
  litmus_state out;
  std::size_t entries = 0;
  for (std::size_t thread = 0; thread < program.threads.size(); ++thread)
    for (const std::string& reg : program.registers[thread]) {
      out.push_back(state.at(std::to_string(thread) + ":" + reg).get<std::int64_t>());
      ++entries;
    }
  for (const std::string& location : program.locations) {
    out.push_back(state.at("[" + location + "]").get<std::int64_t>());
    ++entries;
  }
  if (entries != state.size())
    throw std::invalid_argument("an outcome names a register or location that the program lacks");
  return out;
}

litmus_case parse(const json& line) {
  litmus_case out;
  out.program.name = line.at("name").get<std::string>();
  const json& threads = line.at("threads");
  if (threads.size() > max_litmus_threads) throw std::invalid_argument("more than 8 threads");
  name_table locations;
  std::vector<name_table> registers(threads.size());
  std::size_t instructions = 0;
  for (std::size_t thread = 0; thread < threads.size(); ++thread)
    collect_names(threads[thread], locations, registers[thread], instructions);
  out.program.locations = locations.number();
  for (std::size_t thread = 0; thread < threads.size(); ++thread) {
    out.program.registers.push_back(registers[thread].number());
    out.program.threads.push_back(parse_list(threads[thread], locations, registers[thread]));
  }
  for (const json& state : line.at("outcomes")) out.expected.states.insert(parse_state(state, out.program));
  out.expected.has_race = line.at("race").get<bool>();
  out.expected.executions = line.at("executions").get<std::uint64_t>();
  return out;
}

} // namespace

std::expected<litmus_case, std::string> parse_litmus(std::string_view line) {
  try {
    return parse(json::parse(line));
  } catch (const std::exception& problem) {
    return std::unexpected(std::string(problem.what()));
  }
}

std::string describe(const litmus_program& program, const litmus_state& state) {
  std::string out;
  std::size_t at = 0;
  const auto add = [&](const std::string& name) {
    if (!out.empty()) out += ' ';
    out += name + "=" + std::to_string(state[at++]);
  };
  for (std::size_t thread = 0; thread < program.threads.size(); ++thread)
    for (const std::string& reg : program.registers[thread]) add(std::to_string(thread) + ":" + reg);
  for (const std::string& location : program.locations) add("[" + location + "]");
  return out;
}

} // namespace weir::check::detail
