import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Everything that the private platform writes lies below one folder, so that all of it can be looked through. */
export interface ProofFolder {
  readonly root: string;
  readonly logs: string;
  readonly warehouse: string;
  readonly runLogs: string;
  readonly work: string;
  /** TMPDIR of every process. */
  readonly tmp: string;
  /** Where the processes run, and would leave a core dump. */
  readonly cwd: string;
  readonly state: string;
  readonly cache: string;
  readonly keys: string;
  /** Where those who use the platform keep the values that they give it. */
  readonly client: string;
  readonly keyFile: string;
  remove(): Promise<void>;
}

const KEY_BYTES = 32;
/** A process that is just ending may still write. */
const REMOVE_TRIES = 5;
/** The database server may run as another user and must reach its own folder. */
const PASSABLE = 0o711;
const PARTS = [
  ...(['logs', 'warehouse', 'run-logs', 'work', 'tmp', 'cwd', 'state', 'cache'] as const),
  ...(['keys', 'home', 'client'] as const),
];

/** Makes the folder with a fresh key for sealing. */
export async function proofFolder(): Promise<ProofFolder> {
  const root = await mkdtemp(join(tmpdir(), 'weir-prove-'));
  await chmod(root, PASSABLE);
  for (const part of PARTS) await mkdir(join(root, part), { mode: 0o700 });
  const keyFile = join(root, 'keys', 'credential.key');
  await writeFile(keyFile, randomBytes(KEY_BYTES), { mode: 0o400 });
  const at = (part: (typeof PARTS)[number]) => join(root, part);
  return {
    ...{ root, keyFile, logs: at('logs'), warehouse: at('warehouse'), runLogs: at('run-logs') },
    ...{ work: at('work'), tmp: at('tmp') },
    ...{ cwd: at('cwd'), state: at('state'), cache: at('cache'), keys: at('keys'), client: at('client') },
    remove: () => rm(root, { recursive: true, force: true, maxRetries: REMOVE_TRIES }),
  };
}
