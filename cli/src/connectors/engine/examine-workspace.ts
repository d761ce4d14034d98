import { lstat, readFile } from 'node:fs/promises';
import path from 'node:path';
import { checksOf, type EngineCheck } from './engine-check.ts';
import type { RolePlace } from './engine-role.ts';
import { groupName, primaryGroup } from './examine-socket.ts';

const MODE_BITS = 0o7777;
const WRITABLE_BY_OTHERS = 0o022;
const WANTED_OPTIONS = ['noexec', 'nosuid', 'nodev'];
const TMPFILES = 'systemd-tmpfiles --create weir-connector-engine.conf';
const MOUNT = (role: string) => `systemctl start 'run-weir\\x2dconnectors-${role}.mount'`;

/** The workspace of one role: whose it is, who reads it, and that nothing in it is run, nor grows without bounds. */
export async function examineWorkspace({ role, socketPath, workspaceRoot }: RolePlace): Promise<EngineCheck[]> {
  const check = checksOf(role);
  const facts = await lstat(workspaceRoot).catch(() => undefined);
  if (facts === undefined || !facts.isDirectory()) {
    return [check('workspace', false, `${workspaceRoot} is no folder`, `${MOUNT(role)}; ${TMPFILES}`)];
  }
  const isOurs = facts.uid === process.getuid?.() || (process.getuid?.() === 0 ? 'unknown' : false);
  const mode = (facts.mode & MODE_BITS).toString(8).padStart(4, '0');
  const mount = await mountOf(workspaceRoot);
  const options = mount?.options ?? [];
  const isBounded = mount?.type === 'tmpfs' && options.some((option) => option.startsWith('size='));
  const isInert = WANTED_OPTIONS.every((option) => options.includes(option));
  const found = mount === undefined ? 'not known' : `${mount.type} ${options.join(',')}`;
  return [
    check('workspace owner', isOurs, `user ${facts.uid}`, `run this as the user of the worker; ${TMPFILES}`),
    await groupCheck({ role, socketPath, gid: facts.gid }),
    check('workspace mode', (facts.mode & WRITABLE_BY_OTHERS) === 0, mode, TMPFILES),
    check('workspace is bounded', isBounded, found, MOUNT(role)),
    check('workspace runs nothing', isInert, found, MOUNT(role)),
  ];
}

/** The engine reads by its group what workers write there: the primary group of the user that the socket belongs to. */
async function groupCheck({ role, socketPath, gid }: Pick<RolePlace, 'role' | 'socketPath'> & { gid: number }) {
  const check = checksOf(role);
  const socket = await lstat(socketPath).catch(() => undefined);
  const wanted = socket && (await primaryGroup(socket.uid));
  const found = await groupName(gid);
  if (wanted === undefined)
    return check('workspace group', 'unknown', found, 'start the engine, which names its group');
  const group = await groupName(wanted);
  const next = `the engine reads it by the group ${group}: ${TMPFILES}; of a folder of your own: chgrp ${group}, chmod 2750`;
  return check('workspace group', gid === wanted, gid === wanted ? found : `${found}, not ${group}`, next);
}

/** That no role writes where the other's connectors read. */
export function examineApart(places: readonly RolePlace[]): EngineCheck[] {
  const [first, second] = places.map(({ workspaceRoot }) => path.resolve(workspaceRoot));
  if (first === undefined || second === undefined) return [];
  const isApart = first !== second && !`${first}/`.startsWith(`${second}/`) && !`${second}/`.startsWith(`${first}/`);
  const found = isApart ? 'two folders' : first;
  return [checksOf('machine')('each role has its own workspace', isApart, found, 'give each role a folder of its own')];
}

async function mountOf(folder: string): Promise<{ type: string; options: string[] } | undefined> {
  const text = await readFile('/proc/self/mounts', 'utf8').catch(() => '');
  const wanted = `${path.resolve(folder)}/`;
  const mounts = text.split('\n').flatMap((line) => {
    const [, at = '', type = '', options = ''] = line.split(' ');
    const point = at.replaceAll(/\\(\d{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)));
    return type !== '' && wanted.startsWith(point.endsWith('/') ? point : `${point}/`)
      ? [{ point, type, options }]
      : [];
  });
  // The last of the longest: what is mounted over another hides it.
  const [nearest] = mounts.toReversed().sort((a, b) => b.point.length - a.point.length);
  return nearest && { type: nearest.type, options: nearest.options.split(',') };
}
