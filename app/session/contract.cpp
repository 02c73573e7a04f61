// SPDX-License-Identifier: Apache-2.0
#include "app/session/contract.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "app/session/toml.h"

namespace bakery {
namespace {

constexpr size_t kMaxShapes = 1000;
constexpr size_t kMaxRank = 5;                         // of a tensor map
constexpr int64_t kMaxScalar = (int64_t{1} << 31) - 1;  // what an i32 parameter holds
constexpr int64_t kHuge = int64_t{1} << 62;

constexpr std::pair<const char*, Distribution> kDistributions[] = {
    {"normal", Distribution::normal},
    {"uniform", Distribution::uniform},
    {"ones", Distribution::ones},
    {"integers", Distribution::integers},
};

std::string code(std::string_view text) {
  std::string shown(text.substr(0, 60));
  return "`" + shown + (text.size() > 60 ? "…" : "") + "`";
}

std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + code(name);
  return text;
}

// a * b for factors that are not negative; kHuge if it is larger.
int64_t product(int64_t a, int64_t b) {
  const __int128 wide = static_cast<__int128>(a) * b;
  return wide > kHuge ? kHuge : static_cast<int64_t>(wide);
}

size_t distance(std::string_view a, std::string_view b) {
  if (a.size() > 40 || b.size() > 40) return 100;
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t corner = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, corner + (a[i - 1] != b[j - 1])});
      corner = above;
    }
  }
  return row[b.size()];
}

// The entries of a table as they are written, not by name.
std::vector<std::pair<const toml::key*, const toml::node*>> in_order(const toml::table& table) {
  std::vector<std::pair<const toml::key*, const toml::node*>> entries;
  for (const auto& [key, node] : table) entries.emplace_back(&key, &node);
  const auto place = [](const auto& entry) { return std::pair(entry.first->source().begin.line, entry.first->source().begin.column); };
  std::sort(entries.begin(), entries.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
  return entries;
}

// The first byte beyond ASCII outside of comments and one-line strings, or the first string of several
// lines, or npos. TOML takes no such byte there either, but toml++ 3.3 reaches undefined behaviour on it
// (`is_non_ascii_horizontal_whitespace`); contracts need no long strings.
size_t find_stray_text(std::string_view text) {
  char quote = 0;  // of the string that is open; '#': a comment
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool opens = quote == 0 && (c == '"' || c == '\'' || c == '#');
    if (c == '\n') quote = 0;
    else if (quote == '"' && c == '\\' && i + 1 < text.size() && text[i + 1] != '\n') ++i;
    else if (quote != 0 && quote != '#' && c == quote) quote = 0;
    else if (opens && c != '#' && text.substr(i, 3) == std::string(3, c)) return i;
    else if (opens) quote = c;
    else if (quote == 0 && static_cast<unsigned char>(c) >= 0x80) return i;
  }
  return std::string_view::npos;
}

class Reader {
 public:
  Reader(std::string file, std::string_view text) : text_("", std::string(text)) {
    contract_.file = std::move(file);
    contract_.hash = content_hash(text);
  }

  ContractResult read() {
    toml::parse_result parsed = toml::parse(text_.text());
    if (!parsed) {
      const toml::parse_error& error = parsed.error();
      report(error.source().begin, std::string(error.description()));
      return finish();
    }
    const toml::table& root = parsed.table();
    known_keys(root, "", {"schedule", "target", "oracle", "shapes", "held_out", "tensors", "tolerance", "tunables", "budget"});
    names(root);
    if (const toml::table* table = section(root, "shapes", true)) shapes(*table, "shapes", contract_.shapes);
    if (const toml::table* table = section(root, "held_out", false)) shapes(*table, "held_out", contract_.held_out);
    if (const toml::table* table = section(root, "tensors", true))
      for (const auto& [key, node] : in_order(*table)) tensor(*key, *node);
    if (const toml::table* table = section(root, "tolerance", true)) tolerance(*table);
    if (const toml::table* table = section(root, "tunables", false))
      for (const auto& [key, node] : in_order(*table)) tunable(*key, *node);
    if (const toml::table* table = section(root, "budget", false)) budget(*table);
    if (errors_.empty()) {
      operands(root);
      for (const ShapeRow& row : contract_.shapes) sizes(row);
      for (const ShapeRow& row : contract_.held_out) sizes(row);
    }
    return finish();
  }

 private:
  ContractResult finish() {
    std::stable_sort(errors_.begin(), errors_.end(), [](const ContractError& a, const ContractError& b) {
      return std::pair(a.line, a.column) < std::pair(b.line, b.column);
    });
    if (!errors_.empty()) return {std::nullopt, std::move(errors_)};
    return {std::move(contract_), {}};
  }

  // toml++ counts characters; columns here count bytes.
  std::pair<uint32_t, uint32_t> place(const toml::source_position& at) const {
    const std::string_view line = text_.line(at.line);
    uint32_t column = 1;
    for (uint32_t character = 1; character < at.column && column <= line.size(); ++character) {
      ++column;
      while (column <= line.size() && (static_cast<unsigned char>(line[column - 1]) & 0xC0) == 0x80) ++column;
    }
    return {std::max(1u, at.line), column};
  }

  void report(const toml::source_position& at, std::string message) {
    if (errors_.size() >= 100) return;
    const auto [line, column] = place(at);
    errors_.push_back({line, column, std::move(message)});
  }
  void report(const toml::node& node, std::string message) { report(node.source().begin, std::move(message)); }
  void report(const toml::key& key, std::string message) { report(key.source().begin, std::move(message)); }

  void known_keys(const toml::table& table, const std::string& where, const std::vector<std::string>& known) {
    for (const auto& [key, node] : table) {
      const std::string name(key.str());
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      const auto nearest = std::min_element(known.begin(), known.end(), [&](const std::string& a, const std::string& b) {
        return distance(a, name) < distance(b, name);
      });
      const bool close = distance(*nearest, name) <= 2;
      report(key, "unknown key " + code(name) + (where.empty() ? "" : " in `[" + where + "]`") + "; " +
                      (close ? "did you mean " + code(*nearest) + "?" : "the keys are " + list(known)));
    }
  }

  const toml::table* section(const toml::table& root, const char* name, bool required) {
    const toml::node* node = root.get(name);
    if (!node) {
      if (required) report(root, std::string("the table `[") + name + "]` is missing");
      return nullptr;
    }
    if (!node->is_table()) report(*node, code(name) + " is a table; write `[" + name + "]`");
    return node->as_table();
  }

  std::string text(const toml::table& table, const char* key, const char* example, bool required = true) {
    const toml::node* node = table.get(key);
    if (!node) {
      if (required) report(table, code(key) + " is missing; write `" + key + " = " + example + "`");
      return {};
    }
    const auto value = node->value_exact<std::string>();
    if (!value || value->empty()) {
      report(*node, code(key) + " is a string; write `" + key + " = " + example + "`");
      return {};
    }
    return *value;
  }

  void names(const toml::table& root) {
    contract_.schedule = text(root, "schedule", "\"gemm.cake\"");
    contract_.target = text(root, "target", "\"sm_90a\"");
    if (!contract_.target.empty() && !find_target(contract_.target)) {
      std::vector<std::string> known;
      for (const Target& target : targets()) known.emplace_back(target.name);
      report(*root.get("target"), "unknown target " + code(contract_.target) + "; the targets are " + list(known));
    }
    const std::string oracle = text(root, "oracle", "\"gemm_bf16\"");
    contract_.oracle = find_oracle(oracle);
    if (!oracle.empty() && !contract_.oracle) {
      std::vector<std::string> known;
      for (const Oracle* each : oracles()) known.emplace_back(each->name);
      report(*root.get("oracle"), "unknown oracle " + code(oracle) + "; the oracles are " + list(known));
    }
  }

  std::optional<int64_t> integer(const toml::node& node, std::string_view what, int64_t lo, int64_t hi) {
    const auto value = node.value_exact<int64_t>();
    if (!value) report(node, std::string(what) + " is an integer");
    else if (*value < lo || *value > hi)
      report(node, std::string(what) + " is " + std::to_string(*value) + "; it lies in " + std::to_string(lo) + " … " + std::to_string(hi));
    else return value;
    return std::nullopt;
  }

  // Lists of one length, one a parameter; the n-th values of all are the n-th shape.
  void shapes(const toml::table& table, const std::string& name, std::vector<ShapeRow>& rows) {
    const bool first = name == "shapes";
    if (first)
      for (const auto& [key, node] : in_order(table)) contract_.parameters.emplace_back(key->str());
    if (contract_.parameters.empty()) {
      report(table, "`[" + name + "]` lists no parameter; write `M = [128, 256]`");
      return;
    }
    const std::string leading = contract_.parameters[0];
    for (const auto& [key_of, node_of] : in_order(table)) {
      const toml::key& key = *key_of;
      const toml::node& node = *node_of;
      const std::string parameter(key.str());
      const auto index = std::find(contract_.parameters.begin(), contract_.parameters.end(), parameter) - contract_.parameters.begin();
      if (index == static_cast<ptrdiff_t>(contract_.parameters.size())) {
        report(key, code(parameter) + " is not a parameter of `[shapes]`: " + list(contract_.parameters));
        continue;
      }
      const toml::array* values = node.as_array();
      if (!values || values->empty() || values->size() > kMaxShapes) {
        report(node, code(parameter) + " is a list of 1 to " + std::to_string(kMaxShapes) + " integers, one a shape");
        continue;
      }
      const bool leads = rows.empty();
      if (leads) rows.resize(values->size());
      if (values->size() != rows.size()) {
        report(node, code(parameter) + " has " + std::to_string(values->size()) + " values and " + code(leading) + " has " +
                         std::to_string(rows.size()) + "; the n-th values of all lists are the n-th shape");
        continue;
      }
      for (size_t i = 0; i < values->size(); ++i) {
        rows[i].values.resize(contract_.parameters.size());
        if (const auto value = integer(*values->get(i), code(parameter), -kMaxScalar - 1, kMaxScalar)) rows[i].values[static_cast<size_t>(index)] = *value;
        if (leads) std::tie(rows[i].line, rows[i].column) = place(values->get(i)->source().begin);
      }
    }
    for (const std::string& parameter : contract_.parameters)
      if (!table.contains(parameter)) report(table, code(parameter) + " has no list in `[" + name + "]`");
  }

  std::optional<Extent> extent(const toml::node& node) {
    Extent extent;
    const std::string expected = "a number, a parameter of `[shapes]` or a product of these, as in \"2*M\"";
    if (const auto number = node.value_exact<int64_t>()) {
      if (*number < 1 || *number > kMaxScalar) {
        report(node, "an extent is at least 1 and at most " + std::to_string(kMaxScalar));
        return std::nullopt;
      }
      extent.factor = *number;
      return extent;
    }
    const auto written = node.value_exact<std::string>();
    if (!written || written->empty() || written->size() > 200) {
      report(node, "an extent is " + expected);
      return std::nullopt;
    }
    for (size_t begin = 0; begin <= written->size();) {
      const size_t end = std::min(written->find('*', begin), written->size());
      std::string factor = written->substr(begin, end - begin);
      begin = end + 1;
      factor.erase(0, factor.find_first_not_of(' '));
      factor.erase(factor.find_last_not_of(' ') + 1);
      const auto parameter = std::find(contract_.parameters.begin(), contract_.parameters.end(), factor);
      if (parameter != contract_.parameters.end()) {
        extent.parameters.push_back(static_cast<uint32_t>(parameter - contract_.parameters.begin()));
      } else if (!factor.empty() && factor.size() < 11 && factor.find_first_not_of("0123456789") == std::string::npos) {
        extent.factor = product(extent.factor, std::stoll(factor));
      } else {
        if (contract_.parameters.empty()) return std::nullopt;  // what is wrong with `[shapes]` is said there
        report(node, code(factor) + " is no number and no parameter of `[shapes]`; an extent is " + expected);
        return std::nullopt;
      }
    }
    return extent;
  }

  void extents(const toml::node& node, const std::string& what, std::vector<Extent>& out) {
    const toml::array* items = node.as_array();
    if (!items || items->empty() || items->size() > kMaxRank) {
      report(node, what + " is a list of 1 to " + std::to_string(kMaxRank) + " extents, outermost first");
      return;
    }
    for (const toml::node& item : *items)
      if (const auto one = extent(item)) out.push_back(*one);
  }

  void tensor(const toml::key& key, const toml::node& node) {
    TensorSpec spec;
    spec.name = std::string(key.str());
    std::tie(spec.line, spec.column) = place(key.source().begin);
    const toml::table* table = node.as_table();
    if (!table) {
      report(key, "write `[tensors." + spec.name + "]` with `dtype` and `shape`");
      return;
    }
    known_keys(*table, "tensors." + spec.name, {"dtype", "shape", "strides", "distribution", "seed", "output"});
    const std::string dtype = text(*table, "dtype", "\"bf16\"");
    if (const auto found = find_dtype(dtype)) spec.dtype = *found;
    else if (!dtype.empty()) report(*table->get("dtype"), "unknown element type " + code(dtype) + "; such as `bf16`, `f16`, `f32`");

    const toml::node* shape = table->get("shape");
    if (shape) extents(*shape, "`shape`", spec.shape);
    else report(*table, "`shape` is missing; write `shape = [\"M\", \"K\"]`");
    if (const toml::node* strides = table->get("strides")) {
      extents(*strides, "`strides`", spec.strides);
      if (shape && shape->is_array() && strides->is_array() && shape->as_array()->size() != strides->as_array()->size())
        report(*strides, "`strides` has one entry for each dimension of `shape`");
    }
    if (const toml::node* output = table->get("output")) {
      if (const auto value = output->value_exact<bool>()) spec.output = *value;
      else report(*output, "`output` is `true` or `false`");
    }
    const toml::node* distribution = table->get("distribution");
    if (spec.output && distribution) {
      report(*distribution, "an output is poisoned before the run and has no distribution");
    } else if (!spec.output && (distribution || !table->contains("output"))) {
      const std::string name = text(*table, "distribution", "\"normal\"");
      const auto found = std::find_if(std::begin(kDistributions), std::end(kDistributions), [&](const auto& d) { return name == d.first; });
      if (found != std::end(kDistributions)) spec.distribution = found->second;
      else if (!name.empty()) report(*distribution, "unknown distribution " + code(name) + "; they are `normal`, `uniform`, `ones`, `integers`");
    }
    if (const toml::node* seed = table->get("seed"))
      if (const auto value = integer(*seed, "`seed`", 0, INT64_MAX)) spec.seed = static_cast<uint64_t>(*value);
    contract_.tensors.push_back(std::move(spec));
  }

  std::optional<double> number(const toml::table& table, const char* key, double largest) {
    const toml::node* node = table.get(key);
    if (!node) return std::nullopt;
    const auto value = node->value<double>();
    if (value && node->is_number() && std::isfinite(*value) && *value >= 0 && *value <= largest) return value;
    report(*node, code(key) + " is a number from 0 to " + std::to_string(static_cast<int64_t>(largest)));
    return std::nullopt;
  }

  void tolerance(const toml::table& table) {
    known_keys(table, "tolerance", {"rtol", "atol"});
    for (const char* key : {"rtol", "atol"})
      if (!table.contains(key)) report(table, code(key) + " is missing: `|got - expected| <= atol + rtol * |expected|`");
    contract_.rtol = number(table, "rtol", 1).value_or(0);
    contract_.atol = number(table, "atol", 1e6).value_or(0);
  }

  void tunable(const toml::key& key, const toml::node& node) {
    TunableLimit limit;
    limit.name = std::string(key.str());
    std::tie(limit.line, limit.column) = place(key.source().begin);
    const toml::array* values = node.as_array();
    if (values && (values->empty() || values->size() > kMaxShapes)) report(node, "a tunable's limit is a list of integers that it may have");
    if (values) {
      for (const toml::node& value : *values)
        if (const auto one = integer(value, code(limit.name), -kMaxScalar, kMaxScalar)) limit.values.push_back(*one);
    } else if (const auto one = integer(node, code(limit.name) + " (or each value of its list)", -kMaxScalar, kMaxScalar)) {
      limit.values.push_back(*one);
    }
    contract_.tunables.push_back(std::move(limit));
  }

  void budget(const toml::table& table) {
    known_keys(table, "budget", {"candidates", "gpu_seconds", "wall_seconds", "tokens"});
    if (const toml::node* node = table.get("candidates")) contract_.budget.candidates = integer(*node, "`candidates`", 0, kMaxScalar);
    if (const toml::node* node = table.get("tokens")) contract_.budget.tokens = integer(*node, "`tokens`", 0, kHuge);
    contract_.budget.gpu_seconds = number(table, "gpu_seconds", 1e9);
    contract_.budget.wall_seconds = number(table, "wall_seconds", 1e9);
  }

  // The tensors are exactly the oracle's operands.
  void operands(const toml::table& root) {
    const Oracle& oracle = *contract_.oracle;
    std::vector<std::string> names;
    for (const OracleParameter& parameter : oracle.parameters) {
      names.emplace_back(parameter.name);
      const TensorSpec* spec = contract_.tensor(parameter.name);
      const std::string which = std::string("operand ") + code(parameter.name) + " of oracle " + code(oracle.name);
      if (!spec) {
        report(*root.get("tensors"), which + " has no `[tensors." + parameter.name + "]`");
        continue;
      }
      if (static_cast<int>(spec->shape.size()) != parameter.rank)
        errors_.push_back({spec->line, spec->column, which + " has " + std::to_string(parameter.rank) + " dimensions (" + parameter.doc +
                                                         "), not " + std::to_string(spec->shape.size())});
      if (spec->output != parameter.output)
        errors_.push_back({spec->line, spec->column,
                           which + (parameter.output ? " is an output; write `output = true`" : " is an input; delete `output = true`")});
    }
    for (const TensorSpec& spec : contract_.tensors)
      if (std::find(names.begin(), names.end(), spec.name) == names.end())
        errors_.push_back({spec.line, spec.column, code(spec.name) + " is no operand of oracle " + code(oracle.name) + ": " + list(names)});
  }

  void sizes(const ShapeRow& row) {
    for (const TensorSpec& spec : contract_.tensors) {
      const std::vector<int64_t> shape = contract_.shape(spec, row), strides = contract_.strides(spec, row);
      for (size_t d = 0; d < shape.size(); ++d) {
        if (shape[d] < 1) {
          errors_.push_back({row.line, row.column, code(spec.name) + " has an extent of " + std::to_string(shape[d]) + " at " +
                                                       contract_.text(row) + "; extents are at least 1"});
          return;
        }
        const int64_t inner = d + 1 == shape.size() ? 1 : product(shape[d + 1], strides[d + 1]);
        if (strides[d] < inner) {
          errors_.push_back({spec.line, spec.column, code(spec.name) + " overlaps itself at " + contract_.text(row) + ": the stride of dimension " +
                                                         std::to_string(d) + " is " + std::to_string(strides[d]) + ", below " + std::to_string(inner)});
          return;
        }
      }
    }
    if (contract_.tensor_bytes(row) > kMaxTensorBytes)
      errors_.push_back({row.line, row.column, "the tensors of " + contract_.text(row) + " take more than " +
                                                   std::to_string(kMaxTensorBytes >> 30) + " GiB; choose a smaller shape"});
  }

  SourceText text_;
  Contract contract_;
  std::vector<ContractError> errors_;
};

uint64_t mix(uint64_t state) {  // splitmix64
  state += 0x9E3779B97F4A7C15u;
  state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9u;
  state = (state ^ (state >> 27)) * 0x94D049BB133111EBu;
  return state ^ (state >> 31);
}

double unit(uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }  // [0, 1)

}  // namespace

std::string Contract::schedule_path() const {
  return (std::filesystem::path(file).parent_path() / schedule).lexically_normal().string();
}

std::string Contract::text(const ShapeRow& row) const {
  std::string text;
  for (size_t p = 0; p < parameters.size(); ++p)
    text += (p == 0 ? "" : ", ") + parameters[p] + "=" + std::to_string(row.values[p]);
  return text;
}

const TensorSpec* Contract::tensor(std::string_view name) const {
  for (const TensorSpec& spec : tensors)
    if (spec.name == name) return &spec;
  return nullptr;
}

int64_t Contract::extent(const Extent& extent, const ShapeRow& row) const {
  int64_t value = extent.factor;
  for (uint32_t parameter : extent.parameters) {
    if (row.values[parameter] < 1) return 0;
    value = product(value, row.values[parameter]);
  }
  return value;
}

std::vector<int64_t> Contract::shape(const TensorSpec& tensor, const ShapeRow& row) const {
  std::vector<int64_t> shape;
  for (const Extent& each : tensor.shape) shape.push_back(extent(each, row));
  return shape;
}

std::vector<int64_t> Contract::strides(const TensorSpec& tensor, const ShapeRow& row) const {
  std::vector<int64_t> strides;
  for (const Extent& each : tensor.strides) strides.push_back(extent(each, row));
  if (!strides.empty()) return strides;
  strides.assign(tensor.shape.size(), 1);
  for (size_t d = tensor.shape.size(); d-- > 1;) strides[d - 1] = product(strides[d], extent(tensor.shape[d], row));
  return strides;
}

int64_t Contract::tensor_bytes(const ShapeRow& row) const {
  int64_t total = 0;
  for (const TensorSpec& spec : tensors) {
    const std::vector<int64_t> extents = shape(spec, row), steps = strides(spec, row);
    int64_t elements = 1;
    for (size_t d = 0; d < extents.size(); ++d)
      elements = std::min(kHuge, elements + product(std::max<int64_t>(0, extents[d] - 1), steps[d]));
    total = std::min(kHuge, total + product(elements, info(spec.dtype).bytes));
  }
  return total;
}

AnalysisOptions Contract::analysis_options() const {
  AnalysisOptions options;
  options.target = target;
  for (const TunableLimit& limit : tunables)
    if (limit.values.size() == 1) options.tunables.emplace_back(limit.name, limit.values[0]);
  return options;
}

std::optional<ContractError> toml_obstacle(std::string_view text) {
  const auto at = [&](size_t offset, const char* why) {
    const Position position = SourceText("", std::string(text)).position(static_cast<uint32_t>(offset));
    return ContractError{position.line, position.column, why};
  };
  if (const size_t bad = find_invalid_utf8(text); bad != std::string_view::npos)
    return at(bad, "this byte is not UTF-8; save the file as UTF-8");
  if (const size_t bad = find_stray_text(text); bad != std::string_view::npos)
    return at(bad, "only comments and one-line strings hold characters beyond ASCII, and no string has several lines");
  return std::nullopt;
}

ContractResult parse_contract(std::string file_name, std::string_view text) {
  if (text.size() > kMaxContractBytes)
    return {std::nullopt, {{0, 0, "the contract is larger than " + std::to_string(kMaxContractBytes >> 20) + " MiB"}}};
  if (auto obstacle = toml_obstacle(text)) return {std::nullopt, {std::move(*obstacle)}};
  return Reader(std::move(file_name), text).read();
}

ContractResult read_contract(const std::string& path) {
  const auto failed = [&](const std::string& why) { return ContractResult{std::nullopt, {{0, 0, "cannot read the contract: " + why}}}; };
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return failed("it is a folder");
  std::ifstream in(path, std::ios::binary);
  if (!in) return failed(std::strerror(errno));
  std::string text(kMaxContractBytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad()) return failed("it cannot be read to its end");
  text.resize(static_cast<size_t>(in.gcount()));
  return parse_contract(path, text);
}

std::string to_text(const std::string& file, const ContractError& error) {
  std::string text = file;
  if (error.line > 0) text += ":" + std::to_string(error.line) + ":" + std::to_string(error.column);
  return text + ": error: " + error.message;
}

GlobalTensor make_tensor(const Contract& contract, const TensorSpec& spec, const ShapeRow& row) {
  GlobalTensor tensor = GlobalTensor::zeros(spec.dtype, contract.shape(spec, row), contract.strides(spec, row));
  if (spec.output) {
    tensor.poison();
    return tensor;
  }
  uint64_t seed = mix(spec.seed);
  for (const char c : spec.name) seed = mix(seed ^ static_cast<unsigned char>(c));  // tensors differ under one seed
  const int64_t elements = tensor.elements();
  for (int64_t i = 0; i < elements; ++i) {
    const uint64_t bits = mix(seed + 2 * static_cast<uint64_t>(i));
    double value = 1;
    switch (spec.distribution) {
      case Distribution::normal: {  // Box-Muller
        const double radius = std::sqrt(-2 * std::log1p(-unit(bits)));
        value = radius * std::cos(6.283185307179586 * unit(mix(seed + 2 * static_cast<uint64_t>(i) + 1)));
        break;
      }
      case Distribution::uniform: value = 2 * unit(bits) - 1; break;
      case Distribution::ones: break;
      case Distribution::integers: value = static_cast<double>(bits % 9) - 4; break;
    }
    tensor.set(tensor.offset(i), static_cast<float>(value));
  }
  return tensor;
}

}  // namespace bakery
