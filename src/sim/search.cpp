// SPDX-License-Identifier: Apache-2.0
// A search runs in a child process, which tells what it does line by line: the seed that it begins, and at the end what it found. Each
// text is written with its length before it.
#include <weir/sim/search.hpp>

#include "os/child_process.hpp"
#include "sim/random.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>

namespace weir::sim {
namespace {

using teller = std::function<void(std::string_view)>;

class writer {
public:
  writer& number(std::uint64_t value) {
    text += std::to_string(value) + ' ';
    return *this;
  }
  writer& words(std::string_view value) {
    number(value.size());
    text += value;
    return *this;
  }
  writer& list(const std::vector<std::string>& values) {
    number(values.size());
    for (const std::string& each : values) words(each);
    return *this;
  }
  std::string text;
};

class reader {
public:
  explicit reader(std::string_view text) : rest_(text) {}
  std::uint64_t number() {
    std::uint64_t value = 0;
    const auto [end, failed] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    const auto used = static_cast<std::size_t>(end - rest_.data());
    is_whole_ = is_whole_ && failed == std::errc{} && used < rest_.size();
    rest_.remove_prefix(std::min(used + 1, rest_.size()));
    return value;
  }
  std::string words() {
    const std::size_t size = number();
    is_whole_ = is_whole_ && size <= rest_.size();
    std::string value(rest_.substr(0, size));
    rest_.remove_prefix(std::min(size, rest_.size()));
    return value;
  }
  std::vector<std::string> list() {
    std::vector<std::string> values;
    for (std::uint64_t left = number(); left != 0 && is_whole_; --left) values.push_back(words());
    return values;
  }
  char letter() {
    if (rest_.empty()) return '\0';
    const char first = rest_.front();
    rest_.remove_prefix(1);
    return first;
  }
  bool is_whole() const noexcept { return is_whole_; }

private:
  std::string_view rest_;
  bool is_whole_ = true;
};

constexpr char begins = 'b';
constexpr char found = 'f';

std::string pack(const search_result& result) {
  writer out;
  out.text += found;
  out.number(result.runs).number(result.steps).number(result.hash).list(result.never_reached);
  out.number(result.failing_seed ? 1 : 0).number(result.failing_seed.value_or(0));
  out.number(static_cast<std::uint64_t>(result.failing.failure)).words(result.failing.report);
  out.number(result.failing.hash).number(result.failing.steps);
  out.number(static_cast<std::uint64_t>(result.failing.time.count())).number(result.failing.threads);
  return out.text;
}

search_result unpack(reader& in) {
  search_result result;
  result.runs = in.number();
  result.steps = in.number();
  result.hash = in.number();
  result.never_reached = in.list();
  const bool has_failed = in.number() != 0;
  const std::uint64_t seed = in.number();
  if (has_failed) result.failing_seed = seed;
  result.failing.failure = static_cast<failure_kind>(in.number());
  result.failing.report = in.words();
  result.failing.hash = in.number();
  result.failing.steps = in.number();
  result.failing.time = std::chrono::nanoseconds(static_cast<std::int64_t>(in.number()));
  result.failing.threads = in.number();
  return result;
}

void merge_goals(const outcome& ran, std::vector<std::string>& reached, std::vector<std::string>& missed) {
  const auto add = [](std::vector<std::string>& to, const std::string& goal) {
    if (std::ranges::find(to, goal) == to.end()) to.push_back(goal);
  };
  for (const std::string& goal : ran.reached) add(reached, goal);
  for (const std::string& goal : ran.missed) add(missed, goal);
}

search_result go_through(const search_options& options, const std::function<void()>& body, const teller& tell) {
  search_result result;
  std::vector<std::string> reached;
  std::vector<std::string> missed;
  for (std::uint64_t at = 0; at != options.seeds; ++at) {
    run_options one = options.base;
    one.seed = options.first_seed + at;
    tell(writer{}.number(one.seed).text);
    const bool is_repeated = options.twice_one_in != 0 && at % options.twice_one_in == 0;
    const outcome ran = is_repeated ? run_twice(one, body) : run(one, body);
    result.runs += is_repeated ? 2 : 1;
    result.steps += is_repeated ? 2 * ran.steps : ran.steps;
    result.hash = detail::mix(result.hash ^ ran.hash);
    merge_goals(ran, reached, missed);
    if (ran.passed()) continue;
    result.failing_seed = one.seed;
    result.failing = ran;
    return result;
  }
  for (const std::string& goal : missed)
    if (std::ranges::find(reached, goal) == reached.end()) result.never_reached.push_back(goal);
  return result;
}

} // namespace

std::string search_result::report() const {
  if (failing_seed) return failing.report + "  to see it again: seed " + std::to_string(*failing_seed) + "\n";
  std::string text;
  for (const std::string& goal : never_reached) text += "no run reached \"" + goal + "\"\n";
  return text;
}

search_result search_here(const search_options& options, const std::function<void()>& body) {
  return go_through(options, body, [](std::string_view) {});
}

search_result search(const search_options& options, const std::function<void()>& body) {
  const auto ended = rt::os::run_in_child([&](const teller& say) {
    say(pack(go_through(options, body, [&](std::string_view seed) { say(begins + std::string(seed)); })));
  });
  if (!ended) throw std::system_error(ended.error(), "weir::sim::search");
  reader in(ended->said);
  search_result result;
  result.failing_seed = options.first_seed;
  for (char what = in.letter(); what != '\0'; what = in.letter()) {
    if (what == found) {
      result = unpack(in);
      if (in.is_whole()) return result;
      break;
    }
    result.failing_seed = in.number();
    ++result.runs;
  }
  result.failing.failure = failure_kind::crash;
  result.failing.report = "crash: signal " + std::to_string(ended->signal) + ", status " +
                          std::to_string(ended->status) + ", in seed " + std::to_string(*result.failing_seed) + "\n";
  return result;
}

} // namespace weir::sim
