// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <spawn.h>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

extern char** environ;

namespace weir::test {
namespace {

struct pipe_ends {
  int read = -1;
  int write = -1;
};

pipe_ends make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
  return {ends[0], ends[1]};
}

void close_end(int& descriptor) {
  if (descriptor >= 0) close(std::exchange(descriptor, -1));
}

/// Appends what is there, waiting for it; false at the end.
bool read_some(int descriptor, std::string& into) {
  std::array<char, 65536> buffer;
  const ssize_t got = read(descriptor, buffer.data(), buffer.size());
  if (got <= 0) return false;
  into.append(buffer.data(), static_cast<std::size_t>(got));
  return true;
}

} // namespace

process::process(std::vector<std::string> words) {
  pipe_ends in = make_pipe(), out = make_pipe(), err = make_pipe();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.read, 0);
  posix_spawn_file_actions_adddup2(&actions, out.write, 1);
  posix_spawn_file_actions_adddup2(&actions, err.write, 2);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::signal(SIGPIPE, SIG_IGN); // a child may end before it is written to; it has the usual action itself
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t pipe_signal;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &pipe_signal);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const int failed = posix_spawn(&child_, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close_end(in.read);
  close_end(out.write);
  close_end(err.write);
  input_ = in.write;
  output_ = out.read;
  error_ = err.read;
  if (failed != 0) throw std::system_error(failed, std::generic_category(), words[0]);
}

process::~process() {
  if (child_ > 0) {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  close_end(input_);
  close_end(output_);
  close_end(error_);
}

void process::write(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t written = ::write(input_, text.data(), text.size());
    if (written < 0 && errno == EPIPE) return; // the child has ended
    if (written < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "write");
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void process::close_input() { close_end(input_); }

bool process::wait_for(int descriptor, std::string& seen, std::string_view text) {
  while (seen.find(text) == std::string::npos)
    if (!read_some(descriptor, seen)) return false;
  return true;
}

bool process::wait_for_output(std::string_view text) { return wait_for(output_, seen_.output, text); }
bool process::wait_for_error(std::string_view text) { return wait_for(error_, seen_.error, text); }

bool process::read_more_error() { return read_some(error_, seen_.error); }

void process::signal(int number) const { kill(child_, number); }

ended process::finish(bool closes_input) {
  if (closes_input) close_input();
  bool has_output = true, has_error = true;
  while (has_output || has_error) {
    std::array<pollfd, 2> both{{{has_output ? output_ : -1, POLLIN, 0}, {has_error ? error_ : -1, POLLIN, 0}}};
    if (poll(both.data(), both.size(), -1) < 0 && errno != EINTR)
      throw std::system_error(errno, std::generic_category(), "poll");
    if (both[0].revents != 0) has_output = read_some(output_, seen_.output);
    if (both[1].revents != 0) has_error = read_some(error_, seen_.error);
  }
  int status = 0;
  waitpid(std::exchange(child_, -1), &status, 0);
  seen_.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return seen_;
}

std::vector<std::string> weir_command(std::vector<std::string> words) {
  words.insert(words.begin(), WEIR_COMMAND);
  return words;
}

ended weir(std::vector<std::string> words) { return process{weir_command(std::move(words))}.finish(); }

scratch_folder::scratch_folder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "weir-test-XXXXXX").string();
  if (!mkdtemp(pattern.data())) throw std::system_error(errno, std::generic_category(), "mkdtemp");
  path_ = pattern;
}

scratch_folder::~scratch_folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string scratch_folder::write(const std::string& name, std::string_view contents) const {
  std::ofstream{file(name), std::ios::binary} << contents;
  return file(name);
}

std::string example_guest(const std::string& name) { return std::string{WEIR_EXAMPLE_GUESTS} + "/" + name + ".wasm"; }
std::string test_data(const std::string& name) { return std::string{WEIR_TEST_DATA} + "/" + name; }

std::string read_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream{path, std::ios::binary}.rdbuf();
  return text.str();
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream source{text};
  for (std::string line; std::getline(source, line);) all.push_back(line);
  return all;
}

} // namespace weir::test
