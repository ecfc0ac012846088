// SPDX-License-Identifier: Apache-2.0
#include "conform/corpus.hpp"

#include "support/units.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <system_error>

namespace weir::cli {
namespace {

// More than any corpus needs, and little enough that a decompression bomb ends with a message.
constexpr std::uint64_t largest_archive = 2ull << 30;

struct archive_closer {
  void operator()(struct archive* opened) const noexcept { archive_read_free(opened); }
};

std::string archive_problem(struct archive* opened) {
  const char* const text = archive_error_string(opened);
  return text ? text : "is no archive";
}

std::expected<std::shared_ptr<const file_bytes>, std::string> read_whole(const std::filesystem::path& path) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{std::fopen(path.c_str(), "rb"), std::fclose};
  if (!file) return std::unexpected(fmt::format("{}: {}", path.string(), std::generic_category().message(errno)));
  auto bytes = std::make_shared<file_bytes>();
  for (std::size_t have = 0;;) {
    bytes->resize(std::max(std::size_t{64} * 1024, have * 2));
    const std::size_t got = std::fread(bytes->data() + have, 1, bytes->size() - have, file.get());
    have += got;
    if (std::ferror(file.get()))
      return std::unexpected(fmt::format("{}: {}", path.string(), std::generic_category().message(errno)));
    if (have > largest_archive) return std::unexpected(fmt::format("{}: is too large for a corpus", path.string()));
    if (got == 0) {
      bytes->resize(have);
      return bytes;
    }
  }
}

/// The contents of the entry that `opened` stands at.
std::expected<std::shared_ptr<const file_bytes>, std::string> read_entry(struct archive* opened, std::uint64_t limit) {
  auto bytes = std::make_shared<file_bytes>();
  for (;;) {
    const void* block = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    const int status = archive_read_data_block(opened, &block, &size, &offset);
    if (status == ARCHIVE_EOF) return bytes;
    if (status < ARCHIVE_WARN) return std::unexpected(archive_problem(opened));
    const auto end = static_cast<std::uint64_t>(offset) + size;
    if (end > limit) return std::unexpected(fmt::format("unpacks to more than {}", format_size(largest_archive)));
    if (bytes->size() < end) bytes->resize(end);
    std::copy_n(static_cast<const std::byte*>(block), size, bytes->begin() + offset);
  }
}

bool is_script(std::string_view path) { return path.ends_with(".jsonl"); }

} // namespace

std::expected<corpus, std::string> corpus::open(const std::filesystem::path& path) {
  std::error_code failed;
  const auto status = std::filesystem::status(path, failed);
  if (status.type() == std::filesystem::file_type::not_found)
    return std::unexpected(fmt::format("{}: no such archive or folder", path.string()));
  if (failed) return std::unexpected(fmt::format("{}: {}", path.string(), failed.message()));
  corpus opened;
  if (status.type() == std::filesystem::file_type::directory) {
    if (const auto listed = opened.list_folder(path); !listed) return std::unexpected(listed.error());
  } else if (is_script(path.string())) {
    opened.folder_ = path.parent_path().empty() ? "." : path.parent_path();
    opened.scripts_.push_back(path.filename().string());
  } else if (const auto read = opened.read_archive(path); !read) {
    return std::unexpected(read.error());
  }
  if (opened.scripts_.empty())
    return std::unexpected(fmt::format("{}: has no script in it (no file named .jsonl)", path.string()));
  std::ranges::sort(opened.scripts_);
  return opened;
}

std::expected<void, std::string> corpus::list_folder(const std::filesystem::path& path) {
  folder_ = path;
  std::error_code failed;
  for (std::filesystem::recursive_directory_iterator at{path, failed}, end; !failed && at != end; at.increment(failed))
    if (is_script(at->path().string()) && at->is_regular_file(failed))
      scripts_.push_back(at->path().lexically_relative(path).generic_string());
  if (failed) return std::unexpected(fmt::format("{}: {}", path.string(), failed.message()));
  return {};
}

std::expected<void, std::string> corpus::read_archive(const std::filesystem::path& path) {
  const auto refuse = [&](std::string_view why) {
    return std::unexpected(fmt::format("{}: cannot be read as an archive: {}", path.string(), why));
  };
  const std::unique_ptr<struct archive, archive_closer> opened{archive_read_new()};
  if (!opened) return refuse("out of memory");
  archive_read_support_filter_all(opened.get());
  archive_read_support_format_all(opened.get());
  if (archive_read_open_filename(opened.get(), path.c_str(), std::size_t{64} * 1024) != ARCHIVE_OK)
    return refuse(archive_problem(opened.get()));
  std::uint64_t total = 0;
  for (;;) {
    struct archive_entry* entry = nullptr;
    const int status = archive_read_next_header(opened.get(), &entry);
    if (status == ARCHIVE_EOF) return {};
    if (status < ARCHIVE_WARN) return refuse(archive_problem(opened.get()));
    if (archive_entry_filetype(entry) != AE_IFREG) continue;
    const char* const name = archive_entry_pathname(entry);
    if (!name) return refuse("an entry has a name that is not text");
    auto bytes = read_entry(opened.get(), largest_archive - total);
    if (!bytes) return refuse(bytes.error());
    total += (*bytes)->size();
    std::string normal = std::filesystem::path{name}.lexically_normal().generic_string();
    if (is_script(normal)) scripts_.push_back(normal);
    files_.insert_or_assign(std::move(normal), std::move(*bytes));
  }
}

std::expected<std::shared_ptr<const file_bytes>, std::string> corpus::read(std::string_view path) const {
  if (!folder_.empty()) return read_whole(folder_ / path);
  const auto found = files_.find(std::filesystem::path{path}.lexically_normal().generic_string());
  if (found == files_.end()) return std::unexpected(fmt::format("{}: is not in the archive", path));
  return found->second;
}

} // namespace weir::cli
