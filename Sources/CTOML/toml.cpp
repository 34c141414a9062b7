#include "CTOML.h"

// Values nest as deep as this; tables are freed by recursion, so the depth must have an end.
#define TOML_MAX_NESTED_VALUES 32
#define TOML_ENABLE_FORMATTERS 0
// toml++ 3.3.0 asserts what hostile text can break (`a = [}`, `[a.]`, `["""`) and refuses it with
// an error right behind the assertion. An assertion must neither end the program nor, with NDEBUG,
// become an assumption of the optimiser.
#undef NDEBUG
#define TOML_ASSERT(expression) static_cast<void>(0)
#include <algorithm>
#include <toml++/toml.h>
#include <vector>

struct adit_toml {
  toml::parse_result result;
  std::vector<adit_toml_item> items;
};

namespace {

using Keyed = std::pair<const toml::key *, const toml::node *>;

adit_toml_place place(const toml::source_region &source) {
  return {source.begin.line, source.begin.column};
}

// toml++ keeps tables sorted by key; readers want the order of the file.
std::vector<Keyed> in_order(const toml::table &table) {
  std::vector<Keyed> entries;
  for (auto &&[key, node] : table) entries.push_back({&key, &node});
  std::sort(entries.begin(), entries.end(), [](const Keyed &left, const Keyed &right) {
    return left.first->source().begin < right.first->source().begin;
  });
  return entries;
}

void append(std::vector<adit_toml_item> &items, const toml::key *key, const toml::node &node) {
  adit_toml_item item = {};
  item.place = place(node.source());
  if (key) {
    item.key = {key->str().data(), key->str().size()};
    item.key_place = place(key->source());
  }
  size_t index = items.size();
  items.push_back(item);
  adit_toml_item *at = &items[index];
  if (auto table = node.as_table()) {
    at->kind = ADIT_TOML_TABLE;
    at->children = table->size();
    for (auto [child_key, child] : in_order(*table)) append(items, child_key, *child);
  } else if (auto array = node.as_array()) {
    at->kind = ADIT_TOML_ARRAY;
    at->children = array->size();
    for (auto &&child : *array) append(items, nullptr, child);
  } else if (auto string = node.as_string()) {
    at->kind = ADIT_TOML_STRING;
    at->string = {string->get().data(), string->get().size()};
  } else if (auto integer = node.as_integer()) {
    at->kind = ADIT_TOML_INTEGER;
    at->integer = integer->get();
  } else if (auto boolean = node.as_boolean()) {
    at->kind = ADIT_TOML_BOOLEAN;
    at->boolean = boolean->get();
  } else {
    at->kind = node.is_floating_point() ? ADIT_TOML_FLOAT : ADIT_TOML_DATE_TIME;
  }
}

} // namespace

adit_toml *adit_toml_parse(const char *bytes, size_t length) {
  auto document = new adit_toml{toml::parse(std::string_view(bytes ? bytes : "", length)), {}};
  if (document->result) append(document->items, nullptr, document->result.table());
  return document;
}

void adit_toml_free(adit_toml *document) { delete document; }

bool adit_toml_failed(const adit_toml *document) { return document->result.failed(); }

adit_toml_text adit_toml_error(const adit_toml *document) {
  if (document->result) return {};
  auto words = document->result.error().description();
  return {words.data(), words.size()};
}

adit_toml_place adit_toml_error_place(const adit_toml *document) {
  return document->result ? adit_toml_place{} : place(document->result.error().source());
}

size_t adit_toml_count(const adit_toml *document) { return document->items.size(); }

adit_toml_item adit_toml_at(const adit_toml *document, size_t index) {
  return document->items[index];
}
