import { chown } from 'node:fs/promises';
import t from 'tap';
import { examineWorkspace } from '../src/connectors/engine/examine-workspace.ts';

/** A file of root, whose group is the first there is. */
const OF_ROOT = '/etc/passwd';
const OTHER_GROUP = 4_321;

t.test("a workspace that has not the group of the engine's user → a fault that names both groups", async (t) => {
  const workspaceRoot = t.testdir({ socket: '' });
  const groupOf = async (socketPath: string) => {
    const checks = await examineWorkspace({ role: 'source', socketDir: '/none', socketPath, workspaceRoot });
    return checks.find(({ check }) => check === 'workspace group');
  };
  t.match(await groupOf(`${workspaceRoot}/socket`), { status: 'ok' }, 'our own folder and our own socket');
  if (process.getuid?.() === 0) await chown(workspaceRoot, -1, OTHER_GROUP);
  t.match(await groupOf(OF_ROOT), { status: 'fault', found: /, not root$/, next_step: /chgrp root, chmod 2750/ });
  t.match(await groupOf('/none/docker.sock'), { status: 'note' });
});
