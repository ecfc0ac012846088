// SPDX-License-Identifier: Apache-2.0
#include "check/report_data.hpp"

#include <algorithm>
#include <map>

namespace weir::check::detail {

namespace {

// The write of an event, or no_event.
event_id write_of(const graph& g, event_id id) {
  if (g[id].is_write()) return id;
  return g[id].is_read() && g[id].is_exclusive ? g[id].next : no_event;
}

} // namespace

std::string quoted(std::string_view text) {
  static constexpr std::string_view digits = "0123456789abcdef";
  std::string out = "\"";
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') {
      out += '\\';
      out += letter;
    } else if (code < 0x20) {
      out += "\\u00";
      out += digits[code >> 4U];
      out += digits[code & 15U];
    } else {
      out += letter;
    }
  }
  return out + '"';
}

std::string step_place_text(const trace_step& step) {
  const std::source_location& where = step.where;
  return where.line() == 0 ? "" : std::string(where.file_name()) + ":" + std::to_string(where.line());
}

std::string step_text(const checker& run, const trace_step& step) {
  switch (step.what) {
  case trace_step::form::cell_read: return "reads data";
  case trace_step::form::cell_write: return "writes data";
  case trace_step::form::wait: return std::string(step.note) + " for ever";
  case trace_step::form::event: break;
  }
  const graph& g = run.engine().current();
  const event& e = g[step.event];
  std::string out(to_string(e.op.kind));
  if (!e.is_access()) return out;
  out = run.location_name(e.location) + "." + out + " " + std::string(to_string(e.op.order));
  if (e.is_read()) out += " = " + std::to_string(e.value);
  const event_id write = write_of(g, step.event);
  if (write != no_event) out += " writes " + std::to_string(g[write].value);
  return out;
}

namespace {

class data_writer {
public:
  explicit data_writer(const checker& run) : run_(run), g_(run.engine().current()) {
    for (std::size_t at = 0; at < run.trace().size(); ++at)
      if (run.trace()[at].what == trace_step::form::event) step_of_[run.trace()[at].event] = at;
  }

  [[nodiscard]] std::string json(std::string_view replay_string) {
    std::string out =
        "{\"model\": " + quoted(run_.name()) + ", \"engine\": " + quoted(to_string(run_.options().engine)) +
        ", \"failure\": " + quoted(to_string(run_.found().kind)) + ", \"what\": " + quoted(run_.found().what) +
        ", \"replay\": " + quoted(replay_string) + ",\n \"steps\": [";
    for (std::size_t at = 0; at < run_.trace().size(); ++at) out += (at == 0 ? "\n  " : ",\n  ") + json_step(at);
    return out + "]}\n";
  }

  [[nodiscard]] std::string graphviz() {
    std::string out = "digraph execution {\n  node [shape=box, fontname=monospace];\n  label=" +
                      quoted(std::string(run_.name()) + ": " + std::string(to_string(run_.found().kind))) + ";\n";
    std::map<unsigned, std::size_t> last;
    std::string edges;
    for (std::size_t at = 0; at < run_.trace().size(); ++at) {
      const trace_step& step = run_.trace()[at];
      out += "  subgraph cluster_" + std::to_string(step.thread) + " { label=" + quoted(run_.thread_name(step.thread)) +
             "; s" + std::to_string(at + 1) + " [label=" + quoted(std::to_string(at + 1) + " " + text(step)) +
             (is_about(at) ? ", color=red" : "") + "]; }\n";
      if (const auto before = last.find(step.thread); before != last.end()) edges += edge(before->second, at, "");
      last[step.thread] = at;
      edges += edges_of(step, at);
    }
    return out + edges + "}\n";
  }

private:
  [[nodiscard]] bool is_about(std::size_t at) const {
    const auto& about = run_.found().steps;
    return std::find(about.begin(), about.end(), at) != about.end();
  }

  static std::string edge(std::size_t from, std::size_t to, const std::string& attributes) {
    return "  s" + std::to_string(from + 1) + " -> s" + std::to_string(to + 1) + attributes + ";\n";
  }

  // The step of a write, also of one that is half of a read-modify-write; false when it was not executed or is initial.
  [[nodiscard]] bool find_step(event_id write, std::size_t& at) const {
    if (write == no_event || is_initial(write)) return false;
    const auto found = step_of_.find(g_[write].is_exclusive ? g_[write].previous : write);
    if (found == step_of_.end()) return false;
    at = found->second;
    return true;
  }

  [[nodiscard]] std::string edges_of(const trace_step& step, std::size_t at) const {
    if (step.what != trace_step::form::event) return {};
    const event& e = g_[step.event];
    std::string out;
    std::size_t other = 0;
    if (e.is_read() && find_step(e.source, other)) out += edge(other, at, " [color=darkgreen, label=rf]");
    const event_id write = write_of(g_, step.event);
    if (write != no_event && find_step(g_[write].older, other)) out += edge(other, at, " [color=brown, label=mo]");
    return out;
  }

  [[nodiscard]] std::string text(const trace_step& step) {
    const std::string out = step_text(run_, step);
    return step.cell == nullptr ? out : out + " " + std::to_string(number_of(step.cell));
  }

  [[nodiscard]] std::string json_step(std::size_t at) {
    const trace_step& step = run_.trace()[at];
    std::string out = "{\"step\": " + std::to_string(at + 1) +
                      ", \"thread\": " + quoted(run_.thread_name(step.thread)) + ", \"text\": " + quoted(text(step)) +
                      ", \"at\": " + quoted(step_place_text(step));
    if (step.what == trace_step::form::event) out += json_event(step.event);
    return out + (is_about(at) ? ", \"is_about\": true}" : "}");
  }

  [[nodiscard]] std::string json_event(event_id id) const {
    const event& e = g_[id];
    std::string out = ", \"operation\": " + quoted(to_string(e.op.kind));
    if (!e.is_access() && !e.is_fence()) return out;
    out += ", \"order\": " + quoted(to_string(e.op.order));
    if (!e.is_access()) return out;
    out += ", \"location\": " + quoted(run_.location_name(e.location));
    std::size_t other = 0;
    if (e.is_read()) {
      out += ", \"read\": " + std::to_string(e.value);
      if (find_step(e.source, other)) out += ", \"source\": " + std::to_string(other + 1);
    }
    if (const event_id write = write_of(g_, id); write != no_event)
      out +=
          ", \"written\": " + std::to_string(g_[write].value) + ", \"position\": " + std::to_string(g_[write].position);
    return out;
  }

  [[nodiscard]] std::size_t number_of(const void* cell) {
    return cells_.try_emplace(cell, cells_.size() + 1).first->second;
  }

  const checker& run_;
  const graph& g_;
  std::map<event_id, std::size_t> step_of_;
  std::map<const void*, std::size_t> cells_;
};

} // namespace

std::string failure_as_json(const checker& run, std::string_view replay_string) {
  return data_writer(run).json(replay_string);
}

std::string failure_as_graphviz(const checker& run) { return data_writer(run).graphviz(); }

} // namespace weir::check::detail
