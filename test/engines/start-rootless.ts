import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Daemon, daemonOf } from './daemon.ts';
import { announceEngine, type Engine, makeFolder, removeFolder } from './engine.ts';
import { endNamespace, namespaceOf } from './leftovers.ts';
import { prepareMachine } from './packages.ts';

/** An engine of a test's own, whose daemon can be ended and started again. */
export type OwnEngine = Engine & { readonly daemon: Daemon; readonly stop: () => Promise<void> };

export type RootlessOptions = {
  /** The daemon's configuration file, for the tests of an operator's one. */
  readonly configuration?: Readonly<Record<string, unknown>>;
  /** More of its environment, e.g. who is told that it is ready. */
  readonly env?: NodeJS.ProcessEnv;
};

/** The program that an operator's unit runs. The engine's user may not see this checkout, so it gets a copy. */
const PROGRAM = path.resolve(import.meta.dirname, '../../deploy/connector-engine/bin/engine');
const SHUTDOWN_S = 5;

/**
 * Runs the rest in a mount namespace of its own, in which everybody may use the tunnel device, as udev has it on
 * machines with systemd; the machine's own device stays as it is.
 */
const WITH_TUNNEL = `
mkdir -p "$1/dev" && mount -t tmpfs -o mode=755,size=64k tmpfs "$1/dev" &&
mknod -m 666 "$1/dev/tun" c 10 200 && chmod 666 "$1/dev/tun" && mount --bind "$1/dev/tun" /dev/net/tun || exit 1
shift; exec "$@"`;

/**
 * Starts a rootless engine by the program of the files that an operator installs, as a user of its own that owns nothing
 * else, without the host's loopback. On a machine with cgroup v1 it enforces no limit, and says so. `stop` leaves nothing behind.
 */
export async function startRootless({ configuration = {}, env = {} }: RootlessOptions = {}): Promise<OwnEngine> {
  const user = await prepareMachine();
  const places = await makeFolder(user, user.gid);
  await mkdir(path.join(places.folder, 'dev'));
  await writeFile(places.configFile, JSON.stringify({ ...configuration, 'shutdown-timeout': SHUTDOWN_S }));
  const program = path.join(places.folder, 'engine');
  await copyFile(PROGRAM, program);
  const namespaces = new Set<string>();
  const setpriv = ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups', program];
  const daemon = daemonOf(places, {
    command: 'unshare',
    args: [
      ...['--mount', '--propagation', 'slave', 'sh', '-c', WITH_TUNNEL, 'sh', places.folder, ...setpriv],
      ...[places.socketPath, places.folder, places.configFile],
    ],
    env: {
      ...env,
      PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      HOME: places.run,
      TMPDIR: places.run,
      XDG_RUNTIME_DIR: places.run,
    },
    socketOwner: user.uid,
    async seen(pid) {
      const name = await namespaceOf(pid, 'user');
      if (name !== undefined) namespaces.add(name);
    },
  });
  const stop = async () => {
    await daemon.stop();
    for (const name of namespaces) await endNamespace('user', name);
    await removeFolder(places);
  };
  await daemon.start().catch(async (fault: unknown) => {
    await stop();
    throw fault;
  });
  return { ...(await announceEngine(places, { kind: 'rootless', inputGroup: user.gid, user })), daemon, stop };
}
