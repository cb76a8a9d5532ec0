#include "fs/platform.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "fs/file_util.h"

namespace cairn {
namespace {

TEST(WindowsPaths, RootsAreDrivesSharesAndSlashes) {
  const std::vector<std::pair<std::string, size_t>> cases = {
      {"", 0},          {"a", 0},     {"a/b", 0},          {"/a", 1},
      {"\\a", 1},       {"C:", 2},    {"C:a", 2},          {"C:\\a", 3},
      {"c:/a", 3},      {"1:\\a", 0}, {"\\\\s\\h\\a", 6},  {"//s/h/a", 6},
      {"\\\\s\\h", 5},  {"///a", 1},  {"\\\\?\\C:\\a", 7}, {"\\\\?\\UNC\\s\\h\\a", 12},
      {"\\\\?\\unc", 7}};
  for (const auto& [path, root] : cases) EXPECT_EQ(root, RootLength(path)) << path;
}

TEST(WindowsPaths, ParentsByTheirPaths) {
  for (const auto& [path, parent] :
       std::vector<std::pair<std::string, std::string>>{{"C:\\a\\b", "C:\\a"},
                                                        {"C:\\a\\b\\", "C:\\a"},
                                                        {"C:\\a/b", "C:\\a"},
                                                        {"C:\\a", "C:\\"},
                                                        {"C:\\", "C:\\"},
                                                        {"C:a", "C:"},
                                                        {"\\\\s\\h\\a", "\\\\s\\h\\"},
                                                        {"\\\\s\\h\\", "\\\\s\\h\\"},
                                                        {"a\\b", "a"},
                                                        {"a", "."}}) {
    EXPECT_EQ(ParentOf(path), parent) << path;
  }
  EXPECT_EQ("b", LastName("C:\\a\\b"));
  EXPECT_EQ("a", LastName("C:a"));
}

TEST(WindowsPaths, TwoSpellingsCompareEqual) {
  for (const char* path :
       {"C:\\Db\\LOCK", "c:/db/lock", "C:\\db\\\\x\\..\\.\\lock", "c:\\db\\LOCK\\"}) {
    EXPECT_EQ("c:\\db\\lock", ComparablePath(path)) << path;
  }
  EXPECT_EQ("\\\\s\\h\\x", ComparablePath("//S/H/X"));
}

TEST(WindowsPaths, AbsoluteOnesStayAndOthersGetTheWorkingDirectory) {
  std::string out;
  for (const char* const path : {"C:\\x", "c:/x y", "\\\\server\\share\\x", "Z:\\\xc3\xa4"}) {
    ASSERT_TRUE(AbsolutePath(path, &out).ok());
    EXPECT_EQ(path, out);
  }
  std::string here;
  ASSERT_TRUE(AbsolutePath("", &here).ok());
  EXPECT_GE(RootLength(here), 3u) << here;
  ASSERT_TRUE(AbsolutePath("x\\\xc3\xa4", &out).ok());
  EXPECT_EQ(WithoutTrailingSeparators(here) + "\\x\\\xc3\xa4", out);
  ASSERT_TRUE(AbsolutePath("/x", &out).ok());
  EXPECT_EQ(here.substr(0, RootLength(here)) + "x", out);
  EXPECT_TRUE(AbsolutePath("\xff", &out).IsInvalidArgument());
}

TEST(WindowsPaths, NamesThatNoFileCanHaveAreRefused) {
  for (const std::string& path :
       {std::string("CON"), std::string("C:\\db\\con.sst"), std::string("/db/Com1"),
        std::string("x\\LPT\xc2\xb2.log"), std::string("nul"), std::string("a\xff"),
        std::string("a\xed\xa0\x80"), std::string("a?b"), std::string("C:\\a\\b:c"),
        std::string("a."), std::string("a \\b"), std::string("a\0b", 3),
        std::string("\\\\.\\PhysicalDrive0"), std::string(256, 'x'),
        "C:\\" + std::string(40000, 'x')}) {
    const IOStatus s = CheckName(path);
    EXPECT_TRUE(s.IsInvalidArgument()) << path.substr(0, 40);
    EXPECT_NE(std::string::npos,
              s.ToString().find(path.substr(0, std::min<size_t>(5, path.find('\0')))));
  }
  for (const char* const path :
       {"C:\\db\\000001.sst", "console", "com", "com10", "../x", ".", "C:", "C:/a b/\xe6\x97\xa5",
        "\\\\server\\share\\x", "\\\\?\\C:\\x", "x.con", ""}) {
    EXPECT_TRUE(CheckName(path).ok()) << path;
  }
  std::string long_path = "C:";
  for (int i = 0; i < 30; ++i) long_path += "\\" + std::string(250, 'd');
  EXPECT_TRUE(CheckName(long_path).ok());
  std::string short_in_utf16;
  for (int i = 0; i < 200; ++i) short_in_utf16 += "\xe6\x97\xa5";  // 600 bytes, 200 characters
  EXPECT_TRUE(CheckName(short_in_utf16).ok());
}

TEST(WindowsMachine, HasANameAndATimeZone) {
  char name[256];
  ASSERT_TRUE(HostName(name, sizeof(name)));
  EXPECT_NE('\0', name[0]);
  EXPECT_FALSE(HostName(name, 1));
  struct tm local;
  ASSERT_TRUE(ToLocalTime(86400 * 366, &local));
  EXPECT_GE(local.tm_year, 70);
  EXPECT_FALSE(ToLocalTime(INT64_MAX, &local));
  EXPECT_EQ("No such file or directory", ErrorMessage(ENOENT));
  EXPECT_FALSE(TestDirectory().empty());
}

}  // namespace
}  // namespace cairn
