import { randomBytes } from 'node:crypto';
import { chmod, lstat, opendir, rename, rm, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/** More than this is left to the next who tries: whoever still makes new files would keep us for ever. */
const MAX_REMOVED = 200_000;
const OWNER_ALL = 0o700;
const PERMISSIONS = 0o7777;
const NAME_BYTES = 8;

/** Does one thing to the tree; tells whether it could be done. */
type Try = (action: Promise<unknown>) => Promise<boolean>;

/**
 * Removes a folder, whatever a program made in it: folders that nobody may read, and trees deeper than any path is long.
 * What belongs to another user and keeps us out stays; everything beside it goes, and the promise rejects.
 */
export async function removeTree(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true });
  } catch {
    // Others that may enter it still may: what keeps us out may be for them to remove.
    const opened = lstat(folder).then(({ mode }) => chmod(folder, (mode & PERMISSIONS) | OWNER_ALL));
    await opened.catch(() => undefined);
    await empty(folder);
    await rmdir(folder);
  }
}

/** Empties a folder level by level: folders within others are brought up to it, so that no path grows. */
async function empty(folder: string): Promise<void> {
  let done = 0;
  const attempt: Try = async (action) => {
    const isDone = await action.then(
      () => true,
      () => false,
    );
    done += isDone ? 1 : 0;
    return isDone;
  };
  for (let before = -1; before !== done; ) {
    before = done;
    for await (const entry of await opendir(folder)) {
      if (done >= MAX_REMOVED) return;
      const place = join(folder, entry.name);
      if (entry.isDirectory()) await dissolve(place, folder, attempt);
      else await attempt(unlink(place));
    }
  }
}

/** Removes a folder; what it has of folders with something in them goes up to another. */
async function dissolve(folder: string, top: string, attempt: Try): Promise<void> {
  // An empty one goes whatever its mode is.
  if (await attempt(rmdir(folder))) return;
  await chmod(folder, OWNER_ALL).catch(() => undefined);
  const entries = await opendir(folder).catch(() => []);
  let seen = 0;
  for await (const entry of entries) {
    if (seen++ >= MAX_REMOVED) return;
    const place = join(folder, entry.name);
    if (!entry.isDirectory()) await attempt(unlink(place));
    else if (!(await attempt(rmdir(place)))) {
      // A folder that gets another parent is written to itself.
      await chmod(place, OWNER_ALL).catch(() => undefined);
      await attempt(rename(place, join(top, `.${randomBytes(NAME_BYTES).toString('hex')}`)));
    }
  }
  await attempt(rmdir(folder));
}
