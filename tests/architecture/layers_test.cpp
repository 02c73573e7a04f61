// SPDX-License-Identifier: Apache-2.0
// Reads every #include of the tree and holds it against layers.txt.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <regex>
#include <set>

#include "tests/architecture/tree.h"

namespace bakery::architecture {
namespace {

struct Layers {
  std::map<std::string, std::set<std::string>> below;
  std::set<std::string> qt;
  std::vector<std::string> errors;
};

Layers parse_layers(const std::string& text) {
  Layers layers;
  for (const std::string& line : lines(text)) {
    if (line.empty() || line.front() == '#') continue;
    const size_t colon = line.find(':');
    if (colon == std::string::npos) {
      layers.errors.push_back("no colon in `" + line + "`");
      continue;
    }
    const std::string head = line.substr(0, colon);
    const std::vector<std::string> tail = words(line.substr(colon + 1));
    if (head == "!qt") {
      layers.qt.insert(tail.begin(), tail.end());
    } else if (head.starts_with("!program ")) {
      continue;
    } else {
      // A line may name only lines above it, so there can't be a cycle.
      for (const std::string& other : tail)
        if (!layers.below.count(other))
          layers.errors.push_back("`" + head + "` names `" + other + "`, which is not above it");
      layers.below[head] = {tail.begin(), tail.end()};
    }
  }
  return layers;
}

std::optional<std::string> layer_of(const Layers& layers, const std::string& file) {
  std::optional<std::string> best;
  for (const auto& [layer, below] : layers.below)
    if (is_in(file, layer) && (!best || layer.size() > best->size())) best = layer;
  return best;
}

// The complaints about one file with this text.
std::vector<std::string> judge(const Layers& layers, const std::string& file,
                               const std::string& text,
                               const std::set<std::string>& existing) {
  std::vector<std::string> out;
  const bool is_test = is_in(file, "tests");
  const std::optional<std::string> own = layer_of(layers, file);
  if (!own && !is_test) {
    out.push_back(file + ": its folder is no layer of layers.txt");
    return out;
  }
  const bool may_qt = is_test ? is_in(file, "tests/views") : layers.qt.count(*own) > 0;
  static const std::regex kInclude(R"re(^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>).*)re");
  int number = 0;
  for (const std::string& line : lines(text)) {
    ++number;
    std::smatch match;
    if (!std::regex_match(line, match, kInclude)) continue;
    const std::string where = file + ":" + std::to_string(number) + ": ";
    if (match[2].matched) {
      const std::string header = match[2];
      if (!may_qt && (header.starts_with("Q") || header.starts_with("qt")))
        out.push_back(where + "<" + header + "> in a layer without Qt");
      continue;
    }
    const std::string header = match[1];
    if (header.ends_with(".moc") || header.starts_with("moc_")) continue;
    if (!existing.count(header)) {
      out.push_back(where + "\"" + header + "\" is no file, counted from the root");
      continue;
    }
    if (is_test) continue;
    const std::optional<std::string> other = layer_of(layers, header);
    if (!other)
      out.push_back(where + "\"" + header + "\" belongs to no layer");
    else if (*other != *own && !layers.below.at(*own).count(*other))
      out.push_back(where + "`" + *own + "` may not include `" + *other + "`");
  }
  return out;
}

TEST(Layers, FileIsSound) {
  const Layers layers = parse_layers(read(root() / "tests/architecture/layers.txt"));
  for (const std::string& error : layers.errors) ADD_FAILURE() << error;
  EXPECT_GE(layers.below.size(), 10u);
  for (const std::string& layer : layers.qt) EXPECT_TRUE(layers.below.count(layer)) << layer;
  // Indirect directions are written out, and no Qt-free layer stands on Qt.
  for (const auto& [layer, below] : layers.below)
    for (const std::string& other : below)
      EXPECT_TRUE(layers.qt.count(layer) || !layers.qt.count(other))
          << layer << " stands on " << other << ", which has Qt";
}

TEST(Layers, EveryIncludeFollowsThem) {
  const Layers layers = parse_layers(read(root() / "tests/architecture/layers.txt"));
  const std::vector<std::string> all = files();
  const std::set<std::string> existing(all.begin(), all.end());
  size_t read_files = 0;
  for (const std::string& file : all) {
    if (!is_cpp(file)) continue;
    ++read_files;
    for (const std::string& complaint : judge(layers, file, read(root() / file), existing))
      ADD_FAILURE() << complaint;
  }
  EXPECT_GT(read_files, 10u);
}

TEST(Layers, TheTestItselfRejects) {
  const Layers layers = parse_layers("core_ir:\nchecks: core_ir\nviews: core_ir\n!qt: views\n");
  const std::set<std::string> existing = {"core_ir/a.h", "checks/a.h", "views/a.h"};
  const auto count = [&](const char* file, const char* text) {
    return judge(layers, file, text, existing).size();
  };
  EXPECT_EQ(count("checks/b.cpp", "#include \"core_ir/a.h\"\n#include <vector>\n"), 0u);
  EXPECT_EQ(count("views/b.cpp", "#include <QWidget>\n#include \"b.moc\"\n"), 0u);
  EXPECT_EQ(count("core_ir/b.cpp", "#include \"checks/a.h\"\n"), 1u);
  EXPECT_EQ(count("views/b.cpp", "#include \"checks/a.h\"\n"), 1u);
  EXPECT_EQ(count("checks/b.cpp", "#include \"a.h\"\n"), 1u);
  EXPECT_EQ(count("checks/b.cpp", "  # include <QString>\n"), 1u);
  EXPECT_EQ(count("tests/unit/b.cpp", "#include <QString>\n"), 1u);
  EXPECT_EQ(count("tests/views/b.cpp", "#include <QString>\n"), 0u);
  EXPECT_EQ(count("extra/b.cpp", ""), 1u);
}

}  // namespace
}  // namespace bakery::architecture
