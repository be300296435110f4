/* SPDX-License-Identifier: MIT */
#include "names.h"
#include "base.h"

#include <stdlib.h>
#include <string.h>

#define PLACES_FIRST 256

static uint64_t mix(uint64_t key) {
  key ^= key >> 33;
  key *= UINT64_C(0xff51afd7ed558ccd);
  key ^= key >> 33;
  key *= UINT64_C(0xc4ceb9fe1a85ec53);
  return key ^ key >> 33;
}

static uint64_t hash(const char* text) {
  uint64_t h = UINT64_C(0xcbf29ce484222325);

  for (; *text != '\0'; text++)
    h = (h ^ (unsigned char) *text) * UINT64_C(0x100000001b3);
  return mix(h);
}

void names_init(struct names* names) {
  memset(names, 0, sizeof(*names));
  names->places = PLACES_FIRST;
  names->table = base_alloc(names->places, sizeof(*names->table));
  names_add(names, "(other)");
}

void names_close(struct names* names) {
  for (size_t i = 0; i < names->count; i++)
    free(names->texts[i]);
  free(names->texts);
  free(names->table);
}

/* The string's place, or the free one where it belongs. */
static uint32_t* names_place(const struct names* names, const char* text) {
  size_t i = (size_t) hash(text) & (names->places - 1);

  while (names->table[i] != 0 &&
         strcmp(names->texts[names->table[i] - 1], text) != 0)
    i = (i + 1) & (names->places - 1);
  return &names->table[i];
}

static void names_widen(struct names* names) {
  free(names->table);
  names->places *= 2;
  names->table = base_alloc(names->places, sizeof(*names->table));
  for (size_t i = 0; i < names->count; i++)
    *names_place(names, names->texts[i]) = (uint32_t) i + 1;
}

uint32_t names_add(struct names* names, const char* text) {
  uint32_t* place = names_place(names, text);

  if (*place != 0)
    return *place - 1;
  if (names->count == NAMES_MAX)
    return NAMES_OTHER;
  names->texts = base_grow(names->texts, names->count, &names->room,
                           sizeof(*names->texts));
  names->texts[names->count++] = base_copy(text);
  *place = (uint32_t) names->count;
  if (names->count * 2 > names->places)
    names_widen(names);
  return (uint32_t) names->count - 1;
}

void map_close(struct map* map) {
  free(map->table);
  memset(map, 0, sizeof(*map));
}

static struct map_place* map_find(const struct map* map, uint64_t key) {
  size_t i = (size_t) mix(key) & (map->places - 1);

  while (map->table[i].value != 0 && map->table[i].key != key)
    i = (i + 1) & (map->places - 1);
  return &map->table[i];
}

static void map_widen(struct map* map) {
  struct map old = *map;

  map->places = old.places == 0 ? PLACES_FIRST : old.places * 2;
  map->table = base_alloc(map->places, sizeof(*map->table));
  for (size_t i = 0; i < old.places; i++)
    if (old.table[i].value != 0)
      *map_find(map, old.table[i].key) = old.table[i];
  free(old.table);
}

uint32_t map_add(struct map* map, uint64_t key, uint32_t fresh, int* is_new) {
  if (map->count * 2 >= map->places)
    map_widen(map);
  struct map_place* place = map_find(map, key);
  *is_new = place->value == 0;
  if (*is_new) {
    place->key = key;
    place->value = fresh + 1;
    map->count++;
  }
  return place->value - 1;
}
