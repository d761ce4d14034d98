import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { extname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ChildRegistry } from '@weir/kernel';
import type { PinnedInput } from '@weir/plugin-datasets/contract';
import { openStore, type PinnedRows, type StoreOptions, tableFiles } from '@weir/plugin-datasets/stage';
import { boundedChild } from '@weir/processes';
import { inParallel, type WorkFolders } from '@weir/work';
import type { MapAnswer, MapQuestion } from '../../model/sync/map-question.ts';
import type { MappedLine, Mapping } from '../../model/sync/mapping.ts';
import type { MappedTable } from '../../model/sync/run-sync.ts';

const PROGRAM = fileURLToPath(new URL(`../../child/map-child${extname(import.meta.url)}`, import.meta.url));
const MAX_HEAP_MIB = 256;
/** What the program holds beside DuckDB. */
const PROGRAM_MIB = 256;
/** What a process of a mapping may take. */
export const MAP_MIB = 1_024;
const THREADS = 2;
const DEADLINE_MS = 3_600_000;

export interface MapDeps {
  children: ChildRegistry;
  folders: WorkFolders;
}

/** Maps some rows in a bounded process, and has work done with the result. Throws `ChildFailed`. */
export async function withMapped<T>(
  { children, folders }: MapDeps,
  { mapping, pin, rows, signal }: { mapping: Mapping; pin: PinnedInput; rows: object; signal: AbortSignal },
  work: (mapped: MappedTable) => Promise<T>,
): Promise<T> {
  const scratch = await folders.make(`map-${randomUUID()}`);
  const files = await localFiles(pin.store as StoreOptions, rows as PinnedRows);
  const lines = join(scratch, 'lines.json');
  const question: MapQuestion = {
    mapping,
    rows: rows as PinnedRows,
    paths: files.paths,
    scratch,
    lines,
    threads: THREADS,
    memoryLimit: `${MAP_MIB - PROGRAM_MIB}MiB`,
    deadlineMs: DEADLINE_MS,
  };
  try {
    const program = { file: PROGRAM, maxHeapMiB: MAX_HEAP_MIB, memoryMiB: MAP_MIB, deadlineMs: DEADLINE_MS };
    const noted = {
      started: (pid: number) => children.started({ name: 'map', pid, parent: process.pid }),
      ended: (pid: number) => children.ended(pid),
    };
    const answer = (await boundedChild({ ...program, ...noted, signal }, question)) as MapAnswer;
    return await work({ ...answer, lines: () => linesOf(lines) });
  } finally {
    await files.close();
    await folders.remove(scratch);
  }
}

async function* linesOf(file: string): AsyncIterable<{ line: MappedLine; bytes: number }> {
  for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY }))
    yield { line: JSON.parse(text) as MappedLine, bytes: Buffer.byteLength(text) };
}

/** Brings the files of a table, and of its deletes, to this machine. */
async function localFiles(options: StoreOptions, { files, table }: PinnedRows) {
  const store = openStore(options);
  const io = table.location === undefined ? store : tableFiles(store, { location: table.location });
  const held: { release(): void }[] = [];
  const paths = new Map<string, string>();
  const close = async () => {
    for (const one of held) one.release();
    await store.close();
  };
  const locations = new Set(files.flatMap((file) => [file, ...file.deletes]).map(({ location }) => location));
  try {
    await inParallel([...locations], async (location) => {
      const file = await io.materialize(location);
      held.push(file);
      paths.set(location, file.path);
    });
    return { paths, close };
  } catch (error) {
    await close();
    throw error;
  }
}
