/*
 * Loaded with LD_PRELOAD: records in one order what a process changes in a folder, and when it sends HTTP responses.
 *
 * RECORD_FOLDER  the absolute path of the folder. It exists, and contains no symbolic links.
 * RECORD_TO      the file that receives the trace. `disk-trace.ts` reads it.
 *
 * A change and its entry are one step for all threads. A sync has two entries, because other threads may write during
 * it: it covers only what was written before its beginning, and is complete at its end. A response is recorded
 * before it is sent.
 *
 * An entry: kind (1 byte), inode, first and second number (8 bytes each), lengths of path and data (4 bytes each), path
 * relative to the folder, data. All numbers are little endian.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* Declares `next`, the function of the C library. */
#define NEXT(name) \
  static __typeof__(name) *next; \
  if (!next) next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

#define MAX_FILES 65536
/* The headers of a response. */
#define MAX_RESPONSE 2048

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int trace = -1;
static const char *folder;
static size_t folder_length;
/* The inode that was opened in the folder as this descriptor. The descriptor may be another file by now. */
static struct { dev_t dev; ino_t ino; } opened[MAX_FILES];

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("RECORD_TO");
  folder = getenv("RECORD_FOLDER");
  if (!path || !folder) return;
  folder_length = strlen(folder);
  trace = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static void lock(void) { pthread_mutex_lock(&mutex); }
static void unlock(void) { pthread_mutex_unlock(&mutex); }

static void record(char kind, uint64_t inode, uint64_t first, uint64_t second, const char *path,
                   const void *data, size_t length) {
  unsigned char head[33];
  uint32_t path_length = path ? (uint32_t)strlen(path) : 0, data_length = (uint32_t)length;
  head[0] = (unsigned char)kind;
  memcpy(head + 1, &inode, 8);
  memcpy(head + 9, &first, 8);
  memcpy(head + 17, &second, 8);
  memcpy(head + 25, &path_length, 4);
  memcpy(head + 29, &data_length, 4);
  struct iovec parts[3] = {{head, sizeof head}, {(void *)path, path_length}, {(void *)data, length}};
  size_t total = sizeof head + path_length + length;
  /* A trace with a gap is worthless. */
  if (syscall(SYS_writev, trace, parts, 3) != (long)total) abort();
}

/* The path relative to the folder; NULL outside of it. Relative paths are those of the working directory. */
static const char *inside(const char *path, char *buffer) {
  if (trace < 0 || !path) return NULL;
  if (path[0] != '/') {
    if (!getcwd(buffer, PATH_MAX)) return NULL;
    while (path[0] == '.' && path[1] == '/') path += 2;
    size_t length = strlen(buffer);
    snprintf(buffer + length, PATH_MAX - length, "/%s", path);
  } else {
    snprintf(buffer, PATH_MAX, "%s", path);
  }
  size_t length = strlen(buffer);
  while (length > 1 && buffer[length - 1] == '/') buffer[--length] = 0;
  if (strncmp(buffer, folder, folder_length)) return NULL;
  if (!buffer[folder_length]) return buffer + folder_length;
  return buffer[folder_length] == '/' ? buffer + folder_length + 1 : NULL;
}

/* The inode of a descriptor that was opened in the folder; otherwise 0. */
static uint64_t inode_of(int fd) {
  struct stat info;
  if (trace < 0 || fd < 0 || fd >= MAX_FILES || !opened[fd].ino || fstat(fd, &info)) return 0;
  return info.st_ino == opened[fd].ino && info.st_dev == opened[fd].dev ? info.st_ino : 0;
}

static uint64_t inode_at(const char *path) {
  struct stat info;
  return lstat(path, &info) ? 0 : info.st_ino;
}

/* ---- names ---- */

static int record_open(const char *path, int flags, int fd, int existed, const char *name) {
  struct stat info;
  if (fd < 0 || fd >= MAX_FILES || fstat(fd, &info)) return fd;
  opened[fd].dev = info.st_dev;
  opened[fd].ino = info.st_ino;
  if (!existed) record('c', info.st_ino, 0, 0, name, NULL, 0);
  else if (flags & O_TRUNC) record('t', info.st_ino, 0, 0, NULL, NULL, 0);
  return fd;
}

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    NEXT(name); \
    va_list list; va_start(list, flags); mode_t mode = va_arg(list, mode_t); va_end(list); \
    char buffer[PATH_MAX * 2]; \
    const char *inner = inside(path, buffer); \
    if (!inner) return next(path, flags, mode); \
    lock(); \
    int existed = !(flags & O_CREAT) || inode_at(path); \
    int fd = record_open(path, flags, next(path, flags, mode), existed, inner); \
    int error = errno; unlock(); errno = error; \
    return fd; \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name) \
  int name(int at, const char *path, int flags, ...) { \
    NEXT(name); \
    va_list list; va_start(list, flags); mode_t mode = va_arg(list, mode_t); va_end(list); \
    char buffer[PATH_MAX * 2]; \
    const char *inner = at == AT_FDCWD || path[0] == '/' ? inside(path, buffer) : NULL; \
    if (!inner) return next(at, path, flags, mode); \
    lock(); \
    int existed = !(flags & O_CREAT) || inode_at(path); \
    int fd = record_open(path, flags, next(at, path, flags, mode), existed, inner); \
    int error = errno; unlock(); errno = error; \
    return fd; \
  }
OPENAT(openat)
OPENAT(openat64)

static int deleted(const char *inner, int result) {
  if (result == 0) record('u', 0, 0, 0, inner, NULL, 0);
  return result;
}

#define DELETE(name) \
  int name(const char *path) { \
    NEXT(name); \
    char buffer[PATH_MAX * 2]; \
    const char *inner = inside(path, buffer); \
    if (!inner) return next(path); \
    lock(); \
    int result = deleted(inner, next(path)); \
    int error = errno; unlock(); errno = error; \
    return result; \
  }
DELETE(unlink)
DELETE(remove)
DELETE(rmdir)

int unlinkat(int at, const char *path, int flags) {
  NEXT(unlinkat);
  char buffer[PATH_MAX * 2];
  const char *inner = at == AT_FDCWD || path[0] == '/' ? inside(path, buffer) : NULL;
  if (!inner) return next(at, path, flags);
  lock();
  int result = deleted(inner, next(at, path, flags));
  int error = errno; unlock(); errno = error;
  return result;
}

int mkdir(const char *path, mode_t mode) {
  NEXT(mkdir);
  char buffer[PATH_MAX * 2];
  const char *inner = inside(path, buffer);
  if (!inner) return next(path, mode);
  lock();
  int result = next(path, mode);
  int error = errno;
  if (result == 0) record('d', inode_at(path), 0, 0, inner, NULL, 0);
  unlock(); errno = error;
  return result;
}

int rename(const char *from, const char *to) {
  NEXT(rename);
  char buffer[PATH_MAX * 2], other[PATH_MAX * 2];
  const char *inner = inside(from, buffer), *target = inside(to, other);
  if (!inner || !target) return next(from, to);
  lock();
  int result = next(from, to);
  int error = errno;
  if (result == 0) record('r', 0, 0, 0, inner, target, strlen(target));
  unlock(); errno = error;
  return result;
}

int link(const char *from, const char *to) {
  NEXT(link);
  char buffer[PATH_MAX * 2], other[PATH_MAX * 2];
  const char *inner = inside(from, buffer), *target = inside(to, other);
  if (!inner || !target) return next(from, to);
  lock();
  int result = next(from, to);
  int error = errno;
  if (result == 0) record('l', 0, 0, 0, inner, target, strlen(target));
  unlock(); errno = error;
  return result;
}

/* ---- content ---- */

static void record_write(uint64_t inode, const struct iovec *parts, int count, off_t at, ssize_t written) {
  for (int index = 0; index < count && written > 0; index++) {
    size_t length = parts[index].iov_len;
    if (length > (size_t)written) length = (size_t)written;
    record('w', inode, (uint64_t)at, 0, NULL, parts[index].iov_base, length);
    at += (off_t)length;
    written -= (ssize_t)length;
  }
}

static void record_response(int fd, const struct iovec *parts, int count) {
  if (trace < 0 || count < 1 || parts[0].iov_len < 12 || memcmp(parts[0].iov_base, "HTTP/1.", 7)) return;
  struct stat info;
  if (fstat(fd, &info) || !S_ISSOCK(info.st_mode)) return;
  size_t length = parts[0].iov_len < MAX_RESPONSE ? parts[0].iov_len : MAX_RESPONSE;
  lock();
  record('s', 0, 0, 0, NULL, parts[0].iov_base, length);
  unlock();
}

/* Where `write` writes: the position of the descriptor after it, less what it has written. */
static off_t start_of(int fd, ssize_t written) { return lseek(fd, 0, SEEK_CUR) - written; }

ssize_t write(int fd, const void *data, size_t length) {
  NEXT(write);
  struct iovec part = {(void *)data, length};
  uint64_t inode = inode_of(fd);
  if (!inode) {
    record_response(fd, &part, 1);
    return next(fd, data, length);
  }
  lock();
  ssize_t written = next(fd, data, length);
  int error = errno;
  if (written > 0) record_write(inode, &part, 1, start_of(fd, written), written);
  unlock(); errno = error;
  return written;
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  NEXT(writev);
  uint64_t inode = inode_of(fd);
  if (!inode) {
    record_response(fd, parts, count);
    return next(fd, parts, count);
  }
  lock();
  ssize_t written = next(fd, parts, count);
  int error = errno;
  if (written > 0) record_write(inode, parts, count, start_of(fd, written), written);
  unlock(); errno = error;
  return written;
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
  NEXT(sendmsg);
  record_response(fd, message->msg_iov, (int)message->msg_iovlen);
  return next(fd, message, flags);
}

ssize_t send(int fd, const void *data, size_t length, int flags) {
  NEXT(send);
  struct iovec part = {(void *)data, length};
  record_response(fd, &part, 1);
  return next(fd, data, length, flags);
}

#define PWRITE(name, offset_type) \
  ssize_t name(int fd, const void *data, size_t length, offset_type at) { \
    NEXT(name); \
    uint64_t inode = inode_of(fd); \
    if (!inode) return next(fd, data, length, at); \
    struct iovec part = {(void *)data, length}; \
    lock(); \
    ssize_t written = next(fd, data, length, at); \
    int error = errno; \
    if (written > 0) record_write(inode, &part, 1, at, written); \
    unlock(); errno = error; \
    return written; \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define PWRITEV(name, offset_type) \
  ssize_t name(int fd, const struct iovec *parts, int count, offset_type at) { \
    NEXT(name); \
    uint64_t inode = inode_of(fd); \
    if (!inode) return next(fd, parts, count, at); \
    lock(); \
    ssize_t written = next(fd, parts, count, at); \
    int error = errno; \
    if (written > 0) record_write(inode, parts, count, at, written); \
    unlock(); errno = error; \
    return written; \
  }
PWRITEV(pwritev, off_t)
PWRITEV(pwritev64, off64_t)

#define TRUNCATE(name, offset_type) \
  int name(int fd, offset_type size) { \
    NEXT(name); \
    uint64_t inode = inode_of(fd); \
    if (!inode) return next(fd, size); \
    lock(); \
    int result = next(fd, size); \
    int error = errno; \
    if (result == 0) record('t', inode, (uint64_t)size, 0, NULL, NULL, 0); \
    unlock(); errno = error; \
    return result; \
  }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

#define SYNC(name) \
  int name(int fd) { \
    NEXT(name); \
    uint64_t inode = inode_of(fd), thread = (uint64_t)syscall(SYS_gettid); \
    if (!inode) return next(fd); \
    lock(); \
    record('b', inode, thread, 0, NULL, NULL, 0); \
    unlock(); \
    int result = next(fd); \
    int error = errno; \
    lock(); \
    if (result == 0) record('e', inode, thread, 0, NULL, NULL, 0); \
    unlock(); errno = error; \
    return result; \
  }
SYNC(fsync)
SYNC(fdatasync)

/* ---- what the hub does not do; `disk-trace.ts` rejects it ---- */

#define ALLOCATE(name, offset_type) \
  int name(int fd, offset_type at, offset_type length) { \
    NEXT(name); \
    if (inode_of(fd)) { lock(); record('?', 0, 0, 0, #name, NULL, 0); unlock(); } \
    return next(fd, at, length); \
  }
ALLOCATE(posix_fallocate, off_t)
ALLOCATE(posix_fallocate64, off64_t)

/* SQLite maps the index of its log, which is rebuilt after a power cut. */
#define MAP(name, offset_type) \
  void *name(void *address, size_t length, int protection, int flags, int fd, offset_type at) { \
    NEXT(name); \
    uint64_t inode = fd >= 0 && (flags & MAP_SHARED) && (protection & PROT_WRITE) ? inode_of(fd) : 0; \
    if (inode) { lock(); record('m', inode, 0, 0, NULL, NULL, 0); unlock(); } \
    return next(address, length, protection, flags, fd, at); \
  }
MAP(mmap, off_t)
MAP(mmap64, off64_t)
