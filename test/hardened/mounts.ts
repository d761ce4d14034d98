import { isOn, lastOf, type Service, wordsOf } from './read-unit.ts';

/** A folder of this machine, and where it is for the program: what an installation would have there. */
export type Place = { readonly source: string; readonly target: string };
/** What a unit binds; the optional may be missing. */
type Bind = Place & { readonly isOptional?: boolean };

/** What `ProtectSystem=strict` leaves as it is. */
const KERNEL_TREES = ['/dev', '/proc', '/sys'];
const HOMES = ['/home', '/root', '/run/user'];
const TUNABLES = ['/proc/sys', '/proc/irq', '/proc/bus', '/sys'];
/** Major and minor number of what `PrivateDevices=` has. */
const DEVICES = { null: '1 3', zero: '1 5', full: '1 7', random: '1 8', urandom: '1 9' };
/** Where folders wait while what they lie in is hidden. */
const ASIDE = '/mnt';

/** Ends the mounts below a folder over which one is made: they are in sight no more, and neither is their place. */
const BARE = `bare() { awk -v "under=$1/" 'index($5, under) == 1 { print $5 }' /proc/self/mountinfo | tac | while read -r at; do umount --lazy "$(printf "$at")" 2>/dev/null || :; done; }`;

/** The commands note some mounts in `/run/mount`, which would be in sight of the program. */
const UNNOTED = ['mount', 'umount'].map((name) => `${name}() { command ${name} --no-mtab "$@"; }`);

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const byDepth = (a: string, b: string) => a.length - b.length;

/**
 * The lines of a shell that give a process which is root, in a mount namespace of its own, the file system that a unit says.
 * `machine` is there before: it stands for what an installation has, with what the service manager puts into the folder
 * `credentials`. Throws for a value that is not translated.
 */
export function mountLines(service: Service, machine: readonly Place[], credentials: string): string[] {
  const binds = [
    ...bindsOf(service, 'BindPaths'),
    ...bindsOf(service, 'BindReadOnlyPaths'),
    ...(service.has('LoadCredential') ? [{ source: credentials, target: credentials }] : []),
  ];
  const temporary = wordsOf(service, 'TemporaryFileSystem').map((word) => {
    const [path = '', options = ''] = word.split(/:(.*)/s);
    return { path, options: options.split(',').filter((option) => option !== 'ro') };
  });
  const hidden = [...wordsOf(service, 'InaccessiblePaths'), ...(isOn(service, 'ProtectHome') ? HOMES : [])];
  const steps = [
    ...temporary.map(({ path, options }) => ({ path, line: tmpfs(path, options) })),
    ...binds.map(({ target, isOptional }, at) => ({ path: target, line: bind(`${ASIDE}/${at}`, target, isOptional) })),
    ...hidden.map((path) => ({ path: path.replace(/^-/, ''), line: inaccessible(path.replace(/^-/, '')) })),
    ...(isOn(service, 'PrivateDevices') ? [{ path: '/dev', line: devices() }] : []),
    ...procSteps(service),
  ];
  return [
    'set -eu',
    ...UNNOTED,
    BARE,
    ...placed(machine),
    `mount -t tmpfs tmpfs ${ASIDE}`,
    ...binds.map(({ source, isOptional }, at) => bind(source, `${ASIDE}/${at}`, isOptional)),
    ...steps.sort((a, b) => byDepth(a.path, b.path)).map(({ line }) => line),
    `umount --recursive --lazy ${ASIDE}`,
    ...flagLines(service, temporary),
  ];
}

/** What an installation has, put into a /run and an /opt of its own. */
function placed(machine: readonly Place[]): string[] {
  return [
    `mount -t tmpfs tmpfs ${ASIDE}`,
    ...machine.map(({ source }, at) => bind(source, `${ASIDE}/${at}`)),
    ...['/run', '/opt'].map((folder) => tmpfs(folder, ['mode=755'])),
    ...machine.map(({ target }, at) => bind(`${ASIDE}/${at}`, target)),
    `umount --recursive --lazy ${ASIDE}`,
  ];
}

function bindsOf(service: Service, name: string): Bind[] {
  return wordsOf(service, name).map((word) => {
    const [source = '', target = source] = word.replace(/^-/, '').split(':');
    return { source, target, isOptional: word.startsWith('-') };
  });
}

/** Mounts over a folder or a file, which is made where it is not there. */
function bind(source: string, target: string, isOptional = false): string {
  const [from, to] = [quoted(source), quoted(target)];
  const line = `if [ -d ${from} ]; then mkdir -p ${to}; else mkdir -p "$(dirname ${to})"; [ -e ${to} ] || : >${to}; fi; mount --rbind ${from} ${to}`;
  return isOptional ? `if [ -e ${from} ]; then ${line}; fi` : line;
}

function tmpfs(path: string, options: readonly string[]): string {
  const given = options.length === 0 ? '' : `-o ${quoted(options.join(','))} `;
  return `mkdir -p ${quoted(path)}; bare ${quoted(path)}; mount -t tmpfs ${given}tmpfs ${quoted(path)}`;
}

function inaccessible(path: string): string {
  const at = quoted(path);
  const file = `mount --bind /dev/null ${at}`;
  return `if [ -d ${at} ]; then bare ${at}; mount -t tmpfs -o ro,mode=000 tmpfs ${at}; elif [ -e ${at} ]; then ${file}; fi`;
}

function devices(): string {
  const made = Object.entries(DEVICES).map(([name, numbers]) => `mknod -m 666 /dev/${name} c ${numbers}`);
  const shm = 'mkdir -m 1777 /dev/shm && mount -t tmpfs tmpfs /dev/shm';
  return [
    'bare /dev',
    'mount -t tmpfs -o mode=755,nosuid,noexec tmpfs /dev',
    ...made,
    shm,
    'ln -s /proc/self/fd /dev/fd',
  ].join(' && ');
}

function procSteps(service: Service): { path: string; line: string }[] {
  const hide = lastOf(service, 'ProtectProc');
  return hide === undefined
    ? []
    : [{ path: '/proc', line: `bare /proc; mount -t proc -o nosuid,nodev,noexec,hidepid=${hide} proc /proc` }];
}

/** Makes every mount read-only but where the unit says so. */
function flagLines(service: Service, temporary: readonly { path: string; options: readonly string[] }[]): string[] {
  if (lastOf(service, 'ProtectSystem') !== 'strict') throw new Error('ProtectSystem= is not translated');
  const closed = wordsOf(service, 'TemporaryFileSystem').flatMap((word) => (/:.*\bro\b/.test(word) ? [word] : []));
  const isClosed = (path: string) => closed.some((word) => word.startsWith(`${path}:`));
  const writable = [
    ...wordsOf(service, 'ReadWritePaths'),
    ...bindsOf(service, 'BindPaths').map(({ target }) => target),
    ...temporary.flatMap(({ path }) => (isClosed(path) ? [] : [path])),
    ...KERNEL_TREES,
  ];
  const readOnly = [
    ...bindsOf(service, 'BindReadOnlyPaths').map(({ target }) => target),
    ...temporary.flatMap(({ path }) => (isClosed(path) ? [path] : [])),
    ...(isOn(service, 'ProtectKernelTunables') ? TUNABLES : []),
    ...(isOn(service, 'ProtectControlGroups') ? ['/sys/fs/cgroup'] : []),
  ];
  const rules = [
    ...readOnly.map((path) => ({ path, flag: ',ro' })),
    ...writable.map((path) => ({ path, flag: '' })),
  ].sort((a, b) => byDepth(b.path, a.path));
  return [
    ...(isOn(service, 'ProtectKernelTunables') ? ['mount --bind /proc/sys /proc/sys'] : []),
    // Of two mounts on one place the last is the one that is seen.
    `awk '{ flags[$5] = $6 } END { for (at in flags) print at, flags[at] }' /proc/self/mountinfo | while read -r at flags; do`,
    '  at=$(printf "$at")',
    '  case "$at/" in',
    ...rules.map(({ path, flag }) => `    ${quoted(`${path}/`)}*) ro=${flag} ;;`),
    '    *) ro=,ro ;;',
    '  esac',
    // Another program's mount goes with its folder, here too.
    '  if ! mount -o "remount,bind,$flags$ro" "$at" && findmnt "$at"; then exit 1; fi',
    'done',
  ];
}
