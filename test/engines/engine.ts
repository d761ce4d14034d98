import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type ImageConfig, type ImageTar, importImage } from '@weir/connector-images/proof';
import type { EngineUser } from './packages.ts';
import { pushImage, REGISTRY } from './registry.ts';

const run = promisify(execFile);

export type EngineKind = 'rootless' | 'rootful';

/** An engine that somebody started: what a test needs to use it. */
export type Engine = {
  readonly kind: EngineKind;
  /** `docker.sock` in a folder of its own, mode 0660, in the group of this process. */
  readonly socketPath: string;
  /** A tmpfs of 512 MiB without exec, suid and devices, owned by this process; nothing else is in it. */
  readonly workspaceRoot: string;
  /** The group that is group 0 inside of containers: what it may read outside, a container with `GroupAdd: ['0']` may. */
  readonly inputGroup: number;
  /** As who the daemon runs (rootless) or whose subordinate ids containers have (rootful). */
  readonly user: EngineUser;
  /** The registry in the daemon's own network, as image references name it. */
  readonly registry: string;
  readonly logFile: string;
  /** Imports one layer as `name` (`repository:tag`); gives the image's id. */
  readonly importImage: (name: string, tar: ImageTar, config?: ImageConfig) => Promise<string>;
  /** Puts an image into the registry, as `latest` of `repository`; gives its reference by digest, for pulls. */
  readonly pushImage: (image: string, repository: string) => Promise<string>;
};

/** The folder of one engine and where things are in it. */
export type EngineFolder = {
  readonly folder: string;
  readonly socketDir: string;
  readonly socketPath: string;
  readonly data: string;
  readonly run: string;
  readonly exec: string;
  readonly pidFile: string;
  readonly workspaceRoot: string;
  readonly logFile: string;
  readonly configFile: string;
};

const WORKSPACE_MIB = 512;

const placesIn = (folder: string): EngineFolder => ({
  folder,
  socketDir: path.join(folder, 'socket'),
  socketPath: path.join(folder, 'socket', 'docker.sock'),
  data: path.join(folder, 'data'),
  run: path.join(folder, 'run'),
  exec: path.join(folder, 'run', 'exec'),
  pidFile: path.join(folder, 'run', 'docker.pid'),
  workspaceRoot: path.join(folder, 'work'),
  logFile: path.join(folder, 'dockerd.log'),
  configFile: path.join(folder, 'daemon.json'),
});

/** Makes the folder of an engine whose daemon runs as `owner`, with a workspace that lies in memory. */
export async function makeFolder(owner: { uid: number; gid: number }, inputGroup: number): Promise<EngineFolder> {
  const places = placesIn(await mkdtemp(path.join(tmpdir(), 'weir-engine-')));
  await chmod(places.folder, 0o711);
  for (const folder of [places.data, places.run, places.socketDir, places.workspaceRoot]) await mkdir(folder);
  await writeFile(places.configFile, '{}\n');
  // The daemon gives its socket a group that it can map; on a folder with the set-group-id bit it would fail.
  await chown(places.socketDir, owner.uid, process.getgid?.() ?? 0);
  await chmod(places.socketDir, 0o750);
  await chown(places.data, owner.uid, owner.gid);
  await chmod(places.data, 0o711);
  await chown(places.run, owner.uid, owner.gid);
  await chmod(places.run, 0o700);
  const options = `size=${WORKSPACE_MIB}m,mode=0711,uid=${process.getuid?.() ?? 0},gid=${inputGroup}`;
  const flags = `${options},noexec,nosuid,nodev`;
  await run('mount', ['-t', 'tmpfs', '-o', flags, 'weir-engine', places.workspaceRoot]);
  return places;
}

/** Takes the folder away, and the workspace that is mounted in it. */
export async function removeFolder({ folder, workspaceRoot }: EngineFolder): Promise<void> {
  await run('umount', ['--lazy', workspaceRoot]).catch(() => undefined);
  await rm(folder, { recursive: true, force: true });
}

/** What the unit's privileged step does after every start: the socket belongs to the group of those who may use it. */
export async function openSocket({ socketPath }: EngineFolder, owner: number): Promise<void> {
  await chown(socketPath, owner, process.getgid?.() ?? 0);
  await chmod(socketPath, 0o660);
}

/** What is written beside an engine for those who find it by its socket. */
type EngineFacts = Pick<Engine, 'kind' | 'inputGroup' | 'user'>;

const factsFile = (places: EngineFolder) => path.join(places.folder, 'engine.json');

/** Tells those who will find the engine by its socket what it is, and gives it as tests see it. */
export async function announceEngine(places: EngineFolder, facts: EngineFacts): Promise<Engine> {
  await writeFile(factsFile(places), JSON.stringify(facts));
  return engineOf(places, facts);
}

/** The engine that somebody started with this socket. */
export async function engineIn(socketPath: string): Promise<Engine> {
  const places = placesIn(path.resolve(socketPath, '..', '..'));
  return engineOf(places, JSON.parse(await readFile(factsFile(places), 'utf8')) as EngineFacts);
}

function engineOf({ socketPath, workspaceRoot, logFile }: EngineFolder, facts: EngineFacts): Engine {
  return {
    ...facts,
    socketPath,
    workspaceRoot,
    registry: REGISTRY,
    logFile,
    importImage: (name, tar, config) => importImage(socketPath, name, tar, config),
    pushImage: (image, repository) => pushImage(socketPath, image, repository),
  };
}
