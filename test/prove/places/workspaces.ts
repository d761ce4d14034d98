import { statSync } from 'node:fs';
import { unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Look } from '../look.ts';
import type { Place, Proof } from '../proof.ts';
import { filesBelow, lookThroughFolder } from './files.ts';
import { sampling } from './sampling.ts';

const OWNER_ONLY = 0o600;
const PERMISSIONS = 0o777;
/** The configuration of an attempt, in the folder of its attempt alone. */
const CONFIG = /(?:^|\/)attempt-\d+-[^/]+\/config\.json$/;
const ALLOWED = "the attempt's own configuration, mode 0600, while it lives";
const rounds = sampling();

/** Workspaces and temporary folders while the platform runs; only the configuration of an attempt may hold a credential. */
export const workspaces: Place = {
  name: 'workspaces, while they live',
  about: `WEIR_WORK_DIR, WEIR_STATE_DIR, TMPDIR, five times a second; allowed: ${ALLOWED}`,
  async leak({ platform }, control) {
    const file = join(platform.folder.work, 'control.txt');
    await writeFile(file, control.text);
    await rounds.seen();
    await unlink(file);
  },
  async watch(proof, look) {
    const seen = new Map<string, string>();
    return rounds.start(() => sample(proof, look, seen));
  },
};

async function sample({ platform }: Proof, look: Look, seen: Map<string, string>): Promise<void> {
  const { work, tmp, state } = platform.folder;
  for (const [name, folder] of Object.entries({ work, tmp, state }))
    for (const file of filesBelow(folder)) {
      const path = join(folder, file);
      const facts = statSync(path, { throwIfNoEntry: false });
      if (facts === undefined) continue;
      const version = `${facts.mtimeMs} ${facts.size}`;
      if (seen.get(path) === version) continue;
      seen.set(path, version);
      const isOwn = CONFIG.test(file) && (facts.mode & PERMISSIONS) === OWNER_ONLY;
      await look.file(`${name}/${file}`, path, isOwn ? ALLOWED : undefined);
    }
}

/** What is left when everything has stopped: nothing may be. Core dumps would lie where the processes ran. */
export const leftovers: Place = {
  name: 'what is left behind',
  about: 'workspaces, temporary folders, state, cache and the folder where a core dump would lie, after the end',
  leak: ({ platform }, control) => writeFile(join(platform.folder.cwd, 'core.1'), control.text),
  async lookAfter({ platform }, look) {
    const { work, tmp, state, cache, cwd, root } = platform.folder;
    for (const [name, folder] of Object.entries({ work, tmp, state, cache, cwd, home: join(root, 'home') }))
      await lookThroughFolder(look, folder, name);
  },
};
