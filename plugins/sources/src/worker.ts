import { workerDoor } from '@weir/work';
import { sourceKit } from './work/kits.ts';
import { replaying } from './work/quarantine/run-replay.ts';
import { syncing } from './work/sync/run-attempt.ts';
import { verifying } from './work/verification/verify-sync.ts';

export { operations } from './service/credential/operations.ts';

/** What the process of a sync or replay takes at most, in its heap, in what types rows and in lines on their way: a bar of `npm run bench -- memory`. */
const SLOT_MIB = 512;

/** The worker side of this plugin: the role that reads sources and writes their tables. */
export const worker = workerDoor({
  at: import.meta.url,
  slotMiB: SLOT_MIB,
  kit: sourceKit,
  runs: [syncing, verifying, replaying],
});
