import { access, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Places of a run, or of a change of credentials, at which a test may hold a process, to kill it or one that it talks to exactly there. */
export type FaultPoint = `S${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14}` | CredentialPoint;

/**
 * Of a write to the secret store: its intent is noted, it is written, it is verified, its transaction is about to commit. Of
 * credentials that a connector renewed: they are about to be kept, they are kept.
 */
type CredentialPoint = `C${1 | 2 | 3 | 4 | 5 | 6}`;

const POLL_MS = 20;

/** The folder through which a crash test and the processes under it agree; no product setting, never read otherwise. */
const folder = process.env.WEIR_FAULTPOINTS;

/**
 * Nothing, unless a crash test set `WEIR_FAULTPOINTS` to its folder (development only). Then, once per armed point:
 * `<point>.arm` is renamed to `<point>.hit`, which from then on holds our pid, and we wait until `<point>.go` is there.
 */
export const faultpoint: (point: FaultPoint) => Promise<void> =
  folder === undefined || process.env.WEIR_MODE === 'production'
    ? async () => undefined
    : (point) => hold(folder, point);

async function hold(place: string, point: FaultPoint): Promise<void> {
  const hit = join(place, `${point}.hit`);
  try {
    await rename(join(place, `${point}.arm`), hit);
  } catch {
    return;
  }
  await writeFile(hit, String(process.pid));
  while (!(await isThere(join(place, `${point}.go`)))) await delay(POLL_MS);
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
