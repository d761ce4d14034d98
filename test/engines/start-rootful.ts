import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { supervise } from '@weir/embedded';
import { daemonOf } from './daemon.ts';
import { announceEngine, makeFolder, removeFolder } from './engine.ts';
import { endCgroups, endNamespace, namespaceOf, untilApart } from './leftovers.ts';
import { prepareMachine } from './packages.ts';
import type { OwnEngine } from './start-rootless.ts';

const run = promisify(execFile);
const SHUTDOWN_S = '5';

/**
 * Starts a rootful engine with user namespaces, unless `remap` is false, in a network of its own: limits hold on any machine, and nothing of the
 * host's network is touched or reached. A process that does nothing holds the network and the mounts, so that both
 * outlive a daemon that is started again, and end with `stop`.
 */
export async function startRootful({ remap = true }: { readonly remap?: boolean } = {}): Promise<OwnEngine> {
  const user = await prepareMachine();
  const inputGroup = user.firstSubordinate;
  const places = await makeFolder({ uid: 0, gid: 0 }, inputGroup);
  const cgroup = path.basename(places.folder);
  const holder = await supervise({
    name: 'the network of the container engine',
    command: 'unshare',
    args: ['--net', '--mount', '--propagation', 'slave', 'sleep', 'infinity'],
    logFile: path.join(places.folder, 'holder.log'),
  });
  const enter = [`--net=/proc/${holder.pid}/ns/net`, `--mount=/proc/${holder.pid}/ns/mnt`];
  const daemon = daemonOf(places, {
    command: 'nsenter',
    args: [
      ...[...enter, 'dockerd', '-H', `unix://${places.socketPath}`, '--group', '0'],
      ...(remap ? ['--userns-remap', user.name] : []),
      ...['--data-root', places.data, '--exec-root', places.exec, '-p', places.pidFile],
      ...['--config-file', places.configFile, '--shutdown-timeout', SHUTDOWN_S, '--cgroup-parent', `/${cgroup}`],
    ],
    // Its containerd leaves its stacks there when it is slow to end.
    env: { ...process.env, TMPDIR: places.folder },
    socketOwner: 0,
    seen: async () => undefined,
  });
  const stop = async () => {
    await daemon.stop();
    await endCgroups(cgroup);
    const name = await namespaceOf(holder.pid, 'net');
    if (name !== undefined && name !== (await namespaceOf(process.pid, 'net'))) await endNamespace('net', name);
    await holder.stop('SIGKILL');
    await removeFolder(places);
  };
  try {
    await untilApart(holder.pid, ['net', 'mnt']);
    await run('nsenter', [...enter, 'ip', 'link', 'set', 'lo', 'up']);
    await daemon.start();
  } catch (fault) {
    await stop();
    throw fault;
  }
  return { ...(await announceEngine(places, { kind: 'rootful', inputGroup, user })), daemon, stop };
}
