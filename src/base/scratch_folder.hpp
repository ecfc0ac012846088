// SPDX-License-Identifier: Apache-2.0
// A folder of its own for a test that needs files.
#pragma once

#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>

namespace weir::test {

/// Empty at first, and removed with what is in it; no other process uses it.
class scratch_folder {
public:
  scratch_folder() {
    std::random_device random;
    do path_ = std::filesystem::temp_directory_path() / ("weir-" + std::to_string(random()) + std::to_string(random()));
    while (!std::filesystem::create_directory(path_));
  }
  ~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::filesystem::path& name) const { return path_ / name; }

  /// Writes a file, in folders that are made where they are missing, and returns where it is.
  std::filesystem::path write(const std::filesystem::path& name, std::string_view contents) const {
    auto path = path_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream{path, std::ios::binary} << contents;
    return path;
  }

private:
  std::filesystem::path path_;
};

} // namespace weir::test
