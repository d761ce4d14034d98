import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CliError } from '../cli-error.ts';
import type { DevFolder } from './folder.ts';

/** A file that every data folder of ours has from its first start on. */
const OWN_FILES = ['secrets.json', 'dev.json'];

const PLACE_FILE = 'postgres.place';
/** Where the embedded server keeps data when its user cannot reach the data folder. */
const OUTSIDE_PLACE = /^\/var\/tmp\/weir-[0-9a-f]{16}$/;

/** Remembers where the database really is, so that deleting the data folder deletes it too. */
export async function rememberPlace(folder: DevFolder, place: string): Promise<void> {
  await writeFile(path.join(folder.root, PLACE_FILE), `${place}\n`, { mode: 0o600 });
}

/**
 * Deletes the data of a development server that does not run, but for the names to keep. A folder that is not a data
 * folder of ours is refused, so that a slip in --data-dir deletes nothing.
 */
export async function deleteData(folder: string, keep: readonly string[] = []): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  if (names.length > 0 && !names.some((name) => OWN_FILES.includes(name))) {
    throw new CliError('usage', `${folder} is not a data folder of weir dev; nothing was deleted.`);
  }
  const place = await readFile(path.join(folder, PLACE_FILE), 'utf8').then(
    (text) => text.trim(),
    () => '',
  );
  if (OUTSIDE_PLACE.test(place)) await rm(place, { recursive: true, force: true });
  for (const name of names) {
    if (!keep.includes(name)) await rm(path.join(folder, name), { recursive: true, force: true });
  }
  if (keep.length === 0) await rm(folder, { recursive: true, force: true });
}
