import { randomBytes } from 'node:crypto';
import { chmod, chown, lstat, mkdir, readdir, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ConnectorError } from '../connector-error.ts';
import type { ConnectorInputs, ConnectorLabels, SegmentFolder } from '../connector-runtime.ts';
import { destroyFolder, INPUT_NAMES, writeExclusive } from '../workspace.ts';

const MODE_BITS = 0o7777;
const FOLDER_MODE = 0o2750;
/** As it is made: the set-group-id bit comes from the root, and a worker may be forbidden to set one itself. */
const MADE_MODE = 0o750;
const SEGMENTS_MODE = 0o770;
const FILE_MODE = 0o640;
const WRITABLE_BY_OTHERS = 0o022;
const ID = /^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/;
const ATTEMPT = /^\d{1,10}$/;
const NAME =
  /^run-(?<tenant>[A-Za-z0-9][A-Za-z0-9-]{0,63})\.(?<execution>[A-Za-z0-9][A-Za-z0-9-]{0,63})\.(?<attempt>\d{1,10})\.[0-9a-f]{12}$/;
const NONCE_BYTES = 6;

/** The folder of one run as its container sees it: its inputs, and where segments are offered a place for them. */
export type EngineWorkspace = {
  readonly inputs: string;
  /** The names of the inputs that there are. */
  readonly names: readonly (typeof INPUT_NAMES)[number][];
  readonly segments: SegmentFolder | undefined;
  /** Destroys the inputs; what belongs to the segments stays for their reader. */
  readonly destroy: () => Promise<void>;
};

export type EngineWorkspaceRequest = {
  readonly labels: Pick<ConnectorLabels, 'tenant' | 'execution' | 'attempt'>;
  readonly inputs: ConnectorInputs;
  readonly segments: boolean;
};

/**
 * Makes the folder of one run below the role's root: 2750, files 0640, of the group that the root has. That is
 * the engine's, which reads by it what lies there. The engine follows links and `..` in what it mounts, so the root must
 * itself be a plain folder of ours that no one else writes to, and names are made of ids alone; else
 * `connector_runtime_unavailable`.
 */
export async function createEngineWorkspace(root: string, request: EngineWorkspaceRequest): Promise<EngineWorkspace> {
  const { tenant, execution, attempt } = request.labels;
  if (!ID.test(tenant) || !ID.test(execution) || !ATTEMPT.test(attempt)) throw unavailable('workspace_name');
  const { base, gid } = await vettedEngineRoot(root);
  const name = () => `run-${tenant}.${execution}.${attempt}.${randomBytes(NONCE_BYTES).toString('hex')}`;
  const inputs = join(base, name());
  const segments = request.segments ? join(base, name()) : undefined;
  const destroy = () => destroyFolder(inputs);
  try {
    await makeEngineFolder(inputs, gid);
    const names = INPUT_NAMES.filter((input) => request.inputs[input] !== undefined);
    for (const input of names)
      await writeExclusive(join(inputs, `${input}.json`), request.inputs[input] ?? '', FILE_MODE);
    if (segments !== undefined) {
      await makeEngineFolder(segments, gid);
      await chmod(segments, SEGMENTS_MODE);
    }
    const folder =
      segments === undefined ? undefined : { path: segments, ofOthers: true, destroy: () => destroyFolder(segments) };
    return { inputs, names, segments: folder, destroy };
  } catch (cause) {
    await destroy().catch(() => undefined);
    if (segments !== undefined) await destroyFolder(segments).catch(() => undefined);
    throw cause instanceof ConnectorError ? cause : new ConnectorError('connector_start_failed', { cause });
  }
}

/** The folders of runs below a root, by whose run they are. Names of other shapes are none of ours. */
export async function listEngineWorkspaces(root: string) {
  const names = await readdir(root).catch(() => []);
  return names.flatMap((name) => {
    const { tenant, execution, attempt } = NAME.exec(name)?.groups ?? {};
    if (tenant === undefined || execution === undefined || attempt === undefined) return [];
    const path = join(root, name);
    return [{ tenant, execution, attempt, path, destroy: () => destroyFolder(path) }];
  });
}

/** The root as a real path and its group; throws `connector_runtime_unavailable` for what the above refuses. */
export async function vettedEngineRoot(root: string): Promise<{ readonly base: string; readonly gid: number }> {
  const wanted = resolve(root);
  const real = await realpath(wanted).catch((cause: unknown) => {
    throw unavailable('workspace_missing', cause);
  });
  const facts = await lstat(wanted);
  const isOurs = process.getuid === undefined || facts.uid === process.getuid();
  if (real !== wanted || !facts.isDirectory()) throw unavailable('workspace_not_a_folder');
  if (!isOurs || (facts.mode & WRITABLE_BY_OTHERS) !== 0) throw unavailable('workspace_of_others');
  return { base: real, gid: facts.gid };
}

/**
 * Makes a folder of mode 2750 and of this group below a root of the same; throws `connector_runtime_unavailable` where it cannot
 * be so. The caller takes away what was made by then.
 */
export async function makeEngineFolder(path: string, gid: number): Promise<void> {
  await mkdir(path, { mode: MADE_MODE });
  const given = await lstat(path);
  const refused = (cause: unknown) => Promise.reject(unavailable('workspace_group', cause));
  if (given.gid !== gid) await chown(path, -1, gid).catch(refused);
  // Only where it is not so by itself, by a setgid bit of the root: one who is not in the group would lose the bit.
  if (given.gid !== gid || (given.mode & MODE_BITS) !== FOLDER_MODE) await chmod(path, FOLDER_MODE).catch(refused);
  const made = await lstat(path);
  if (made.gid !== gid || (made.mode & MODE_BITS) !== FOLDER_MODE) throw unavailable('workspace_group');
}

function unavailable(reason: `workspace_${string}`, cause?: unknown): ConnectorError {
  return new ConnectorError('connector_runtime_unavailable', { reason, cause });
}
