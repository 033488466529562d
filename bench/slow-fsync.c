/* Loaded with LD_PRELOAD: every fsync and fdatasync takes 5 ms longer, as on a cheap cloud disk. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

static void wait_5_ms(void) {
  struct timespec time = {0, 5000000};
  nanosleep(&time, 0);
}

int fsync(int fd) {
  static int (*next)(int);
  if (!next) next = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  wait_5_ms();
  return next(fd);
}

int fdatasync(int fd) {
  static int (*next)(int);
  if (!next) next = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  wait_5_ms();
  return next(fd);
}
