// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <expected>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weir::cli {

using file_bytes = std::vector<std::byte>;

/// The files of a conformance corpus: an archive held in memory, or a folder read file by file.
///
/// Thread: any, once opened.
class corpus {
public:
  /// Opens an archive (any format and compression that libarchive reads), a folder, or one script file.
  ///
  /// Errors: one line with the path and the reason; also when there is no script inside.
  static std::expected<corpus, std::string> open(const std::filesystem::path& path);

  /// The paths of the `.jsonl` files inside, sorted.
  const std::vector<std::string>& scripts() const { return scripts_; }

  /// Reads a file inside.
  ///
  /// Errors: one line with the path and the reason.
  std::expected<std::shared_ptr<const file_bytes>, std::string> read(std::string_view path) const;

private:
  std::expected<void, std::string> read_archive(const std::filesystem::path& path);
  std::expected<void, std::string> list_folder(const std::filesystem::path& path);

  std::filesystem::path folder_; // empty for an archive
  std::map<std::string, std::shared_ptr<const file_bytes>, std::less<>> files_;
  std::vector<std::string> scripts_;
};

} // namespace weir::cli
