import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Look } from '../look.ts';

/** Every file below a folder that is there now, by its path from there; looked for in one go, since it is done so often. */
export function filesBelow(folder: string): string[] {
  return entriesOf(folder).flatMap((entry) => {
    if (entry.isDirectory()) return filesBelow(join(folder, entry.name)).map((file) => join(entry.name, file));
    return entry.isFile() ? [entry.name] : [];
  });
}

/** A folder may be gone meanwhile. */
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Looks through names and contents of all files below a folder; `shown` names the folder in findings. */
export async function lookThroughFolder(look: Look, folder: string, shown: string): Promise<void> {
  const files = filesBelow(folder);
  await look.bytes(`names of files in ${shown}`, files.join('\n'));
  for (const file of files) await look.file(`${shown}/${file}`, join(folder, file));
}
