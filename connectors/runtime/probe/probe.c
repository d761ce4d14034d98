/*
 * Proves from within a container that its bounds hold. Speaks to the kernel directly, so that it needs no library: the
 * image that it is in holds this file and nothing else. Prints one line:
 *
 *   memory=<signal that ended one who takes 96 MiB> pids=<children that could be made, of 64> cpu=<percent of one CPU>
 *
 * Built by build.sh; the bytes lie in src/container/own-programs.ts.
 */
#include "kernel.h"

enum { SIGKILL = 9, SIGCHLD = 17, MEBIBYTE = 1 << 20, PAGE = 4096 };
enum { TAKEN_MIB = 96, CHILDREN = 64, SPINNERS = 3, SPIN_MS = 500 };

static long fork_child(void) { return call(SYS_clone, SIGCHLD, 0, 0, 0, 0, 0); }

static long milliseconds(long clock) {
  long time[2];
  call(SYS_clock_gettime, (word)clock, (word)time, 0, 0, 0, 0);
  return time[0] * 1000 + time[1] / 1000000;
}

static int wait_for(long pid) {
  int status = 0;
  call(SYS_wait4, (word)pid, (word)&status, 0, 0, 0, 0);
  return status;
}

static int ending_of_a_glutton(void) {
  long pid = fork_child();
  if (pid == 0) {
    volatile char *bytes = (char *)call(SYS_mmap, 0, (word)TAKEN_MIB * MEBIBYTE, 3, 0x22, (word)-1, 0);
    for (word at = 0; at < (word)TAKEN_MIB * MEBIBYTE; at += PAGE) bytes[at] = 1;
    leave(0);
  }
  return wait_for(pid) & 0x7f;
}

static int children(void) {
  long pids[CHILDREN];
  int made = 0;
  long forever[2] = {3600, 0};
  while (made < CHILDREN) {
    long pid = fork_child();
    if (pid == 0) for (;;) call(SYS_nanosleep, (word)forever, 0, 0, 0, 0, 0);
    if (pid < 0) break;
    pids[made++] = pid;
  }
  for (int at = 0; at < made; at++) call(SYS_kill, (word)pids[at], SIGKILL, 0, 0, 0, 0);
  for (int at = 0; at < made; at++) wait_for(pids[at]);
  return made;
}

/* How much of one CPU several that want a whole one get together. */
static int percent_of_cpu(void) {
  long pids[SPINNERS];
  long start = milliseconds(1);
  long used = 0;
  for (int at = 0; at < SPINNERS; at++) {
    pids[at] = fork_child();
    if (pids[at] == 0) {
      while (milliseconds(1) - start < SPIN_MS) { }
      leave(milliseconds(2) / 10);
    }
  }
  for (int at = 0; at < SPINNERS; at++) used += ((wait_for(pids[at]) >> 8) & 0xff) * 10;
  return (int)(used * 100 / (milliseconds(1) - start));
}

static char *append(char *to, const char *text) { while (*text) *to++ = *text++; return to; }
static char *append_number(char *to, int number) {
  if (number >= 10) to = append_number(to, number / 10);
  *to++ = (char)('0' + number % 10);
  return to;
}

void _start(void) {
  char line[80];
  char *end = append_number(append(line, "memory="), ending_of_a_glutton());
  end = append_number(append(end, " pids="), children());
  end = append_number(append(end, " cpu="), percent_of_cpu());
  *end++ = '\n';
  call(SYS_write, 1, (word)line, (word)(end - line), 0, 0, 0);
  leave(0);
}
