/*
 * Empties the folder that it is started in, whatever a connector made there: folders that nobody may look into, and trees
 * deeper than any path is long. What a folder within has of folders goes up to the first one, so that no path grows. Ends
 * when nothing more goes, and says nothing.
 *
 * Built by build.sh; the bytes lie in src/container/own-programs.ts.
 */
#include "kernel.h"

enum { HERE = -100, AT_REMOVEDIR = 0x200, LIST_BYTES = 16384, NAME_BYTES = 24 };
/* Of an entry in a list: where its length stands, and its name. */
enum { LENGTH_AT = 16, NAME_AT = 19 };

static long open_folder(const char *name) {
  return call(SYS_openat, (word)HERE, (word)name, O_DIRECTORY | O_NOFOLLOW, 0, 0, 0);
}

static int is_removed(long folder, const char *name) {
  return call(SYS_unlinkat, (word)folder, (word)name, 0, 0, 0, 0) == 0 ||
         call(SYS_unlinkat, (word)folder, (word)name, AT_REMOVEDIR, 0, 0, 0) == 0;
}

static int is_self_or_above(const char *name) {
  return name[0] == '.' && (name[1] == 0 || (name[1] == '.' && name[2] == 0));
}

/* Moves a folder here, under a name with a number of its own. */
static int is_lifted(long folder, const char *name, word number) {
  char own[NAME_BYTES] = ".up-";
  char *end = own + 4;
  for (word left = number; left > 0; left /= 10) *end++ = (char)('0' + left % 10);
  *end = 0;
  return call(SYS_renameat, (word)folder, (word)name, (word)HERE, (word)own, 0, 0) == 0;
}

/*
 * Removes what can be removed from an open folder. A folder in it that has something is emptied in turn, or goes up where
 * this one is itself within another. Gives how many things were done; `lifted` counts those that were to go up.
 */
static long empty(long folder, int is_within, word *lifted) {
  char list[LIST_BYTES];
  long done = 0;
  long bytes;
  while ((bytes = call(SYS_getdents64, (word)folder, (word)list, LIST_BYTES, 0, 0, 0)) > 0) {
    for (long at = 0; at < bytes; at += *(unsigned short *)(list + at + LENGTH_AT)) {
      const char *name = list + at + NAME_AT;
      if (is_self_or_above(name)) continue;
      if (is_removed(folder, name)) done++;
      else if (is_within) done += is_lifted(folder, name, ++*lifted);
      else {
        long inner = open_folder(name);
        if (inner < 0) continue;
        done += empty(inner, 1, lifted);
        call(SYS_close, (word)inner, 0, 0, 0, 0, 0);
      }
    }
  }
  return done;
}

void _start(void) {
  word lifted = 0;
  for (long done = 1; done > 0;) {
    long folder = open_folder(".");
    if (folder < 0) leave(1);
    done = empty(folder, 0, &lifted);
    call(SYS_close, (word)folder, 0, 0, 0, 0, 0);
  }
  leave(0);
}
