import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { CliError } from '../../cli-error.ts';
import { writePrivately } from '../../write-privately.ts';
import type { DevFolder } from './folder.ts';

/** Every data folder of ours has this file from its first start on. */
const OWN_FILE = 'secrets.json';
/** The state of a running server; it may be there before anything else is. */
const STATE_FILE = 'dev.json';

const PLACE_FILE = 'postgres.place';
/** Where the embedded server keeps its data, if it was ever started. */
const DATABASE = 'postgres';
const KEY_FILE = 'credential.key';
/** Where the embedded server keeps data when its user cannot reach the data folder. */
const OUTSIDE_PLACE = /^\/var\/tmp\/weir-[0-9a-f]{16}$/;

/** Remembers where the database really is, so that deleting the data folder deletes it too. */
export async function rememberPlace(folder: DevFolder, place: string): Promise<void> {
  await writePrivately(path.join(folder.root, PLACE_FILE), `${place}\n`);
}

/**
 * Deletes the data of a development server, but for the state of one that is just starting. A folder that is not a data
 * folder of ours is refused, so that a slip in --data-dir deletes nothing. When the database is one that DB_HOST named, it is
 * not ours to delete, and neither is the key that what it holds is sealed with. Answers what was kept.
 */
export async function deleteData(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const data = names.filter((name) => name !== STATE_FILE);
  if (data.length === 0) return [];
  if (!data.includes(OWN_FILE)) {
    throw new CliError('usage', `${folder} is not a data folder of weir dev; nothing was deleted.`);
  }
  const place = await readFile(path.join(folder, PLACE_FILE), 'utf8').then(
    (text) => text.trim(),
    () => '',
  );
  if (OUTSIDE_PLACE.test(place)) await rm(place, { recursive: true, force: true });
  const elsewhere = data.includes(KEY_FILE) && !data.includes(DATABASE) && !data.includes(PLACE_FILE);
  for (const name of data) {
    if (name === OWN_FILE || (elsewhere && name === KEY_FILE)) continue;
    await rm(path.join(folder, name), { recursive: true, force: true });
  }
  if (elsewhere) return [KEY_FILE];
  await rm(path.join(folder, OWN_FILE), { force: true });
  if (data.length === names.length) await rm(folder, { recursive: true, force: true });
  return [];
}
