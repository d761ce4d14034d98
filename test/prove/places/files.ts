import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Look } from '../look.ts';

/** Every file below a folder that is there now, by its path from there. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found: string[] = [];
  for (const entry of entries) {
    if (entry.isDirectory())
      for (const file of await filesBelow(join(folder, entry.name))) found.push(join(entry.name, file));
    else if (entry.isFile()) found.push(entry.name);
  }
  return found;
}

/** Looks through names and contents of all files below a folder; `shown` names the folder in findings. */
export async function lookThroughFolder(look: Look, folder: string, shown: string): Promise<void> {
  const files = await filesBelow(folder);
  await look.bytes(`names of files in ${shown}`, files.join('\n'));
  for (const file of files) await look.file(`${shown}/${file}`, join(folder, file));
}
