// Makes memory run out at a chosen moment, in one process of a run.
//
// Preloaded. The Nth allocation of a process whose command line holds the word FAIL_MALLOC_IN (or
// does not hold it, when the word begins with '!') fails, and with FAIL_MALLOC_ON all later ones
// too. With FAIL_MALLOC_COUNT the number of allocations is written to that file when such a process
// exits. Small enough to be trusted: glibc's own names do the work, a counter is all there is.
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);

static atomic_long calls;
static long fail_at;
static int fail_on;
static int chosen;

static int is_chosen(const char* word) {
  char line[4096] = {0};
  const int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  const ssize_t n = fd < 0 ? 0 : read(fd, line, sizeof line - 1);
  if (fd >= 0) close(fd);
  for (ssize_t i = 0; i + 1 < n; ++i) {
    if (line[i] == '\0') line[i] = ' ';
  }
  return word[0] == '!' ? strstr(line, word + 1) == NULL : strstr(line, word) != NULL;
}

__attribute__((constructor)) static void begin(void) {
  const char* word = getenv("FAIL_MALLOC_IN");
  const char* at = getenv("FAIL_MALLOC_AT");
  fail_at = at == NULL ? 0 : atol(at);
  fail_on = getenv("FAIL_MALLOC_ON") != NULL;
  atomic_store(&calls, 0);
  chosen = word != NULL && is_chosen(word);
}

__attribute__((destructor)) static void report(void) {
  const char* path = getenv("FAIL_MALLOC_COUNT");
  if (!chosen || path == NULL) return;
  char text[32];
  const int n = snprintf(text, sizeof text, "%ld\n", atomic_load(&calls));
  const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd >= 0 && write(fd, text, (size_t)n) == n) close(fd);
}

static int fails(void) {
  if (!chosen) return 0;
  const long call = atomic_fetch_add(&calls, 1) + 1;
  if (fail_at == 0 || call < fail_at || (call > fail_at && !fail_on)) return 0;
  errno = ENOMEM;
  return 1;
}

void* malloc(size_t n) { return fails() ? NULL : __libc_malloc(n); }
void* calloc(size_t n, size_t size) { return fails() ? NULL : __libc_calloc(n, size); }
void* realloc(void* old, size_t n) { return fails() ? NULL : __libc_realloc(old, n); }
void* memalign(size_t alignment, size_t n) {
  return fails() ? NULL : __libc_memalign(alignment, n);
}
void* aligned_alloc(size_t alignment, size_t n) { return memalign(alignment, n); }
int posix_memalign(void** out, size_t alignment, size_t n) {
  *out = memalign(alignment, n);
  return *out == NULL ? ENOMEM : 0;
}
