// SPDX-License-Identifier: Apache-2.0
// The guests of examples/ and testdata/ on the engine.
#include "os/testing.hpp"
#include "wasi/guest_run.hpp"

#include <thread>

namespace weir::wasi {
namespace {

using namespace testing;

struct guests : ::testing::Test {
  wasm::engine engine;
  wasm::linker functions{engine};
  runtime one{{.permits = 1}};
  scratch box;
  guests() { add_to_linker(functions); }

  context_options options(path_resolution how = path_resolution::automatic) {
    return fake_guest::options_for(box.path(), how);
  }
};

TEST_F(guests, the_self_test_holds_with_both_ways_of_resolving_paths) {
  for (const auto how : {path_resolution::automatic, path_resolution::user_space}) {
    context_options given = options(how);
    given.env = {{"SELFTEST", "a=b"}};
    guest_run guest{engine, test_guest("selftest"), {"/box"}, std::move(given)};
    EXPECT_EQ(one.block_on(guest.run(functions)), 0) << guest.out << guest.err << guest.failure.to_string();
    EXPECT_THAT(guest.out, ::testing::HasSubstr("expectations hold\n"));
  }
}

TEST_F(guests, wordcount_counts_a_tree) {
  std::filesystem::create_directories(box / "a/b/c");
  write_file(box / "one", "a b\nc\n");
  write_file(box / "a/b/c/two", "d  e");
  guest_run guest{engine, example("wordcount"), {"/box", "/box/a"}, options()};
  EXPECT_EQ(one.block_on(guest.run(functions)), 0) << guest.err << guest.failure.to_string();
  EXPECT_EQ(guest.out, "/box: 2 files, 2 lines, 5 words, 10 bytes\n"
                       "/box/a: 1 files, 0 lines, 2 words, 4 bytes\n"
                       "total: 3 files, 2 lines, 7 words, 14 bytes\n");
  guest_run failing{engine, example("wordcount"), {"/box/none"}, options()};
  EXPECT_EQ(one.block_on(failing.run(functions)), 1);
  EXPECT_THAT(failing.err, ::testing::HasSubstr("/box/none"));
}

TEST_F(guests, sieve_counts_the_primes) {
  guest_run guest{engine, example("sieve"), {"10000"}};
  EXPECT_EQ(one.block_on(guest.run(functions)), 0) << guest.failure.to_string();
  EXPECT_EQ(guest.out, "1229 primes up to 10000, the largest is 9973\n");
}

TEST_F(guests, reader_prints_lines_with_their_lengths) {
  context_options given;
  given.standard_input = input::text("hello\n\nend");
  guest_run guest{engine, example("reader"), {}, std::move(given)};
  EXPECT_EQ(one.block_on(guest.run(functions)), 0) << guest.err << guest.failure.to_string();
  EXPECT_EQ(guest.out, "   5 hello\n   0 \n   3 end\n3 lines, 8 bytes without line ends\n");
}

TEST_F(guests, a_spinning_guest_sees_what_another_publishes_on_the_same_permit) {
  guest_run spinner{engine, example("spin-until"), {"/box/flag"}, options()};
  guest_run publisher{engine, example("publish"), {"/box/flag", "hello"}, options()};
  const auto both = [&]() -> task<int> {
    auto spin = one.spawn(spinner.run(functions));
    auto publish = one.spawn(publisher.run(functions));
    auto first = co_await std::move(spin);
    auto second = co_await std::move(publish);
    co_return first.value() * 10 + second.value();
  };
  EXPECT_EQ(one.block_on(both()), 0) << spinner.err << publisher.err << spinner.failure.to_string();
  EXPECT_THAT(spinner.out, ::testing::StartsWith("found \"hello\" after "));
  EXPECT_EQ(publisher.out, "published /box/flag\n");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator{box.path()}, {}), 1); // nothing under another name
}

TEST_F(guests, a_guest_that_waits_for_input_lets_others_run) {
  rt::os::testing::make_fifo((box / "fifo").string());
  guest_run reader{engine, example("reader"), {"/box/fifo"}, options()};
  guest_run publisher{engine, example("publish"), {"/box/flag"}, options()};
  const auto both = [&]() -> task<int> {
    auto read = one.spawn(reader.run(functions));
    auto publish = one.spawn(publisher.run(functions));
    auto second = co_await std::move(publish); // while the reader waits for its first byte
    rt::os::testing::write_all(rt::os::testing::open_file((box / "fifo").string(), true), "line\n");
    auto first = co_await std::move(read);
    co_return first.value() * 10 + second.value();
  };
  EXPECT_EQ(one.block_on(both()), 0) << reader.err << publisher.err << reader.failure.to_string();
  EXPECT_THAT(reader.out, ::testing::StartsWith("   4 line\n"));
}

} // namespace
} // namespace weir::wasi
