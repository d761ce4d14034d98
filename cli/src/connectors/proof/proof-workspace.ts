import { randomUUID } from 'node:crypto';
import { lstat, rm } from 'node:fs/promises';
import path from 'node:path';
import { makeEngineFolder } from '@weir/connector-runtime';
import { CliError } from '../../cli-error.ts';
import type { RolePlace } from '../engine/engine-role.ts';

/**
 * A workspace of one proof alone in the one of the role, of the same disk and group: it needs not be the worker that
 * proves, whose reaper knows none of these runs.
 */
export async function proofWorkspace({
  role,
  workspaceRoot,
}: Pick<RolePlace, 'role' | 'workspaceRoot'>): Promise<string> {
  const folder = path.join(workspaceRoot, `proof-${randomUUID()}`);
  try {
    await makeEngineFolder(folder, await groupOf(workspaceRoot));
    return folder;
  } catch (cause) {
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
    const hint = 'Run this as root, or as the user of the worker with the variables of its role alone.';
    throw new CliError('failed', `A folder for the engine cannot be made in the workspace of the role ${role}.`, {
      hint,
      cause,
    });
  }
}

/** The group that a file or socket belongs to. */
export async function groupOf(file: string): Promise<number> {
  return (await lstat(file)).gid;
}
