/*
 * Loaded with LD_PRELOAD: makes system calls on files slow or fail.
 *
 * DISK_FSYNC_DELAY_MS  every fsync and fdatasync takes this much longer.
 * DISK_FAULT           the path of a control file. While it exists, its rule applies to every call:
 *
 *     <call> <end of the path of the file> <error number> <once|always> [<thread>]
 *
 * The call is `sync` (fsync, fdatasync) or `write`. `once` deletes the control file with the first failing call, so that
 * exactly one call fails. The thread is `main` or `other`; without it, calls of all threads fail.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* Declares `next`, the function of the C library. */
#define NEXT(name) \
  static __typeof__(name) *next; \
  if (!next) next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

static int read_rule(const char *path, char *text, size_t size) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  ssize_t length = read(file, text, size - 1);
  close(file);
  if (length <= 0) return 0;
  text[length] = 0;
  return 1;
}

static int ends_with(const char *text, const char *end) {
  size_t length = strlen(text), end_length = strlen(end);
  return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

/* Returns the error number with which a call on a file fails; 0 if it does not fail. */
static int find_error(const char *call, int fd) {
  static const char *control;
  static int has_control = -1;
  if (has_control < 0) {
    control = getenv("DISK_FAULT");
    has_control = control != 0;
  }
  if (!has_control) return 0;
  char text[512], rule_call[16], suffix[256], times[16], thread[16] = "", link[64], path[4096];
  int error;
  if (!read_rule(control, text, sizeof text)) return 0;
  if (sscanf(text, "%15s %255s %d %15s %15s", rule_call, suffix, &error, times, thread) < 4) return 0;
  if (strcmp(rule_call, call) != 0) return 0;
  int is_main = getpid() == (pid_t)syscall(SYS_gettid);
  if (thread[0] && is_main != (strcmp(thread, "main") == 0)) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  if (!ends_with(path, suffix)) return 0;
  /* Only one thread can delete the control file. */
  if (strcmp(times, "once") == 0 && unlink(control) != 0) return 0;
  return error;
}

#define FAIL_IF_RULED(call, fd) \
  do { \
    int saved = errno, error = find_error(call, fd); \
    errno = error ? error : saved; \
    if (error) return -1; \
  } while (0)

static void delay(void) {
  static long milliseconds = -1;
  if (milliseconds < 0) {
    const char *text = getenv("DISK_FSYNC_DELAY_MS");
    milliseconds = text ? atol(text) : 0;
  }
  struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  if (milliseconds > 0) nanosleep(&time, 0);
}

int fsync(int fd) {
  NEXT(fsync);
  delay();
  FAIL_IF_RULED("sync", fd);
  return next(fd);
}

int fdatasync(int fd) {
  NEXT(fdatasync);
  delay();
  FAIL_IF_RULED("sync", fd);
  return next(fd);
}

ssize_t write(int fd, const void *data, size_t size) {
  NEXT(write);
  FAIL_IF_RULED("write", fd);
  return next(fd, data, size);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
  NEXT(pwrite);
  FAIL_IF_RULED("write", fd);
  return next(fd, data, size, at);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
  NEXT(pwrite64);
  FAIL_IF_RULED("write", fd);
  return next(fd, data, size, at);
}
