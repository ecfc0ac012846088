// SPDX-License-Identifier: Apache-2.0
// The application: a build graph whose nodes read a file, hash it with what they depend on, and compress it.
#include "../measure/build_graph.hpp"
#include "join.hpp"

#include <weir/blocking.hpp>

namespace bench {
namespace {

weir::task<void> build(build_graph* graph, std::uint32_t node) {
  auto content = weir::blocking([=] { return graph->read_input(node); });
  graph->finish(node, content, [=](std::uint32_t ready) { weir::spawn(build(graph, ready)).detach(); });
  co_return;
}

std::uint64_t build_all(weir::runtime& runtime, build_graph& graph) {
  graph.restart();
  for (std::uint32_t root : graph.roots()) runtime.spawn(build(&graph, root)).detach();
  return graph.wait();
}

report build_graph_walk(const request& asked) { // size: nodes
  build_graph graph(asked.size);
  weir::runtime runtime({.permits = asked.permits});
  return measure_rounds(asked, asked.size, [&] { return build_all(runtime, graph); });
}

constexpr workload all[] = {{"build_graph", 1000, build_graph_walk}};

const family registered(all);

} // namespace
} // namespace bench
