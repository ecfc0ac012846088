// SPDX-License-Identifier: Apache-2.0
#include <weir/wasi/context.hpp>

#include "wasi/guest_state.hpp"

#include <limits>
#include <string_view>

namespace weir::wasi {

namespace {

using detail::guest_state;
using rt::os::beneath;

std::unexpected<wasm::error> refused(std::string message) {
  return std::unexpected(wasm::error{.code = wasm::errc::host_error, .message = std::move(message)});
}

bool has_zero(std::string_view text) { return text.find('\0') != std::string_view::npos; }

wasm::result<descriptor> host_descriptor(int number, const char* what) {
  const auto status = rt::os::status(number);
  const auto mode = rt::os::access_mode(number);
  if (!status || !mode)
    return refused(std::string{what} + ": descriptor " + std::to_string(number) +
                   " of the host cannot be used: " + (status ? mode.error() : status.error()).message());
  descriptor made;
  made.file = rt::os::file::borrowing(number);
  made.type = status->type;
  made.can_read = mode->first;
  made.can_write = mode->second;
  return made;
}

/// A standard stream. A device that is no terminal, such as /dev/null, must not look like one to a C library.
wasm::result<descriptor> host_stream(int number, const char* what) {
  auto made = host_descriptor(number, what);
  if (made && made->type == rt::os::file_type::character_device && !rt::os::is_terminal(number))
    made->type = rt::os::file_type::unknown;
  return made;
}

wasm::result<descriptor> open_input(const input& from) {
  descriptor made;
  if (from.descriptor_number() >= 0) {
    auto opened = host_stream(from.descriptor_number(), "standard input");
    if (!opened) return opened;
    made = std::move(*opened);
  } else if (from.callback()) {
    made.what = descriptor::kind::source;
    made.source = from.callback();
  } else {
    made.what = descriptor::kind::text_input;
    made.text = from.content();
  }
  made.is_stdio = true;
  made.can_read = true;
  made.can_write = false;
  return made;
}

wasm::result<descriptor> open_output(const output& to, const char* what) {
  descriptor made;
  if (to.descriptor_number() >= 0) {
    auto opened = host_stream(to.descriptor_number(), what);
    if (!opened) return opened;
    made = std::move(*opened);
  } else {
    made.what = descriptor::kind::sink;
    made.sink = to.callback() ? to.callback() : [](std::span<const std::byte>) { return std::error_code{}; };
    if (to.is_terminal()) made.type = rt::os::file_type::character_device;
  }
  made.is_stdio = true;
  made.can_read = false;
  made.can_write = true;
  return made;
}

wasm::result<descriptor> open_preopened(const preopened_directory& from) {
  if (from.guest_path.empty())
    return refused("the directory " + from.host_path + " needs a name for the guest, such as `/` or `.`");
  if (has_zero(from.host_path) || has_zero(from.guest_path))
    return refused("the name of a directory has a zero byte in it");
  auto opened = rt::os::open_directory(from.host_path);
  if (!opened)
    return refused("the directory " + from.host_path + " for the guest's " + from.guest_path +
                   " cannot be opened: " + opened.error().message());
  descriptor made;
  made.file = std::move(*opened);
  made.type = rt::os::file_type::directory;
  made.can_read = true;
  made.can_change = !from.is_read_only;
  made.preopen_name = from.guest_path;
  return made;
}

wasm::result<descriptor> open_socket(int number) {
  auto made = host_descriptor(number, "a socket for the guest");
  if (made && !made->is_socket())
    return refused("a socket for the guest: descriptor " + std::to_string(number) + " of the host is not a socket");
  return made;
}

/// What a C library will copy into the guest's memory must fit there, and each string must end where it ends.
wasm::result<void> check_strings(const std::vector<std::string>& strings, const char* what) {
  std::uint64_t sum = 0;
  for (const std::string& each : strings) {
    if (has_zero(each)) return refused(std::string{what} + " has a zero byte in it: " + each.c_str() + "...");
    sum += each.size() + 1;
  }
  if (sum > std::numeric_limits<std::int32_t>::max())
    return refused(std::string{what} + ": all together are too long for a guest");
  return {};
}

wasm::result<std::vector<std::string>> join_environment(const std::vector<std::pair<std::string, std::string>>& env) {
  std::vector<std::string> joined;
  for (const auto& [name, value] : env) {
    if (name.empty() || name.find('=') != std::string::npos)
      return refused("an environment variable needs a name without `=`, but got `" + name + "`");
    joined.emplace_back(name).append("=").append(value);
  }
  if (auto checked = check_strings(joined, "an environment variable"); !checked)
    return std::unexpected(checked.error());
  return joined;
}

wasm::result<void> add(fd_table& files, wasm::result<descriptor> opened) {
  if (!opened) return std::unexpected(std::move(opened).error());
  if (!files.insert(std::move(*opened))) return refused("max_descriptors is too small for what the guest is given");
  return {};
}

wasm::result<void> fill(fd_table& files, const context_options& options) {
  auto done = add(files, open_input(options.standard_input));
  if (done) done = add(files, open_output(options.standard_output, "standard output"));
  if (done) done = add(files, open_output(options.standard_error, "standard error"));
  for (const preopened_directory& each : options.directories)
    if (done) done = add(files, open_preopened(each));
  for (const int each : options.sockets)
    if (done) done = add(files, open_socket(each));
  return done;
}

} // namespace

context::context(std::unique_ptr<detail::guest_state> state) : state_{std::move(state)} {}
context::context(context&&) noexcept = default;
context& context::operator=(context&&) noexcept = default;
context::~context() = default;

const cancel_token& context::cancel() const { return state_->cancel; }

wasm::result<context> context::build(context_options options) {
  if (auto checked = check_strings(options.args, "an argument"); !checked) return std::unexpected(checked.error());
  auto environ = join_environment(options.env);
  if (!environ) return std::unexpected(environ.error());
  fd_table files{options.max_descriptors};
  if (auto filled = fill(files, options); !filled) return std::unexpected(filled.error());
  const bool in_user_space = options.resolution == path_resolution::user_space;
  return context{std::make_unique<guest_state>(guest_state{
      .args = std::move(options.args),
      .environ = std::move(*environ),
      .files = std::move(files),
      .cancel = options.cancel,
      .clocks = options.clocks ? options.clocks : system_clocks(),
      .random = std::move(options.random),
      .paths = in_user_space ? beneath{beneath::method::user_space} : beneath::best(),
  })};
}

} // namespace weir::wasi
