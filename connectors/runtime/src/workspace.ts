import { constants } from 'node:fs';
import { lstat, mkdir, mkdtemp, open, readdir, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { removeTree } from '@weir/processes';
import { ConnectorError } from './connector-error.ts';
import type { ConnectorInputs, SegmentFolder } from './connector-runtime.ts';

/** The folder of one attempt: the input files that exist, a temporary folder, and their destruction. */
export type Workspace = {
  readonly path: string;
  readonly tmp: string;
  readonly files: Readonly<Partial<Record<keyof ConnectorInputs, string>>>;
  readonly destroy: () => Promise<void>;
};

export const INPUT_NAMES = ['config', 'catalog', 'state'] as const;
const OWNER_ONLY = 0o600;
const ATTEMPT = /^(?:attempt|segments)-(\d+)-/;

/**
 * Makes a fresh, owner-only folder below `root` and writes the inputs into it as new files of mode 0600. The root
 * must be a real folder (no link on the way) of ours; else `connector_runtime_unavailable`.
 */
export async function createWorkspace(root: string, inputs: ConnectorInputs): Promise<Workspace> {
  const base = await vettedRoot(root);
  const path = await mkdtemp(join(base, `attempt-${process.pid}-`));
  const destroy = () => destroyFolder(path);
  try {
    const tmp = join(path, 'tmp');
    await mkdir(tmp, { mode: 0o700 });
    const files: Partial<Record<keyof ConnectorInputs, string>> = {};
    for (const name of INPUT_NAMES) {
      const text = inputs[name];
      if (text === undefined) continue;
      const file = join(path, `${name}.json`);
      await writeExclusive(file, text, OWNER_ONLY);
      files[name] = file;
    }
    return { path, tmp, files, destroy };
  } catch (cause) {
    await destroy();
    throw new ConnectorError('connector_start_failed', { cause });
  }
}

/** Makes a fresh, owner-only folder for segments below `root`, which is checked as for a workspace. */
export async function createSegmentFolder(root: string): Promise<SegmentFolder> {
  const path = await mkdtemp(join(await vettedRoot(root), `segments-${process.pid}-`));
  return { path, destroy: () => removeTree(path) };
}

/** Destroys the workspaces that processes which no longer run left below `root`. Best effort: never throws. */
export async function sweepWorkspaces(root: string): Promise<void> {
  const names = await readdir(root).catch(() => []);
  for (const name of names) {
    const owner = ATTEMPT.exec(name)?.[1];
    if (owner !== undefined && !isAlive(Number(owner))) await destroyFolder(join(root, name)).catch(() => undefined);
  }
}

async function vettedRoot(root: string): Promise<string> {
  const wanted = resolve(root);
  try {
    await mkdir(wanted, { recursive: true, mode: 0o700 });
    const real = await realpath(wanted);
    const stat = await lstat(real);
    const ours = process.getuid === undefined || stat.uid === process.getuid();
    if (real !== wanted || !stat.isDirectory() || !ours)
      throw new Error('the workspace root is not a plain folder of ours');
    return real;
  } catch (cause) {
    throw new ConnectorError('connector_runtime_unavailable', { cause });
  }
}

/** Writes a file where none is, not even a link; of exactly that mode, whatever the umask is. */
export async function writeExclusive(file: string, text: string, mode: number): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const handle = await open(file, flags, OWNER_ONLY);
  try {
    await handle.writeFile(text);
    if (mode !== OWNER_ONLY) await handle.chmod(mode);
  } finally {
    await handle.close();
  }
}

/**
 * Overwrites the inputs in a folder before removing it, so that a later reader of the free blocks finds nothing. Rejects
 * when something of another user in it keeps us out.
 */
export async function destroyFolder(path: string): Promise<void> {
  for (const name of INPUT_NAMES) {
    const handle = await open(join(path, `${name}.json`), constants.O_WRONLY | constants.O_NOFOLLOW).catch(
      () => undefined,
    );
    if (handle === undefined) continue;
    try {
      const { size } = await handle.stat();
      await handle.write(Buffer.alloc(size), 0, size, 0);
      await handle.datasync();
    } finally {
      await handle.close();
    }
  }
  await removeTree(path);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
