import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { mountLines, type Place } from './mounts.ts';
import { isOn, lastOf, readService, type Service, type Specifiers, wordsOf } from './read-unit.ts';

const run = promisify(execFile);
/** Puts the filters on, from where the project is installed. */
const FILTER = 'test/hardened/filter.py';
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** What the translation does something about, here, in the mounts, or in the filters. */
const TRANSLATED = [
  ...['ExecStart', 'WorkingDirectory', 'Environment', 'EnvironmentFile', 'LoadCredential', 'User', 'UMask'],
  ...['ProtectSystem', 'TemporaryFileSystem', 'BindPaths', 'BindReadOnlyPaths', 'ReadWritePaths', 'InaccessiblePaths'],
  ...['ProtectHome', 'PrivateDevices', 'PrivateIPC', 'ProtectProc'],
  ...[
    'ProtectKernelTunables',
    'ProtectControlGroups',
    'NoNewPrivileges',
    'CapabilityBoundingSet',
    'AmbientCapabilities',
  ],
  ...['RestrictSUIDSGID', 'RestrictNamespaces', 'RestrictAddressFamilies', 'SystemCallFilter', 'SystemCallErrorNumber'],
  'LimitCORE',
];
/** What needs the service manager or a control group, or forbids what a process without capabilities cannot do anyway. */
const LEFT_OUT = [
  ...['Type', 'Restart', 'RestartSec', 'TimeoutStopSec', 'KillMode', 'OOMPolicy', 'KeyringMode', 'RemoveIPC'],
  ...[
    'MemoryMax',
    'MemorySwapMax',
    'TasksMax',
    'LimitNOFILE',
    'SystemCallArchitectures',
    'LockPersonality',
    'RestrictRealtime',
  ],
  ...['ProtectClock', 'ProtectHostname', 'ProtectKernelLogs', 'ProtectKernelModules'],
];

export type HardenedOptions = {
  /** The text of the unit. */
  readonly unit: string;
  readonly instance: string;
  /** Where the service sees the project. */
  readonly installed: string;
  /** As who it runs in the place of `User=`, with the groups that this user has. */
  readonly uid: number;
  readonly groups: readonly number[];
  /** What an installation has on this machine. */
  readonly machine: readonly Place[];
  /** What `EnvironmentFile=` holds. */
  readonly environment: Readonly<Record<string, string>>;
  /** Where the files of `LoadCredential=` are for the program. */
  readonly credentials: string;
  /** Runs this in the place of `ExecStart=`. */
  readonly command?: readonly string[];
};

/** What to start as root so that a program runs in the bounds of a unit; it keeps the process id. */
export type HardenedCommand = {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
};

/** What this machine lacks to make the bounds; undefined when nothing. */
export async function missingForBounds(): Promise<string | undefined> {
  const filters = ['-c', 'import ctypes; ctypes.CDLL("libseccomp.so.2")'];
  const needed: Record<string, readonly string[]> = { 'systemd-analyze': ['--version'], python3: filters };
  for (const [command, args] of Object.entries(needed)) {
    const isThere = await run(command, args).then(
      () => true,
      () => false,
    );
    if (!isThere) return `${command} is not there, or lacks what it needs`;
  }
  return undefined;
}

/**
 * The bounds that systemd would give a service by its unit, made by the kernel's own means: a mount namespace, a change of
 * user without capabilities, and filters of system calls. Throws for a directive that it does not know, so that a unit
 * says nothing that nobody has thought about here.
 */
export async function hardened(options: HardenedOptions): Promise<HardenedCommand> {
  const specifiers: Specifiers = { i: options.instance, d: options.credentials };
  const service = readService(options.unit, specifiers);
  const unknown = [...service.keys()].filter((name) => !TRANSLATED.includes(name) && !LEFT_OUT.includes(name));
  if (unknown.length > 0) throw new Error(`not translated: ${unknown.join(', ')}`);
  const { uid, groups, command = wordsOf(service, 'ExecStart') } = options;
  const lines = [
    ...mountLines(service, options.machine, options.credentials),
    `cd ${lastOf(service, 'WorkingDirectory')}`,
    `umask ${lastOf(service, 'UMask')}`,
    `ulimit -c ${lastOf(service, 'LimitCORE')}`,
    'exec "$@"',
  ];
  return {
    command: 'unshare',
    args: [
      ...['--mount', '--propagation', 'private', ...(isOn(service, 'PrivateIPC') ? ['--ipc'] : [])],
      ...['sh', '-c', lines.join('\n'), 'sh', 'setpriv', `--reuid=${uid}`, `--regid=${uid}`],
      ...[`--groups=${[uid, ...groups].join(',')}`, ...privileges(service)],
      ...['python3', '-I', '-B', join(options.installed, FILTER), await filters(service), ...command],
    ],
    env: { PATH, HOME: '/', ...environmentOf(service), ...options.environment },
  };
}

function privileges(service: Service): string[] {
  for (const name of ['CapabilityBoundingSet', 'AmbientCapabilities']) {
    if (service.get(name)?.length !== 0) throw new Error(`${name}= is not translated`);
  }
  const none = ['--bounding-set=-all', '--inh-caps=-all', '--ambient-caps=-all'];
  return [...none, ...(isOn(service, 'NoNewPrivileges') ? ['--no-new-privs'] : [])];
}

function environmentOf(service: Service): Record<string, string> {
  const pairs = (service.get('Environment') ?? []).map((pair) => pair.split(/=(.*)/s));
  return Object.fromEntries(pairs.map(([name = '', value = '']) => [name, value]));
}

async function filters(service: Service): Promise<string> {
  const calls = new Set<string>();
  for (const value of service.get('SystemCallFilter') ?? []) {
    for (const word of value.replace(/^~/, '').split(' ')) {
      for (const call of await callsOf(word)) value.startsWith('~') ? calls.delete(call) : calls.add(call);
    }
  }
  return JSON.stringify({
    calls: [...calls],
    otherwise: lastOf(service, 'SystemCallErrorNumber'),
    families: wordsOf(service, 'RestrictAddressFamilies'),
    noSetIds: isOn(service, 'RestrictSUIDSGID'),
    noNamespaces: isOn(service, 'RestrictNamespaces'),
  });
}

/** The system calls of a set of systemd's; sets contain others. */
async function callsOf(name: string): Promise<string[]> {
  if (!name.startsWith('@')) return [name];
  const { stdout } = await run('systemd-analyze', ['syscall-filter', '--no-pager', name]);
  const words = stdout.split('\n').flatMap((line) => /^ {4}(@?\w+(?:-\w+)*)$/.exec(line)?.[1] ?? []);
  return (await Promise.all(words.map(callsOf))).flat();
}
