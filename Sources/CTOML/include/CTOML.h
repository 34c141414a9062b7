// TOML through toml++: a document parsed once and read as a flat list of items, each table or array
// followed by its children. Nothing here throws; what is pointed to lives as long as the document.
#ifndef ADIT_CTOML_H
#define ADIT_CTOML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// What an item is.
typedef enum adit_toml_kind {
  ADIT_TOML_TABLE,
  ADIT_TOML_ARRAY,
  ADIT_TOML_STRING,
  ADIT_TOML_INTEGER,
  ADIT_TOML_FLOAT,
  ADIT_TOML_BOOLEAN,
  ADIT_TOML_DATE_TIME,
} adit_toml_kind;

// A place in the source, counted from 1 in lines and code points.
typedef struct adit_toml_place {
  uint32_t line;
  uint32_t column;
} adit_toml_place;

// UTF-8 with a length; it may hold zero bytes.
typedef struct adit_toml_text {
  const char *_Nullable bytes;
  size_t length;
} adit_toml_text;

// One value. `key` is empty for the root and the elements of arrays.
typedef struct adit_toml_item {
  adit_toml_kind kind;
  adit_toml_text key;
  adit_toml_place key_place;
  adit_toml_place place;
  size_t children;
  adit_toml_text string;
  int64_t integer;
  bool boolean;
} adit_toml_item;

// A parsed document, or the error that ended parsing.
typedef struct adit_toml adit_toml;

// Parses `length` bytes; the result is owned by the caller and never null.
adit_toml *_Nonnull adit_toml_parse(const char *_Nullable bytes, size_t length);
// Frees a document and all that was read from it.
void adit_toml_free(adit_toml *_Nonnull document);
// True when parsing failed; then there are no items.
bool adit_toml_failed(const adit_toml *_Nonnull document);
// What the parser said, empty when it did not fail.
adit_toml_text adit_toml_error(const adit_toml *_Nonnull document);
// Where it failed.
adit_toml_place adit_toml_error_place(const adit_toml *_Nonnull document);
// Items in the document, the root first; 0 when parsing failed.
size_t adit_toml_count(const adit_toml *_Nonnull document);
// One item, `index` below the count.
adit_toml_item adit_toml_at(const adit_toml *_Nonnull document, size_t index);

#ifdef __cplusplus
}
#endif

#endif
