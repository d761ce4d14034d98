import type { Stats } from 'node:fs';
import { lstat, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { checksOf, type EngineCheck } from './engine-check.ts';
import type { RolePlace } from './engine-role.ts';

const MODE_BITS = 0o7777;
const SET_GROUP_ID = 0o2000;
const OTHERS = 0o007;
const SOCKET_MODE = 0o660;
/** Each container needs ids of its own, of which images use the first 65,536. */
const LEAST_SUBORDINATES = 65_536;
const RESTART = 'systemctl restart weir-connector-engine; the daemon gives the socket to the workers as it starts';

const octal = (mode: number) => (mode & MODE_BITS).toString(8).padStart(4, '0');
const seen = (file: string): Promise<Stats | undefined> => lstat(file).catch(() => undefined);

/** The folder and the socket of one role, and the identity that the engine has by them. */
export async function examineSocket(place: RolePlace): Promise<EngineCheck[]> {
  const check = checksOf(place.role);
  const folder = await seen(place.socketDir);
  if (folder === undefined || !folder.isDirectory()) {
    return [check('socket folder', false, `${place.socketDir} is no folder`, 'start the engine, then this worker')];
  }
  const names = await readdir(place.socketDir).catch(() => undefined);
  const isClosed = (folder.mode & OTHERS) === 0 && (folder.mode & SET_GROUP_ID) === 0;
  const checks = [
    check(
      'socket folder',
      isClosed,
      `mode ${octal(folder.mode)}`,
      'systemd-tmpfiles --create weir-connector-engine.conf',
    ),
    check(
      'nothing else in it',
      names === undefined ? 'unknown' : names.length === 1 && names[0] === path.basename(place.socketPath),
      names === undefined ? 'not readable' : names.join(' '),
      names === undefined ? 'run this as the user of the worker' : 'the folder holds docker.sock alone',
    ),
  ];
  const socket = await seen(place.socketPath);
  if (socket === undefined) return [...checks, check('socket', false, 'the socket is missing', RESTART)];
  const isOpen = socket.isSocket() && (socket.mode & MODE_BITS) === SOCKET_MODE && socket.gid === folder.gid;
  const found = `${socket.isSocket() ? 'socket' : 'no socket'} ${octal(socket.mode)} group ${await groupName(socket.gid)}`;
  return [
    ...checks,
    check('socket', isOpen, found, RESTART),
    check(
      'group of this process',
      mayUse(socket.gid),
      await groupName(socket.gid),
      `run this as the user of the worker, which is in the group ${await groupName(socket.gid)}`,
    ),
    ...(await examineIdentity(place, socket.uid)),
  ];
}

/** Root may use any socket, which says nothing about a worker. */
function mayUse(gid: number): boolean | 'unknown' {
  if ([process.getegid?.(), ...(process.getgroups?.() ?? [])].includes(gid)) return true;
  return process.getuid?.() === 0 ? 'unknown' : false;
}

async function examineIdentity({ role }: RolePlace, uid: number): Promise<EngineCheck[]> {
  const check = checksOf(role);
  const name = await userName(uid);
  const ranges = await Promise.all(['/etc/subuid', '/etc/subgid'].map(lines));
  const least = Math.min(
    ...ranges.map((range) =>
      range.filter(([user]) => user === name).reduce((sum, [, , count]) => sum + Number(count), 0),
    ),
  );
  const identity = 'deploy/connector-engine/bin/identity makes the user and its ids';
  return [
    check('engine user', uid !== 0, name, `the engine must not run as root: ${identity}`),
    check('subordinate ids', least >= LEAST_SUBORDINATES, `${least}`, identity),
  ];
}

async function lines(file: string): Promise<string[][]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').map((line) => line.split(':'));
}

/** The name of a user of this machine, or its number. */
export async function userName(uid: number): Promise<string> {
  return (await lines('/etc/passwd')).find((line) => line[2] === String(uid))?.[0] ?? String(uid);
}

/** The primary group of a user of this machine. */
export async function primaryGroup(uid: number): Promise<number | undefined> {
  const gid = (await lines('/etc/passwd')).find((line) => line[2] === String(uid))?.[3];
  return gid === undefined ? undefined : Number(gid);
}

/** The name of a group of this machine, or its number. */
export async function groupName(gid: number): Promise<string> {
  return (await lines('/etc/group')).find((line) => line[2] === String(gid))?.[0] ?? String(gid);
}
