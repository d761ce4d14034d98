import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { ConnectorLabels } from '../connector-runtime.ts';
import { LABEL } from './create-options.ts';
import { emptyFolder } from './empty-folder.ts';
import { type EngineClient, within } from './engine-client.ts';
import { listEngineWorkspaces } from './engine-workspace.ts';
import { remove } from './supervise-container.ts';

const LABEL_CHARS = 16;

/** Whether a run is going on now in exactly that attempt. */
export type IsLive = (run: Pick<ConnectorLabels, 'tenant' | 'execution' | 'attempt'>) => Promise<boolean>;

export type Reaped = {
  readonly containers: number;
  readonly workspaces: number;
  /** Folders that could not be removed, not by the engine either. */
  readonly left: readonly string[];
};

export type ReapDeps = { readonly engine: EngineClient; readonly workspaceRoot: string; readonly role: string };

/** What tells the runs of one installation from those of others in the same engine: whose inputs lie in its workspace. */
export function workspaceLabel(root: string): string {
  return createHash('sha256').update(resolve(root)).digest('hex').slice(0, LABEL_CHARS);
}

/**
 * Removes containers of the role and workspace, started or not, that belong to no live attempt or are past their deadline, probes that
 * are, and the folders of attempts that are not live. What is ours is told by labels and by whole names, never by the
 * beginning of one. An attempt that is live is never touched, nor is anything when it cannot be told who is.
 */
export async function reapRuns({ engine, workspaceRoot, role }: ReapDeps, isLive: IsLive): Promise<Reaped> {
  const known = new Map<string, Promise<boolean>>();
  const isDead = async (run: Parameters<IsLive>[0]) => {
    const key = `${run.tenant} ${run.execution} ${run.attempt}`;
    const live = known.get(key) ?? isLive(run);
    known.set(key, live);
    return !(await live);
  };
  const now = Date.now();
  let containers = 0;
  for (const { id, labels } of await labelled(engine, LABEL.role)) {
    const { [LABEL.tenant]: tenant = '', [LABEL.execution]: execution = '', [LABEL.attempt]: attempt = '' } = labels;
    const isLate = Number(labels[LABEL.deadline]) < now;
    const isOurs = labels[LABEL.role] === role && labels[LABEL.workspace] === workspaceLabel(workspaceRoot);
    const isGone = isOurs
      ? isLate || (await isDead({ tenant, execution, attempt }))
      : labels[LABEL.role] === 'probe' && isLate;
    if (!isGone) continue;
    await remove(engine.getContainer(id));
    containers += 1;
  }
  let workspaces = 0;
  const left: string[] = [];
  for (const workspace of await listEngineWorkspaces(workspaceRoot)) {
    if (!(await isDead(workspace))) continue;
    if (await isDestroyed(engine, workspace)) workspaces += 1;
    else left.push(workspace.path);
  }
  return { containers, workspaces, left };
}

/** Removes what attempts before this one of the same run have left: the one that runs now has taken its lease. */
export async function reapOlderAttempts(engine: EngineClient, labels: AttemptLabels): Promise<void> {
  await removeAttempts(engine, labels, (attempt) => attempt < Number(labels.attempt));
}

/** Removes what an attempt that is over has left, and those before it. */
export async function reapAttempt({ engine, workspaceRoot }: ReapDeps, labels: AttemptLabels): Promise<void> {
  const isOver = (attempt: number) => attempt <= Number(labels.attempt);
  await removeAttempts(engine, labels, isOver);
  for (const workspace of await listEngineWorkspaces(workspaceRoot)) {
    const isOfTheRun = workspace.execution === labels.execution;
    if (isOfTheRun && isOver(Number(workspace.attempt))) await isDestroyed(engine, workspace);
  }
}

type Leftover = { readonly path: string; readonly destroy: () => Promise<void> };

/** Destroys a folder, with the engine's help where its containers left what keeps us out. One that stays keeps no other one. */
async function isDestroyed(engine: EngineClient, { path, destroy }: Leftover): Promise<boolean> {
  const isGone = () =>
    destroy().then(
      () => true,
      () => false,
    );
  return (await isGone()) || emptyFolder(engine, path).then(isGone, () => false);
}

type AttemptLabels = Pick<ConnectorLabels, 'execution' | 'attempt'>;

async function removeAttempts(
  engine: EngineClient,
  { execution }: AttemptLabels,
  isOver: (attempt: number) => boolean,
) {
  const ofTheRun = await labelled(engine, `${LABEL.execution}=${execution}`);
  const over = ofTheRun.filter(({ labels }) => isOver(Number(labels[LABEL.attempt])));
  await Promise.all(over.map(({ id }) => remove(engine.getContainer(id))));
}

async function labelled(engine: EngineClient, label: string) {
  const found = await within(engine.listContainers({ all: true, filters: { label: [label] } }));
  return found.map(({ Id: id, Labels: labels }) => ({ id, labels }));
}
