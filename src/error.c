/* SPDX-License-Identifier: MIT */
/* Names and messages of error codes. Context: any.
 *
 * An unknown code reads "Unknown system error N". The forms without a
 * buffer have to return a string that stays valid: the first few distinct codes
 * live in a static table for ever, later ones leak a small block, as
 * documented.
 */
#include "util/base.h"
#include "strscpy.h"
#include "util/alloc.h"
#include "util/atomic.h"

#include <stdio.h>

#define UNKNOWN_FORMAT "Unknown system error %d"

enum {
  UNKNOWN_SIZE = sizeof("Unknown system error -2147483648"),
  UNKNOWN_KEPT = 64 /* distinct unknown codes that do not leak */
};

struct error_entry {
  int code;
  const char* name;
  const char* message;
};

static const struct error_entry errors[] = {
#define XX(name, message) { UV_##name, #name, message },
  UV_ERRNO_MAP(XX)
#undef XX
  /* On Linux EFTYPE had this number before 1.53; programs compiled then use it
   * still (Node 18 asks for the name of every code it knows). */
  { -4028, "EFTYPE", "inappropriate file type or format" },
};

struct unknown_entry {
  int ready; /* set last, with release: the rest may be read */
  int code;
  char text[UNKNOWN_SIZE];
};

/* Slots are handed out by the counter and never change once ready. Two threads
 * may both enter the same code; either text will do. */
static struct unknown_entry unknowns[UNKNOWN_KEPT];
static unsigned unknowns_taken;

static const struct error_entry* find_error(int err) {
  for (size_t i = 0; i < ARRAY_SIZE(errors); i++)
    if (errors[i].code == err)
      return &errors[i];

  return NULL;
}

static const char* find_unknown(int err) {
  for (size_t i = 0; i < UNKNOWN_KEPT; i++) {
    struct unknown_entry* slot = &unknowns[i];
    /* Pairs with the release in new_unknown(). */
    if (uv__load_acquire(&slot->ready) && slot->code == err)
      return slot->text;
  }

  return NULL;
}

static const char* new_unknown(int err) {
  /* Stop incrementing at the limit: the counter must not wrap. */
  if (uv__load_relaxed(&unknowns_taken) < UNKNOWN_KEPT) {
    unsigned index = uv__fetch_add(&unknowns_taken, 1u);
    if (index < UNKNOWN_KEPT) {
      struct unknown_entry* slot = &unknowns[index];
      slot->code = err;
      snprintf(slot->text, sizeof(slot->text), UNKNOWN_FORMAT, err);
      /* Pairs with the acquire in find_unknown(). */
      uv__store_release(&slot->ready, 1);
      return slot->text;
    }
  }

  char* text = uv__malloc(UNKNOWN_SIZE);
  if (text == NULL)
    return "Unknown system error";
  snprintf(text, UNKNOWN_SIZE, UNKNOWN_FORMAT, err);
  return text;
}

static const char* unknown_text(int err) {
  const char* text = find_unknown(err);
  return text != NULL ? text : new_unknown(err);
}

const char* uv_err_name(int err) {
  const struct error_entry* known = find_error(err);
  return known != NULL ? known->name : unknown_text(err);
}

const char* uv_strerror(int err) {
  const struct error_entry* known = find_error(err);
  return known != NULL ? known->message : unknown_text(err);
}

/* `known` truncated to fit, or the text for an unknown code. */
static char* copy_text(const char* known, int err, char* buf, size_t buflen) {
  if (known == NULL)
    snprintf(buf, buflen, UNKNOWN_FORMAT, err);
  else
    (void) uv__strscpy(buf, known, buflen); /* truncation is intended */
  return buf;
}

char* uv_err_name_r(int err, char* buf, size_t buflen) {
  const struct error_entry* known = find_error(err);
  return copy_text(known != NULL ? known->name : NULL, err, buf, buflen);
}

char* uv_strerror_r(int err, char* buf, size_t buflen) {
  const struct error_entry* known = find_error(err);
  return copy_text(known != NULL ? known->message : NULL, err, buf, buflen);
}
