import { realpath } from 'node:fs/promises';
import { delimiter, isAbsolute, relative, resolve, sep } from 'node:path';

/** Which folders may be read, each by the name that it was given and by its real one. */
export type FolderBounds = {
  /** What the operator opens, but for what has a name with a dot at its start there; everything when empty. */
  readonly roots: readonly string[];
  /** What is never read, also below a root. */
  readonly refused: readonly string[];
};

/** The bounds in an environment: `WEIR_FILES_ROOTS` and `WEIR_FILES_REFUSED`, folders separated as in `PATH`. */
export async function folderBounds(environment: Readonly<Record<string, string | undefined>>): Promise<FolderBounds> {
  const { WEIR_FILES_ROOTS, WEIR_FILES_REFUSED } = environment;
  return { roots: await folders(WEIR_FILES_ROOTS), refused: await folders(WEIR_FILES_REFUSED) };
}

/** Whether a path may be read. It is judged as text: ask for a path as it was given, and again for its real path. */
export function isAllowed(path: string, { roots, refused }: FolderBounds): boolean {
  const isBelow = (folder: string) => {
    const way = relative(folder, path);
    return !isAbsolute(way) && way !== '..' && !way.startsWith(`..${sep}`);
  };
  // Credentials of programs lie in such folders; a root may be one.
  const isHidden = (root: string) =>
    relative(root, path)
      .split(sep)
      .some((name) => name.startsWith('.'));
  return (roots.length === 0 || roots.some((root) => isBelow(root) && !isHidden(root))) && !refused.some(isBelow);
}

async function folders(words = ''): Promise<string[]> {
  const given = words.split(delimiter).filter((word) => word !== '');
  const real = await Promise.all(given.map((folder) => realpath(folder).catch(() => undefined)));
  return [...new Set([...given, ...real.filter((folder) => folder !== undefined)])].map((folder) => resolve(folder));
}
