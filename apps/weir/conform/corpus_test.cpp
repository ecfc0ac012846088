// SPDX-License-Identifier: Apache-2.0
#include "conform/corpus.hpp"

#include "base/scratch_folder.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string_view>

namespace weir::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class corpus_test : public testing::Test {
protected:
  std::filesystem::path write(const std::filesystem::path& name, std::string_view contents) const {
    return folder_.write(name, contents);
  }

  /// An archive as `tar --zstd` makes it.
  std::filesystem::path pack(const std::vector<std::pair<std::string, std::string>>& files) const {
    const auto path = folder_ / "corpus.tar.zst";
    struct archive* const out = archive_write_new();
    archive_write_set_format_pax_restricted(out);
    archive_write_add_filter_zstd(out);
    archive_write_open_filename(out, path.c_str());
    for (const auto& [name, contents] : files) {
      struct archive_entry* const entry = archive_entry_new();
      archive_entry_set_pathname(entry, name.c_str());
      archive_entry_set_size(entry, static_cast<la_int64_t>(contents.size()));
      archive_entry_set_filetype(entry, AE_IFREG);
      archive_entry_set_perm(entry, 0644);
      archive_write_header(out, entry);
      archive_write_data(out, contents.data(), contents.size());
      archive_entry_free(entry);
    }
    archive_write_free(out);
    return path;
  }

  weir::test::scratch_folder folder_;
};

std::string text(const std::expected<std::shared_ptr<const file_bytes>, std::string>& bytes) {
  if (!bytes) return bytes.error();
  return {reinterpret_cast<const char*>((*bytes)->data()), (*bytes)->size()};
}

TEST_F(corpus_test, an_archive_and_a_folder_give_the_same_files) {
  const auto archive =
      corpus::open(pack({{"./c/b/b.jsonl", "two"}, {"./c/a/a.jsonl", "one"}, {"./c/a/a.0.wasm", "module"}}));
  write("c/a/a.jsonl", "one");
  write("c/a/a.0.wasm", "module");
  write("c/b/b.jsonl", "two");
  std::filesystem::remove(folder_ / "corpus.tar.zst");
  const auto folder = corpus::open(folder_.path());
  for (const auto* files : {&archive, &folder}) {
    ASSERT_TRUE(files->has_value()) << files->error();
    EXPECT_THAT((*files)->scripts(), ElementsAre("c/a/a.jsonl", "c/b/b.jsonl"));
    EXPECT_EQ(text((*files)->read("c/a/a.0.wasm")), "module");
    EXPECT_FALSE((*files)->read("c/a/none.wasm").has_value());
  }
}

TEST_F(corpus_test, one_script_can_be_opened_alone) {
  const auto path = write("a/a.jsonl", "one");
  write("a/a.0.wasm", "module");
  const auto files = corpus::open(path);
  ASSERT_TRUE(files.has_value());
  EXPECT_THAT(files->scripts(), ElementsAre("a.jsonl"));
  EXPECT_EQ(text(files->read("a.0.wasm")), "module");
}

TEST_F(corpus_test, what_is_no_corpus_says_so_with_its_path) {
  EXPECT_THAT(corpus::open(folder_ / "missing").error(), HasSubstr("missing: no such archive or folder"));
  EXPECT_THAT(corpus::open(folder_.path()).error(), HasSubstr("has no script in it"));
  EXPECT_THAT(corpus::open(write("noise.tar.zst", "this is no archive at all")).error(),
              HasSubstr("cannot be read as an archive"));
  EXPECT_THAT(corpus::open(pack({{"a/readme.txt", "x"}})).error(), HasSubstr("has no script in it"));
}

TEST_F(corpus_test, a_truncated_archive_is_an_error) {
  std::string noise;
  for (unsigned i = 0, x = 1; i < 200'000; ++i) noise += static_cast<char>((x = x * 1664525u + 1013904223u) >> 24);
  const auto path = pack({{"a/a.jsonl", noise}});
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  EXPECT_THAT(corpus::open(path).error(), HasSubstr("cannot be read as an archive"));
}

} // namespace
} // namespace weir::cli
