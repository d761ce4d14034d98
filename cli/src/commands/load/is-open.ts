import { realpath } from 'node:fs/promises';
import path from 'node:path';

/**
 * Whether a server on this machine may read every one of these files where it lies: below one of its roots, by its own path
 * and by the one that links lead to, with no name that begins with a dot on the way. Null: every folder is open.
 */
export async function isOpen(files: readonly string[], roots: readonly string[] | null): Promise<boolean> {
  if (roots === null) return true;
  const real = async (place: string) => realpath(place).catch(() => path.resolve(place));
  const open = [...roots.map((root) => path.resolve(root)), ...(await Promise.all(roots.map(real)))];
  const places = [...files.map((file) => path.resolve(file)), ...(await Promise.all(files.map(real)))];
  return places.every((place) => open.some((root) => isPlainlyBelow(root, place)));
}

function isPlainlyBelow(root: string, place: string): boolean {
  const way = path.relative(root, place);
  return !path.isAbsolute(way) && !way.split(path.sep).some((name) => name.startsWith('.'));
}
