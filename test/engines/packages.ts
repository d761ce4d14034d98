import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { toolCache } from '@weir/embedded';

const run = promisify(execFile);

/** A program that must be there, and the Debian package that brings it. */
const PROGRAMS: Readonly<Record<string, string>> = {
  '/usr/sbin/dockerd': 'docker.io',
  '/usr/share/docker.io/contrib/dockerd-rootless.sh': 'docker.io',
  '/usr/bin/rootlesskit': 'rootlesskit',
  '/usr/bin/slirp4netns': 'slirp4netns',
  '/usr/bin/newuidmap': 'uidmap',
  '/usr/bin/docker-registry': 'docker-registry',
  '/usr/sbin/debootstrap': 'debootstrap',
  '/usr/sbin/nft': 'nftables',
  '/usr/sbin/iptables': 'iptables',
  '/usr/sbin/ip': 'iproute2',
};
/** While this file says 101, a package that is installed starts no service. */
const SERVICE_POLICY = '/usr/sbin/policy-rc.d';
const NO_SERVICE = '#!/bin/sh\nexit 101\n';
const USER = 'weir-test-engine';

/** The user as whom engines of tests run, and whose subordinate ids their containers have. */
export type EngineUser = {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  /** First of its subordinate ids: who is root in a container of the rootful engine. */
  readonly firstSubordinate: number;
};

/** This machine can have no engine; the message says why, in one line. */
export class MachineUnfit extends Error {}

/**
 * Makes what an engine needs present in this machine, once: Debian's packages with no service started, and a user.
 * Throws `MachineUnfit` when this machine cannot have them.
 */
export async function prepareMachine(): Promise<EngineUser> {
  if (process.platform !== 'linux') throw new MachineUnfit('container engines need Linux');
  if (process.getuid?.() !== 0) throw new MachineUnfit('container engines for tests need root');
  const script = `exec 9>"$1" && flock 9 && shift && exec "$@"`;
  const lock = path.join(toolCache(), 'engines.lock');
  const alone = (command: readonly string[]) => run('sh', ['-c', script, 'sh', lock, ...command]);
  const missing = [...new Set(Object.keys(PROGRAMS).filter((file) => !existsSync(file)))];
  if (missing.length > 0) await install([...new Set(missing.map((file) => PROGRAMS[file] as string))], alone);
  return engineUser(alone);
}

type Alone = (command: readonly string[]) => Promise<unknown>;

async function install(packages: readonly string[], alone: Alone): Promise<void> {
  if (!existsSync('/usr/bin/apt-get')) throw new MachineUnfit(`container engines need ${packages.join(', ')}`);
  const ours = !existsSync(SERVICE_POLICY);
  if (ours) await writeFile(SERVICE_POLICY, NO_SERVICE, { mode: 0o755 });
  try {
    const apt = 'DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300';
    const script = `${apt} update && ${apt} install -y --no-install-recommends ${packages.join(' ')}`;
    await alone(['sh', '-c', script]);
  } catch (cause) {
    throw new MachineUnfit(`cannot install ${packages.join(', ')}`, { cause });
  } finally {
    if (ours) await rm(SERVICE_POLICY, { force: true });
  }
}

async function engineUser(alone: Alone): Promise<EngineUser> {
  const known = await run('id', ['-u', USER]).catch(() => undefined);
  if (known === undefined) {
    const make = `id -u ${USER} || useradd --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin ${USER}`;
    await alone(['sh', '-c', make]);
  }
  const ids = await run('sh', ['-c', `id -u ${USER}; id -g ${USER}; grep '^${USER}:' /etc/subuid | cut -d: -f2`]);
  const [uid, gid, firstSubordinate] = ids.stdout.trim().split('\n').map(Number);
  if (uid === undefined || gid === undefined || !firstSubordinate) {
    throw new MachineUnfit(`user ${USER} has no subordinate ids in /etc/subuid`);
  }
  return { name: USER, uid, gid, firstSubordinate };
}
