import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';

/** What a program found that tried to leave its bounds. */
export interface Attempts {
  /** The mounts in which a file can be made, and of those the ones in which a program can be run. */
  writable: string[];
  executable: string[];
  /** Mebibytes of the folder for temporary files. */
  temporary: number;
  /** What came of each attempt on more rights: the code of the refusal, or `done`. */
  rights: Record<string, string>;
  /** What came of a connection to each of the sockets that were named. */
  sockets: Record<string, string>;
  /** The names in each of the folders that were named; a code where there is none to read. */
  folders: Record<string, string[] | string>;
}

const [socketNames = '', folderNames = ''] = process.argv.slice(2);
const NAME = 'tries-its-bounds';
const MIB = 1024 ** 2;

const codeOf = (error: unknown) => String((error as NodeJS.ErrnoException).code);

function attempt(work: () => unknown): string {
  try {
    work();
    return 'done';
  } catch (error) {
    return codeOf(error);
  }
}

const ended = (command: string, ...args: string[]) => (spawnSync(command, args).status === 0 ? 'done' : 'refused');

function writes(folder: string): boolean {
  const file = join(folder, NAME);
  const made = attempt(() => writeFileSync(file, '')) === 'done';
  if (made) rmSync(file);
  return made;
}

function executes(folder: string): boolean {
  const file = join(folder, NAME);
  copyFileSync('/usr/bin/true', file);
  chmodSync(file, 0o755);
  const { status } = spawnSync(file);
  rmSync(file);
  return status === 0;
}

function rights(): Record<string, string> {
  const file = join('/tmp', NAME);
  writeFileSync(file, '');
  const bit = attempt(() => chmodSync(file, 0o4755));
  rmSync(file);
  return {
    'become root': attempt(() => process.setuid?.(0)),
    'join a group': attempt(() => process.setgroups?.([0, 4])),
    'set a user id bit': bit,
    mount: ended('mount', '-t', 'tmpfs', 'tmpfs', '/tmp'),
    'a user namespace': ended('unshare', '--user', 'true'),
    'write a tunable': attempt(() => writeFileSync('/proc/sys/kernel/hostname', 'other')),
    'look into process 1': attempt(() => readFileSync('/proc/1/environ')),
  };
}

function connected(path: string): Promise<string> {
  return new Promise<string>((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => resolve('done'));
    socket.once('error', (error) => resolve(codeOf(error)));
  });
}

function namesIn(folder: string): string[] | string {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    return codeOf(error);
  }
}

const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n').slice(0, -1);
const writable = [...new Set(mounts.map((line) => line.split(' ')[4] ?? ''))].filter(writes);
const { blocks, bsize } = statfsSync('/tmp');
const sockets: Record<string, string> = {};
for (const path of socketNames.split(',')) sockets[path] = await connected(path);
const found: Attempts = {
  writable,
  executable: writable.filter(executes),
  temporary: (blocks * bsize) / MIB,
  rights: rights(),
  sockets,
  folders: Object.fromEntries(folderNames.split(',').map((path) => [path, namesIn(path)])),
};
process.stdout.write(JSON.stringify(found));
process.exit();
