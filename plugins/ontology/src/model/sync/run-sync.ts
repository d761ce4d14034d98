import type { MapAnswer } from './map-question.ts';
import type { MappedLine } from './mapping.ts';
import { rangesOf, type SyncRange } from './range.ts';
import type { SyncMode } from './words.ts';

/** A mapped table: what its rows are, and its entities in the order of their keys. */
export interface MappedTable extends MapAnswer {
  lines(): AsyncIterable<{ line: MappedLine; bytes: number }>;
}

/** What a run does to the world: each call takes place once, or is refused, however often it is made. */
export interface SyncPorts {
  /** Throws where the tenant may not sync any more. */
  assertAllowed(): Promise<void>;
  /** Pins and holds the table, and decides; a run decides once. */
  plan(): Promise<{ mode: SyncMode }>;
  /** An append that finds its keys claimed reads the whole table instead. */
  becomeDiff(): Promise<void>;
  /** Maps the rows that came, or all rows. */
  withMapped<T>(of: 'added' | 'all', work: (mapped: MappedTable) => Promise<T>): Promise<T>;
  /** Throws where keys are missing or doubled, and the backing dataset says that a run fails so. */
  noteRead(found: MapAnswer): Promise<void>;
  /** Whether the backing dataset claimed one of the keys before this run. */
  areClaimed(keys: readonly string[]): Promise<boolean>;
  /** Brings the entities of some keys in step. A part that was taken is not taken again. */
  takeRange(range: SyncRange, mode: SyncMode): Promise<void>;
  /** Throws where more rows were rejected than the backing dataset allows. */
  assertAccepted(): Promise<void>;
  /** Ends claims on entities of types that were filled before, as far as one chunk goes; false when none is left. */
  endFormer(): Promise<boolean>;
  /** The same for claims that the run has not seen. */
  endUnseen(): Promise<boolean>;
}

/** Chunks after which it is asked again whether the tenant may sync. */
const ASKED_EVERY = 10;

/** Brings the entities of a backing dataset in step with its table. May be carried out more than once, by one at a time. */
export async function runSync(ports: SyncPorts): Promise<'applied' | 'skipped'> {
  await ports.assertAllowed();
  let { mode } = await ports.plan();
  if (mode === 'skip') return 'skipped';
  if (mode === 'append') {
    if (await ports.withMapped('added', (mapped) => appended(ports, mapped))) return 'applied';
    await ports.becomeDiff();
    mode = 'diff';
  }
  await endAll(ports, ports.endFormer);
  await ports.withMapped('all', (mapped) => brought(ports, mapped, mode));
  await ports.assertAccepted();
  await endAll(ports, ports.endUnseen);
  return 'applied';
}

async function endAll(ports: SyncPorts, end: () => Promise<boolean>): Promise<void> {
  for (let ended = 1; await end(); ended += 1) if (ended % ASKED_EVERY === 0) await ports.assertAllowed();
}

/** Adds the entities of new rows; false, and nothing is written, where one of them is claimed. */
async function appended(ports: SyncPorts, mapped: MappedTable): Promise<boolean> {
  await ports.noteRead(mapped);
  for await (const { lines } of rangesOf(mapped.lines()))
    if (await ports.areClaimed(lines.map(({ k }) => k))) return false;
  await takeAll(ports, mapped, 'append');
  await ports.assertAccepted();
  return true;
}

async function brought(ports: SyncPorts, mapped: MappedTable, mode: SyncMode): Promise<void> {
  await ports.noteRead(mapped);
  await takeAll(ports, mapped, mode);
}

async function takeAll(ports: SyncPorts, mapped: MappedTable, mode: SyncMode): Promise<void> {
  for await (const range of rangesOf(mapped.lines())) {
    if (range.seq > 0 && range.seq % ASKED_EVERY === 0) await ports.assertAllowed();
    await ports.takeRange(range, mode);
  }
}
