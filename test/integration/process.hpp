// SPDX-License-Identifier: Apache-2.0
#pragma once

// A program under test: started with words, watched through pipes, and never left behind.
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace weir::test {

/// What a program left.
struct ended {
  int status = -1; ///< the exit status, or 128 plus the signal that killed it
  std::string output;
  std::string error;
};

/// A running program. Its standard input stays open until finish() or close_input().
class process {
public:
  explicit process(std::vector<std::string> words);
  ~process();
  process(const process&) = delete;
  process& operator=(const process&) = delete;

  void write(std::string_view text) const;
  void close_input();
  /// Reads standard output until it contains `text`; false when it ended before.
  bool wait_for_output(std::string_view text);
  bool wait_for_error(std::string_view text);
  const std::string& error_so_far() const { return seen_.error; }
  /// Waits for more of standard error; false at its end.
  bool read_more_error();
  void signal(int number) const;
  /// Closes standard input unless told otherwise, reads both outputs to their ends and waits for the end.
  ended finish(bool closes_input = true);

private:
  bool wait_for(int descriptor, std::string& seen, std::string_view text);

  pid_t child_ = -1;
  int input_ = -1;
  int output_ = -1;
  int error_ = -1;
  ended seen_;
};

/// Runs the `weir` under test with no input.
ended weir(std::vector<std::string> words);
/// The words that start the `weir` under test.
std::vector<std::string> weir_command(std::vector<std::string> words);

/// A folder of its own for each test, gone after it.
class scratch_folder {
public:
  scratch_folder();
  ~scratch_folder();
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  std::string write(const std::string& name, std::string_view contents) const;

private:
  std::string path_;
};

std::string example_guest(const std::string& name);
std::string test_data(const std::string& name);
std::string read_file(const std::string& path);
/// The lines of a text without their ends.
std::vector<std::string> lines(const std::string& text);

} // namespace weir::test
