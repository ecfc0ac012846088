// SPDX-License-Identifier: Apache-2.0
#include "check/trace_events.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "check/report_data.hpp"

namespace weir::check::detail {

namespace {

// A step takes ten microseconds of the trace, so that slices are wide enough to read.
constexpr std::size_t step_length = 10;

class trace_writer {
public:
  explicit trace_writer(const checker& run) : run_(run), g_(run.engine().current()) {}

  [[nodiscard]] std::string write() {
    add(R"("ph":"M","pid":1,"name":"process_name","args":{"name":)" + quoted(run_.name()) + "}");
    std::set<unsigned> threads;
    for (const trace_step& step : run_.trace()) threads.insert(step.thread);
    for (const unsigned thread : threads)
      add(R"("ph":"M","pid":1,"tid":)" + number(thread) + R"(,"name":"thread_name","args":{"name":)" +
          quoted(run_.thread_name(thread)) + "}");
    for (std::size_t at = 0; at < run_.trace().size(); ++at) add_step(at);
    return "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[" + events_ + "\n]}\n";
  }

private:
  static std::string number(std::uint64_t value) { return std::to_string(value); }

  void add(const std::string& fields) { events_ += (events_.empty() ? "\n{" : ",\n{") + fields + "}"; }

  void add_step(std::size_t at) {
    const trace_step& step = run_.trace()[at];
    const auto& about = run_.found().steps;
    const bool is_about = std::find(about.begin(), about.end(), at) != about.end();
    const std::string place = R"("pid":1,"tid":)" + number(step.thread) + R"(,"ts":)" + number(at * step_length);
    add(R"("ph":"X",)" + place + R"(,"dur":)" + number(step_length - 1) + R"(,"cat":"step","name":)" +
        quoted(step_text(run_, step)) + (is_about ? R"(,"cname":"terrible")" : "") + R"(,"args":{"step":)" +
        number(at + 1) + R"(,"at":)" + quoted(step_place_text(step)) + (is_about ? R"(,"is_about":true)" : "") + "}");
    if (is_about) // a mark across all tracks
      add(R"("ph":"i","s":"p",)" + place + R"(,"name":)" + quoted(run_.found().what));
    if (step.what == trace_step::form::event) add_arrow(g_[step.event], at, place);
  }

  void add_arrow(const event& e, std::size_t at, const std::string& place) {
    if (e.is_read() && !is_initial(e.source)) {
      const event_id source = g_[e.source].is_exclusive ? g_[e.source].previous : e.source;
      if (const auto from = step_of_.find(source); from != step_of_.end()) {
        const std::string arrow = R"(,"cat":"reads","name":"reads","id":)" + number(++arrows_);
        const trace_step& write = run_.trace()[from->second];
        add(R"("ph":"s","pid":1,"tid":)" + number(write.thread) + R"(,"ts":)" + number(from->second * step_length) +
            arrow);
        add(R"("ph":"f","bp":"e",)" + place + arrow);
      }
    }
    step_of_[run_.trace()[at].event] = at;
  }

  const checker& run_;
  const graph& g_;
  std::string events_;
  std::map<event_id, std::size_t> step_of_;
  std::uint64_t arrows_ = 0;
};

} // namespace

std::string failure_as_trace(const checker& run) { return trace_writer(run).write(); }

} // namespace weir::check::detail
