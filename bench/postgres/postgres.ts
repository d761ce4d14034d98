import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { connectorImage } from '../../test/engines/index.ts';
import { startWorker } from '../../test/worker-process.ts';
import type { BenchCase, BenchOptions, BenchResult } from '../bench-result.ts';
import {
  type BenchEngine,
  COUNTED_IN_CONTAINER,
  inContainer,
  MIB_IN_CONTAINER,
  withBenchEngine,
} from '../engine/bench-engine.ts';
import { freshFolder } from '../lines/line-file.ts';
import { type Command, measuredRun } from '../measure/measured-run.ts';
import { inTurn, pairing, type Run } from '../measure/paired.ts';
import { peerProgram } from '../peers/python-env.ts';
import { withPlatform } from '../platform-process.ts';
import { measuredSync, type NewSource, readySource } from '../sync/sync.ts';
import { makePeople, TABLE } from './people-table.ts';
import { type SourceServer, withSourceInNetwork } from './source-in-network.ts';

const RUNS = 5;
const ROWS = 2_000_000;
const QUICK_ROWS = 200_000;
const PLATFORM = fileURLToPath(new URL('platform.json', import.meta.url));
const AS_PROCESS = 'Our connector runs as a process here, as in development.';
const IN_CONTAINER =
  'Our connector runs in a container, from its image. The server is in the network of the engine, and the others are run in that network too, as processes.';
const LOAD = fileURLToPath(new URL('load_postgres.py', import.meta.url));

type Peer = { name: string; least: number; note: string; command: (url: string, folder: string) => Promise<Command> };

const PEERS: readonly Peer[] = [
  {
    name: 'dlt',
    least: 3.5,
    note: 'A whole sync: worker, sync process and connector, from the call that starts it to the committed Iceberg table, types judged, with marks, statistics and checksum. dlt 1.31 with connectorx, its fastest backend, into an Iceberg table of PyIceberg. The server that both read is counted on neither side. PyAirbyte is not among them: its Postgres source is a program of the JVM that comes only as an image.',
    command: async (url, folder) => ({
      command: await peerProgram('dlt-postgres'),
      args: [LOAD, url, TABLE, path.join(folder, 'run')],
      env: { RUNTIME__DLTHUB_TELEMETRY: 'false', DO_NOT_TRACK: '1' },
    }),
  },
  {
    name: 'sling',
    least: 5,
    note: 'The same sync. Sling 1.4.11 writes one plain Parquet file, by its own writer, and commits nothing.',
    command: async (url, folder) => ({
      command: await peerProgram('sling'),
      args: [
        'run',
        '--src-conn',
        `${url}?sslmode=disable`,
        '--src-stream',
        `public.${TABLE}`,
        '--tgt-object',
        `file://${path.join(folder, 'people.parquet')}`,
      ],
      env: { SLING_HOME_DIR: folder, SLING_DUCKDB_COMPUTE: 'false', SLING_DISABLE_TELEMETRY: 'true' },
    }),
  },
];

/** Where both sides read from, and how our connector runs. */
interface Place {
  server: () => Promise<SourceServer>;
  environment: Record<string, string>;
  caseName: (peer: string) => string;
  note: string;
  engine?: BenchEngine;
}

type Asked = { options: BenchOptions; rows: number; folder: string };

/**
 * From a table of Postgres to a committed Iceberg table, beside what others have for it, each run in turn; with our connector
 * as a process and in a container. PyAirbyte has no Postgres source that runs without one: the connector is a program of the
 * JVM and on no package index.
 */
export async function postgres(options: BenchOptions): Promise<BenchResult> {
  const { quick, rows: wanted, only } = options;
  const rows = wanted ?? (quick ? QUICK_ROWS : ROWS);
  const folder = await freshFolder('postgres');
  const asked = { options, rows, folder };
  try {
    const cases: BenchCase[] = [];
    if (PEERS.some(({ name }) => caseName(name).includes(only))) cases.push(...(await asProcess(asked)));
    if (PEERS.some(({ name }) => inContainer(caseName(name)).includes(only))) cases.push(...(await contained(asked)));
    return { suite: 'postgres', cases };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const caseName = (peer: string) => `postgres_to_iceberg_vs_${peer}`;

/** With the connector as a process, of a server on this machine's own loopback. */
function asProcess(asked: Asked): Promise<BenchCase[]> {
  const server = async () => {
    const url = await makePeople(process.env.WEIR_TEST_DATABASE_URL ?? '', asked.rows);
    return { url, within: (command: Command) => command };
  };
  const environment = { WEIR_PLATFORM: PLATFORM, WEIR_EGRESS_ALLOW: '127.0.0.0/8' };
  return compared(asked, { server, environment, caseName, note: AS_PROCESS });
}

/** With the connector in a container, of a server in the network of its engine, where the others are run too. */
function contained(asked: Asked): Promise<BenchCase[]> {
  return withBenchEngine(
    (engine) => connectorImage(engine, 'postgres'),
    (engine) =>
      withSourceInNetwork(engine, asked.rows, (server) => {
        const allowed = { WEIR_EGRESS_ALLOW: `${new URL(server.url).hostname}/32` };
        return compared(asked, {
          server: async () => server,
          environment: { ...allowed, ...engine.environment },
          caseName: (peer) => inContainer(caseName(peer)),
          note: `${IN_CONTAINER} ${COUNTED_IN_CONTAINER} ${MIB_IN_CONTAINER}`,
          engine,
        });
      }),
  );
}

async function compared({ options, rows, folder }: Asked, place: Place): Promise<BenchCase[]> {
  const { quick, only } = options;
  const { engine } = place;
  const peers = PEERS.filter(({ name }) => place.caseName(name).includes(only));
  const keyFile = path.join(folder, 'credential.key');
  await writeFile(keyFile, randomBytes(32), { mode: 0o400 });
  return withPlatform(
    async (platform, t) => {
      const { url, within } = await place.server();
      const worker = await startWorker(t, platform.environment);
      const sourceId = await readySource(platform, peopleSource(url));
      const [ours = [], ...theirs] = await inTurn<Run>(quick ? 1 : RUNS, [
        () => measuredSync(platform, sourceId, { worker: worker.pid, rows, engine }),
        ...peers.map((peer) => async () => measuredRun(within(await peer.command(url, folder)))),
      ]);
      return peers.map((peer, at) => caseOf(place, peer, { rows, ours, theirs: theirs[at] ?? [] }));
    },
    { WEIR_CREDENTIAL_KEY_FILE: keyFile, ...place.environment },
  );
}

function peopleSource(url: string): NewSource {
  const { hostname: host, port, username, password, pathname } = new URL(url);
  const place = { host, port: Number(port), database: pathname.slice(1), username, ssl_mode: 'disable' };
  return {
    body: { name: 'people', pattern_id: 'postgres', source_config: place, credential_values: { password } },
    change: { enabled: true, sync_mode: 'full_refresh', write_mode: 'overwrite' },
  };
}

type Runs = { rows: number; ours: Run[]; theirs: Run[] };

function caseOf(place: Place, peer: Peer, { rows, ours: own, theirs: other }: Runs): BenchCase {
  const { ours, theirs, ...ratios } = pairing([{ name: 'ours', rows }, own], [{ name: peer.name, rows }, other]);
  return {
    ...{ case: place.caseName(peer.name), note: `${peer.note} ${place.note}`, ...ours, ...ratios },
    peer: { ...theirs, name: peer.name },
    bars: [{ figure: 'ratio', least: peer.least }],
  };
}
