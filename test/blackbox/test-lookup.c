/* SPDX-License-Identifier: MIT */
/* What requests get for numeric hosts, which need no worker, and for equal
 * names, which are one call. Method: compare with the synchronous form, which
 * asks the system with the program's own hints. */
#include "test.h"

static uv_loop_t loop;

static void check_equal(const struct addrinfo* a, const struct addrinfo* b) {
  for (; a != NULL && b != NULL; a = a->ai_next, b = b->ai_next) {
    ASSERT_EQ(b->ai_flags, a->ai_flags);
    ASSERT_EQ(b->ai_family, a->ai_family);
    ASSERT_EQ(b->ai_socktype, a->ai_socktype);
    ASSERT_EQ(b->ai_protocol, a->ai_protocol);
    ASSERT_EQ(b->ai_addrlen, a->ai_addrlen);
    ASSERT_MEM_EQ(b->ai_addr, a->ai_addr, a->ai_addrlen);
    ASSERT_EQ(b->ai_canonname == NULL, a->ai_canonname == NULL);
    if (a->ai_canonname != NULL)
      ASSERT_STR_EQ(b->ai_canonname, a->ai_canonname);
  }
  ASSERT_NULL(a);
  ASSERT_NULL(b);
}

struct answer {
  uv_getaddrinfo_t req;
  struct addrinfo* list;
  int status;
  int calls;
};

static void on_answer(uv_getaddrinfo_t* req,
                      int status,
                      struct addrinfo* list) {
  struct answer* answer = (struct answer*) req;

  answer->calls++;
  answer->status = status;
  answer->list = list;
}

static void compare(const char* host,
                    const char* service,
                    const struct addrinfo* hints) {
  struct answer answer = { .calls = 0 };
  uv_getaddrinfo_t sync;

  ASSERT_OK(
      uv_getaddrinfo(&loop, &answer.req, on_answer, host, service, hints));
  ASSERT_EQ(0, answer.calls);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, answer.calls);

  int err = uv_getaddrinfo(NULL, &sync, NULL, host, service, hints);
  ASSERT_ERR(err, answer.status);
  if (err != 0) {
    ASSERT_NULL(answer.list);
    return;
  }
  check_equal(answer.list, sync.addrinfo);
  uv_freeaddrinfo(answer.list);
  uv_freeaddrinfo(sync.addrinfo);
}

static const char* const hosts[] = {
  "127.0.0.1",
  "0.0.0.0",
  "255.255.255.255",
  "192.0.2.1",
  "::",
  "::1",
  "1::8",
  "1:2:3:4:5:6:7:8",
  "2001:DB8::192.0.2.1",
  "::ffff:192.0.2.1",
#if TEST_POSIX
  "127.1", /* numbers that uv_inet_pton() does not take */
  "0x7f.0.0.1",
  "0127.0.0.1",
  "2130706433",
#endif
};

static const char* const services[] = { NULL, "0", "80", "65535", "080" };

static const struct addrinfo all_hints[] = {
  { .ai_family = AF_UNSPEC },
  { .ai_family = AF_INET },
  { .ai_family = AF_INET6 },
#if defined(AI_V4MAPPED) /* some systems map no addresses */
  { .ai_family = AF_INET6, .ai_flags = AI_V4MAPPED },
  { .ai_family = AF_INET6, .ai_flags = AI_V4MAPPED | AI_ALL },
#endif
  { .ai_socktype = SOCK_STREAM },
  { .ai_socktype = SOCK_DGRAM },
  { .ai_socktype = SOCK_RAW },
  { .ai_protocol = IPPROTO_UDP },
  { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE },
  { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST },
  { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV },
  { .ai_socktype = SOCK_STREAM, .ai_flags = AI_CANONNAME },
  { .ai_socktype = SOCK_STREAM, .ai_flags = AI_ADDRCONFIG },
};

TEST_IMPL(lookup_of_numbers_is_that_of_the_system) {
  ASSERT_OK(uv_loop_init(&loop));
  for (size_t h = 0; h < ARRAY_SIZE(hosts); h++)
    for (size_t s = 0; s < ARRAY_SIZE(services); s++) {
      compare(hosts[h], services[s], NULL);
      for (size_t i = 0; i < ARRAY_SIZE(all_hints); i++)
        compare(hosts[h], services[s], &all_hints[i]);
    }
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

/* Equal requests get equal lists, each its own: all are read after the others
 * were freed. */
TEST_IMPL(lookup_of_equal_names_has_equal_results) {
  static struct answer answers[10];
  static const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
  uv_getaddrinfo_t sync;

  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < 10; i++)
    ASSERT_OK(uv_getaddrinfo(&loop, &answers[i].req, on_answer, "localhost",
                             "80", &hints));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(uv_getaddrinfo(NULL, &sync, NULL, "localhost", "80", &hints));
  for (int i = 0; i < 10; i++) {
    ASSERT_EQ(1, answers[i].calls);
    ASSERT_OK(answers[i].status);
    check_equal(answers[i].list, sync.addrinfo);
    uv_freeaddrinfo(answers[i].list);
  }
  uv_freeaddrinfo(sync.addrinfo);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

static void on_name(uv_getnameinfo_t* req,
                    int status,
                    const char* host,
                    const char* service) {
  ASSERT_OK(status);
  ASSERT_STR_EQ((const char*) req->data, host);
  ASSERT_STR_EQ("443", service);
  req->data = NULL;
}

TEST_IMPL(lookup_of_numbers_of_an_address) {
  static const char* const texts[] = { "192.0.2.1", "2001:db8::1" };
  uv_getnameinfo_t req;
  union {
    struct sockaddr any;
    struct sockaddr_in in;
    struct sockaddr_in6 in6;
  } addr;

  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < 2; i++) {
    ASSERT_OK(i == 0 ? uv_ip4_addr(texts[i], 443, &addr.in)
                     : uv_ip6_addr(texts[i], 443, &addr.in6));
    req.data = (void*) texts[i];
    ASSERT_OK(uv_getnameinfo(&loop, &req, on_name, &addr.any,
                             NI_NUMERICHOST | NI_NUMERICSERV));
    ASSERT_NOT_NULL(req.data);
    ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
    ASSERT_NULL(req.data);
  }
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}
