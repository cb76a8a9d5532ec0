#include "toolkit/level_chart.h"

#include <algorithm>
#include <cinttypes>

#include "base/string_util.h"

namespace cairn {
namespace {

using Family = ManifestPicture::Family;

uint64_t LargestLevel(const Family& family) {
  uint64_t largest = 1;
  for (size_t level = 0; level < family.levels.size(); ++level) {
    largest = std::max(largest, family.Bytes(level));
  }
  return largest;
}

// A key in a few columns.
std::string ShortKey(const Slice& key) {
  constexpr size_t kShown = 20;
  std::string text = EscapeBytes(key);
  if (text.size() > kShown) text = text.substr(0, kShown - 2) + "..";
  return text;
}

// Of a level above 0 the files are in order; of level 0 not.
std::string KeySpan(const std::vector<FileMetaData>& files) {
  const auto by_smallest = [](const FileMetaData& a, const FileMetaData& b) {
    return a.smallest.user_key().compare(b.smallest.user_key()) < 0;
  };
  const auto by_largest = [](const FileMetaData& a, const FileMetaData& b) {
    return a.largest.user_key().compare(b.largest.user_key()) < 0;
  };
  return ShortKey(std::min_element(files.begin(), files.end(), by_smallest)->smallest.user_key()) +
         " .. " +
         ShortKey(std::max_element(files.begin(), files.end(), by_largest)->largest.user_key());
}

std::string FilesText(size_t n) { return NumberToString(n) + (n == 1 ? " file" : " files"); }

std::string Escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (c == '&') {
      escaped += "&amp;";
    } else if (c == '"') {
      escaped += "&quot;";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

// The picture's measures, in pixels.
constexpr double kLabel = 60, kTrack = 660, kNumbers = 180, kMargin = 20;
constexpr double kRow = 26, kRowGap = 8, kTitle = 34, kFamilyGap = 18;
constexpr double kWidth = kMargin + kLabel + kTrack + kNumbers + kMargin;
// More tables than this in a row are one box: they would be thinner than lines.
constexpr size_t kMostBoxes = 220;
constexpr const char* kColors[] = {"#ef8e3b", "#9ec5e8", "#78abd9", "#5591c6",
                                   "#3a78b0", "#2a6096", "#1d4a79"};

class Picture {
 public:
  std::string Draw(const ManifestPicture& picture, const std::string& title) {
    y_ = kMargin + 16;
    Text(kMargin, y_, title, 16, "bold");
    y_ += 18;
    Text(
        kMargin, y_,
        "each box is a table, as wide as it is large; level 0 (orange) overlaps, the others do not",
        11, "normal", "#5f6b73");
    y_ += 8;
    for (const auto& [id, family] : picture.families) DrawFamily(family);
    const double height = y_ + kMargin;
    return StringPrintf(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
               "viewBox=\"0 0 %.0f %.0f\" font-family=\"Helvetica,Arial,sans-serif\">\n"
               "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
               kWidth, height, kWidth, height) +
           body_ + "</svg>\n";
  }

 private:
  void Text(double x, double y, const std::string& text, int size, const char* weight,
            const char* color = "#263238", const char* anchor = "start") {
    body_ += StringPrintf(
                 "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\" font-weight=\"%s\" fill=\"%s\" "
                 "text-anchor=\"%s\">",
                 x, y, size, weight, color, anchor) +
             Escaped(text) + "</text>\n";
  }
  void Box(double x, double width, const char* color, const std::string& tooltip) {
    body_ += StringPrintf(
                 "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.0f\" rx=\"2\" "
                 "fill=\"%s\"><title>",
                 x, y_, width, kRow, color) +
             Escaped(tooltip) + "</title></rect>\n";
  }

  void DrawFamily(const Family& family) {
    y_ += kFamilyGap;
    Text(kMargin, y_ + 14, family.name, 14, "bold");
    y_ += kTitle - 8;
    const uint64_t largest = LargestLevel(family);
    size_t deepest = 0;
    for (size_t level = 0; level < family.levels.size(); ++level) {
      if (!family.levels[level].empty()) deepest = level;
    }
    bool any = false;
    for (size_t level = 0; level <= deepest && level < family.levels.size(); ++level) {
      DrawLevel(family, level, largest);
      any = true;
    }
    if (!any) {
      Text(kMargin + kLabel, y_ + 17, "no tables", 12, "normal", "#5f6b73");
      y_ += kRow + kRowGap;
    }
  }

  void DrawLevel(const Family& family, size_t level, uint64_t largest) {
    const std::vector<FileMetaData>& files = family.levels[level];
    const uint64_t bytes = family.Bytes(level);
    const double left = kMargin + kLabel;
    Text(left - 12, y_ + 18, "L" + NumberToString(level), 13, "bold", "#455a64", "end");
    body_ += StringPrintf(
        "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.0f\" height=\"%.0f\" rx=\"2\" fill=\"#f1f4f6\"/>\n",
        left, y_, kTrack, kRow);
    const char* const color = kColors[std::min(level, std::size(kColors) - 1)];
    const double pixels = kTrack / static_cast<double>(largest);
    if (files.size() > kMostBoxes) {
      Box(left, std::max(2.0, static_cast<double>(bytes) * pixels), color,
          FilesText(files.size()) + ", " + KeySpan(files));
    } else {
      uint64_t before = 0;
      for (const FileMetaData& file : files) {
        const double x = left + static_cast<double>(before) * pixels;
        const double width = static_cast<double>(file.file_size) * pixels;
        const double gap = std::min(1.0, width / 4);
        Box(x, std::max(0.6, width - gap), color,
            NumberToString(file.number) + ".sst, " + BytesToHumanString(file.file_size) + ", " +
                ShortKey(file.smallest.user_key()) + " .. " + ShortKey(file.largest.user_key()));
        before += file.file_size;
      }
    }
    Text(left + kTrack + 12, y_ + 18,
         files.empty() ? "empty" : FilesText(files.size()) + ", " + BytesToHumanString(bytes), 12,
         "normal", "#455a64");
    y_ += kRow + kRowGap;
  }

  std::string body_;
  double y_ = 0;
};

}  // namespace

std::string LevelTable(const ManifestPicture& picture, size_t width) {
  std::string text;
  for (const auto& [id, family] : picture.families) {
    uint64_t bytes = 0, files = 0;
    for (size_t level = 0; level < family.levels.size(); ++level) {
      bytes += family.Bytes(level);
      files += family.levels[level].size();
    }
    text += family.name + "  " + FilesText(files) + ", " + BytesToHumanString(bytes) + "\n";
    const uint64_t largest = LargestLevel(family);
    for (size_t level = 0; level < family.levels.size(); ++level) {
      if (family.levels[level].empty()) continue;
      const uint64_t size = family.Bytes(level);
      const size_t filled = std::max<size_t>(
          1, static_cast<size_t>(static_cast<double>(width) * static_cast<double>(size) /
                                 static_cast<double>(largest)));
      text += StringPrintf("  L%-2" PRIu64 " %6" PRIu64 " %12s  ", level,
                           family.levels[level].size(), BytesToHumanString(size).c_str()) +
              std::string(filled, '#') + std::string(width - std::min(width, filled), '.') + "  " +
              KeySpan(family.levels[level]) + "\n";
    }
  }
  return text;
}

std::string LevelSvg(const ManifestPicture& picture, const std::string& title) {
  return Picture().Draw(picture, title);
}

}  // namespace cairn
