import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startWorker } from '../../test/worker-process.ts';
import type { BenchCase, BenchOptions } from '../bench-result.ts';
import {
  type BenchEngine,
  COUNTED_IN_CONTAINER,
  inContainer,
  MIB_IN_CONTAINER,
  withBenchEngine,
} from '../engine/bench-engine.ts';
import { freshFolder } from '../lines/line-file.ts';
import { type Command, measuredRun } from '../measure/measured-run.ts';
import { inTurn, median, pairing, type Run, withoutEngine } from '../measure/paired.ts';
import { peerProgram } from '../peers/python-env.ts';
import { withPlatform } from '../platform-process.ts';
import { measuredSync, type NewSource, readySource } from '../sync/sync.ts';
import { pythonPeer } from '../write/contenders.ts';
import { FAKER, fakerImages, fakerToNothing } from './stock-container.ts';
import { configuredCatalog } from './stock-streams.ts';

const RUNS = 3;
const PEOPLE = 200_000;
const QUICK_PEOPLE = 20_000;
const MOST_SHARE = 1.1;
/** A connector that is faster than this by itself is none of those that the bar is about. */
const MOST_ROWS_PER_CPU_S = 20_000;
const MAX_CATALOG_BYTES = 16 * 1024 * 1024;
const PLATFORM = fileURLToPath(new URL('../platform.json', import.meta.url));
const NOTE =
  'A published Python connector (source-faker 7.2.1, all of its streams), unmodified. Ours: a whole sync into committed tables, with worker, sync process and connector.';
const AS_PROCESS =
  'The other side: the same command writing to /dev/null. `share` is our processor time by that of the connector alone.';
const BESIDE_PYAIRBYTE =
  'The other side: PyAirbyte 0.71 with the same connector, all of its streams in one read into its own DuckDB file.';
const IN_CONTAINER =
  'The other side: the same image with the same flags in the same engine, its output sent to /dev/null by a shell inside. `share` is our processor time by that of the connector alone, on both sides with the engine; `share_without_engine` is what worker, sync process and connector use by what the connector alone does.';

/** How both sides run the connector. */
interface Way {
  case: string;
  note: string;
  environment: Record<string, string>;
  body: NewSource['body'];
  /** A run of the other side: of the connector that nobody reads, or of a peer that reads it. */
  other: () => Promise<Run>;
  engine?: BenchEngine;
}

/** What both sides cost whose runs were made in turn, and how many rows each takes. */
interface Compared {
  rows: number;
  own: Run[];
  other: Run[];
}

/** What a connector that others made costs in a sync, beside the same one writing to nothing. */
export async function stockConnector(options: BenchOptions): Promise<BenchCase> {
  return asProcess(options, async (program, config, folder) => {
    const command = await toNothing(program, config, folder);
    const way = processWay('stock_connector', `${NOTE} ${AS_PROCESS}`, program, config, command);
    return besideNothing(way, await compared(options, way));
  });
}

/** The same connector in a sync of ours and in PyAirbyte. */
export async function stockConnectorVsPyAirbyte(options: BenchOptions): Promise<BenchCase> {
  return asProcess(options, async (program, config, folder) => {
    // PyAirbyte starts one file, without arguments of its own.
    const starter = path.join(folder, 'source-faker');
    await writeFile(starter, `#!/bin/sh\nexec '${program.join("' '")}' "$@"\n`, { mode: 0o755 });
    const words = ['airbyte-connector', starter, JSON.stringify(config)];
    const { run } = await pythonPeer('airbyte', words, config.count);
    const way = processWay('stock_connector_vs_pyairbyte', `${NOTE} ${BESIDE_PYAIRBYTE}`, program, config, run);
    const { rows, own, other } = await compared(options, way);
    const { ours, theirs, ...ratios } = pairing([{ name: 'in Weir', rows }, own], [{ name: 'PyAirbyte', rows }, other]);
    return { case: way.case, note: way.note, ...ours, ...ratios, peer: { ...theirs, name: 'PyAirbyte' } };
  });
}

/** The connector's program in an environment of its own, and a folder for the time of a comparison. */
async function asProcess(
  options: BenchOptions,
  compare: (program: string[], config: ReturnType<typeof configOf>, folder: string) => Promise<BenchCase>,
): Promise<BenchCase> {
  const folder = await freshFolder('stock');
  try {
    const python = await peerProgram('faker');
    return await compare([python, path.join(path.dirname(python), 'source-faker')], configOf(options), folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function processWay(name: string, note: string, program: readonly string[], config: object, command: Command): Way {
  return {
    ...{ case: name, note, environment: { WEIR_PLATFORM: PLATFORM } },
    body: { name: 'faker', pattern_id: 'stock', source_config: { program, config: JSON.stringify(config) } },
    other: () => measuredRun(command),
  };
}

/** The same with the connector in a container on both sides. */
export async function stockConnectorInContainer(options: BenchOptions): Promise<BenchCase> {
  return withBenchEngine(fakerImages, async (engine) => {
    const config = configOf(options);
    const way: Way = {
      case: inContainer('stock_connector'),
      note: `${NOTE} ${IN_CONTAINER} ${COUNTED_IN_CONTAINER} ${MIB_IN_CONTAINER}`,
      environment: engine.environment,
      body: { name: 'faker', pattern_id: FAKER, source_config: config },
      other: await fakerToNothing(engine, config),
      engine,
    };
    return besideNothing(way, await compared(options, way));
  });
}

function configOf({ quick, rows }: BenchOptions) {
  const count = rows ?? (quick ? QUICK_PEOPLE : PEOPLE);
  return { count, seed: 1, parallelism: 1, always_updated: false, records_per_slice: 1_000 };
}

async function compared(
  { quick }: BenchOptions,
  { environment, body, other: runOther, engine }: Way,
): Promise<Compared> {
  return withPlatform(async (platform, t) => {
    const worker = await startWorker(t, platform.environment);
    const change = { enabled: true, sync_mode: 'full_refresh', write_mode: 'overwrite' } as const;
    const source = await readySource(platform, { body, change });
    let rows = 0;
    const runOwn = async () => {
      const { written, ...use } = await measuredSync(platform, source, { worker: worker.pid, engine });
      rows = written;
      return use;
    };
    const [own = [], other = []] = await inTurn<Run>(quick ? 1 : RUNS, [runOwn, runOther]);
    return { rows, own, other };
  }, environment);
}

/** What a sync costs more than the connector by itself. */
function besideNothing({ case: name, note, engine }: Way, { rows, own, other }: Compared): BenchCase {
  const { ours, theirs, ...ratios } = pairing([{ name: 'in Weir', rows }, own], [{ name: 'to nothing', rows }, other]);
  const shareBy = (seconds: (run: Run) => number) =>
    median(own.flatMap((run, at) => (other[at] === undefined ? [] : [seconds(run) / seconds(other[at])])));
  return {
    ...{ case: name, note, ...ours, ...ratios, peer: { ...theirs, name: 'to /dev/null' } },
    share: shareBy(({ cpu_s }) => cpu_s),
    ...(engine === undefined ? {} : { share_without_engine: shareBy(withoutEngine) }),
    alone_rows_per_cpu_s: theirs.rows_per_cpu_s,
    bars: [
      { figure: 'share', most: MOST_SHARE },
      ...(engine === undefined ? [] : [{ figure: 'share_without_engine', most: MOST_SHARE }]),
      { figure: 'alone_rows_per_cpu_s', most: MOST_ROWS_PER_CPU_S },
    ],
  };
}

/** The connector's own command for all that it discovers, its rows thrown away. */
async function toNothing(program: readonly string[], config: object, folder: string): Promise<Command> {
  const [configFile, catalogFile] = [path.join(folder, 'config.json'), path.join(folder, 'catalog.json')];
  await writeFile(configFile, JSON.stringify(config));
  const options = { maxBuffer: MAX_CATALOG_BYTES };
  const [python = '', ...script] = program;
  const { stdout } = await promisify(execFile)(python, [...script, 'discover', '--config', configFile], options);
  await writeFile(catalogFile, configuredCatalog(stdout));
  const read = ['read', '--config', configFile, '--catalog', catalogFile];
  return { command: 'sh', args: ['-c', 'exec "$@" > /dev/null', 'alone', ...program, ...read] };
}
