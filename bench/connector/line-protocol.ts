import { copyFile, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { READER_FLAGS } from '@weir/connector-runtime';
import { programImage } from '../../test/engines/index.ts';
import type { BenchCase, BenchOptions } from '../bench-result.ts';
import {
  type BenchEngine,
  COUNTED_IN_CONTAINER,
  inContainer,
  withBenchEngine,
  withEngine,
} from '../engine/bench-engine.ts';
import { freshFolder, lineFile } from '../lines/line-file.ts';
import { type Command, type Measured, measuredRun } from '../measure/measured-run.ts';
import { inTurn, pairing } from '../measure/paired.ts';
import { REPLAY_IMAGE } from '../replay/image.ts';

const RUNS = 5;
const ROWS = 2_000_000;
const QUICK_ROWS = 200_000;
const LEAST_RATIO = 0.8;
const LANE = fileURLToPath(new URL('../write/json-lane.ts', import.meta.url));
const NODE_FLAGS = ['--conditions=@weir/source', '--disable-warning=ExperimentalWarning', ...READER_FLAGS];
const REPLAY = fileURLToPath(new URL('../replay/main.ts', import.meta.url));
const FILE_IN_IMAGE = '/lines.jsonl';
const NOTE =
  'The same protocol lines through the same router, spool and stager; MiB are those of the reading process and what is below it. The other side is read from the file.';
const AS_PROCESS =
  'Ours: printed by a connector that the runtime has started, whose own processor time is not counted.';
const IN_CONTAINER =
  'Ours: printed by a connector in a container, whose own processor time is not counted; that of the engine, which copies every byte from the container to us, is.';

/** How the connector of a lane is started. */
interface Printer {
  case: string;
  note: string;
  /** What the lane is told behind its kind and its folder. */
  words: readonly string[];
  engine?: BenchEngine;
}

/** What it costs that lines come from another process: rows per processor second beside those of lines in a file. */
export async function lineProtocol(options: BenchOptions): Promise<BenchCase> {
  const { file } = await linesOf(options);
  return compared(options, { case: 'line_protocol', note: AS_PROCESS, words: [file] });
}

/** The same of lines that come from a container. */
export async function lineProtocolInContainer(options: BenchOptions): Promise<BenchCase> {
  const { file } = await linesOf(options);
  const image = { name: REPLAY_IMAGE, entry: REPLAY, root: withFile(file) };
  return withBenchEngine(
    (engine) => programImage(engine, image),
    (engine) => {
      const words = [FILE_IN_IMAGE, engine.engine.socketPath, engine.workspace];
      const note = `${IN_CONTAINER} ${COUNTED_IN_CONTAINER}`;
      return compared(options, { case: inContainer('line_protocol'), note, words, engine });
    },
  );
}

async function linesOf({ quick, rows: wanted }: BenchOptions): Promise<{ rows: number; file: string }> {
  const rows = wanted ?? (quick ? QUICK_ROWS : ROWS);
  return { rows, file: await lineFile('narrow', rows) };
}

function withFile(file: string): (folder: string) => Promise<void> {
  return async (folder) => {
    await mkdir(folder, { recursive: true });
    await copyFile(file, path.join(folder, FILE_IN_IMAGE));
  };
}

async function compared(options: BenchOptions, { case: name, note, words, engine }: Printer): Promise<BenchCase> {
  const { quick } = options;
  const { rows, file } = await linesOf(options);
  const folder = await freshFolder('protocol');
  const lane = [process.execPath, ...NODE_FLAGS, LANE, 'narrow', folder];
  const printed: Command = { command: lane[0] ?? '', args: [...lane.slice(1), ...words] };
  const read: Command = { command: 'sh', args: ['-c', 'file=$1; shift; exec "$@" < "$file"', 'lane', file, ...lane] };
  const sides = [() => laneRun(printed, engine), () => laneRun(read)];
  const [own = [], other = []] = await inTurn(quick ? 1 : RUNS, sides).finally(() =>
    rm(folder, { recursive: true, force: true }),
  );
  const { ours, theirs, ...ratios } = pairing(
    [{ name: 'lines of a connector', rows }, own],
    [{ name: 'lines of a file', rows }, other],
  );
  return {
    ...{ case: name, note: `${NOTE} ${note}`, ...ours, ...ratios, peer: { ...theirs, name: 'from a file' } },
    bars: (['ratio', 'ratio_without_engine'] as const)
      .filter((figure) => ratios[figure] !== undefined)
      .map((figure) => ({ figure, least: LEAST_RATIO })),
  };
}

/** A run of the lane, with the processor time that its own process tells, and what an engine used itself meanwhile. */
async function laneRun(command: Command, engine?: BenchEngine): Promise<Measured> {
  const used = engine?.usedSince();
  const measured = await measuredRun(command);
  const { cpu_s } = JSON.parse(measured.stdout) as { cpu_s: number };
  return { ...measured, cpu_s, ...(used && withEngine(cpu_s, { ...used(), containers_s: 0 })) };
}
