import type { ConnectorLabels } from '../connector-runtime.ts';
import { LABEL } from './create-options.ts';
import { type EngineClient, within } from './engine-client.ts';
import { listEngineWorkspaces } from './engine-workspace.ts';
import { remove } from './supervise-container.ts';

/** Whether a run is going on now in exactly that attempt. */
export type IsLive = (run: Pick<ConnectorLabels, 'execution' | 'attempt'>) => Promise<boolean>;

export type Reaped = { readonly containers: number; readonly workspaces: number };

export type ReapDeps = { readonly engine: EngineClient; readonly workspaceRoot: string; readonly role: string };

/**
 * Removes containers of the role, started or not, that belong to no live attempt or are past their deadline, probes that
 * are, and the folders of attempts that are not live. What is ours is told by labels and by whole names, never by the
 * beginning of one. An attempt that is live is never touched, nor is anything when it cannot be told who is.
 */
export async function reapRuns({ engine, workspaceRoot, role }: ReapDeps, isLive: IsLive): Promise<Reaped> {
  const known = new Map<string, Promise<boolean>>();
  const isDead = async (execution: string, attempt: string) => {
    const key = `${execution} ${attempt}`;
    const live = known.get(key) ?? isLive({ execution, attempt });
    known.set(key, live);
    return !(await live);
  };
  const now = Date.now();
  let containers = 0;
  for (const { id, labels } of await labelled(engine, LABEL.role)) {
    const { [LABEL.execution]: execution = '', [LABEL.attempt]: attempt = '' } = labels;
    const isLate = Number(labels[LABEL.deadline]) < now;
    const isOurs = labels[LABEL.role] === role;
    const isGone = isOurs ? isLate || (await isDead(execution, attempt)) : labels[LABEL.role] === 'probe' && isLate;
    if (!isGone) continue;
    await remove(engine.getContainer(id));
    containers += 1;
  }
  let workspaces = 0;
  for (const { execution, attempt, destroy } of await listEngineWorkspaces(workspaceRoot)) {
    if (!(await isDead(execution, attempt))) continue;
    await destroy();
    workspaces += 1;
  }
  return { containers, workspaces };
}

/** Removes what attempts before this one of the same run have left: the one that runs now has taken its lease. */
export async function reapOlderAttempts(engine: EngineClient, { execution, attempt }: ConnectorLabels): Promise<void> {
  for (const { id, labels } of await labelled(engine, `${LABEL.execution}=${execution}`)) {
    if (Number(labels[LABEL.attempt]) < Number(attempt)) await remove(engine.getContainer(id));
  }
}

async function labelled(engine: EngineClient, label: string) {
  const found = await within(engine.listContainers({ all: true, filters: { label: [label] } }));
  return found.map(({ Id: id, Labels: labels }) => ({ id, labels }));
}
