import { decodePageToken, encodePageToken, type Tenant } from '@weir/kernel';
import { type Input, MAX_PAGE_SIZE, type Output, Problem } from '@weir/kernel/contract';
import { referencedFiles, toLocation } from '@weir/lakehouse';
import { runsOfPending } from '../commit/pending-commits.ts';
import { MAX_SHOWN_FILES, type sweepStagedFiles, type TableRef } from '../contract.ts';
import { datasetId } from '../dataset/dataset-id.ts';
import { liesWithin, loadTables, type TableDeps } from '../store/table-store.ts';
import { type Decision, decide, type EntryFacts } from './decide.ts';
import { dropEndedHolds, heldFiles, heldSnapshots } from './holds.ts';
import { dueEntries, endEntry, type LedgerEntry, MAINTENANCE_RUN, setMark } from './ledger.ts';

/** Files of one folder that one sweep looks at; what is left waits for the next one. */
export const MAX_FILES_OF_ENTRY = 10_000;
const PAGE_LIST = ['datasets.sweep'];

export type SweepAnswer = Output<typeof sweepStagedFiles>;
type SweepQuery = Input<typeof sweepStagedFiles>['query'];

export interface SweepDeps extends TableDeps {
  graceHours: number;
}

type TableFacts = Pick<EntryFacts, 'table' | 'needed'>;
type FileFacts = Pick<EntryFacts, 'files' | 'more'>;

const NOTHING_NEEDED = () => false;
const NEEDS_NOTHING: TableFacts = { table: 'readable', needed: NOTHING_NEEDED };

/**
 * Judges a page of the ledger's entries and does what follows, or, in a dry run, only tells it: both run through the
 * same decisions. Nothing is looked at that is not in the ledger.
 */
export async function sweep(deps: SweepDeps, tenant: Tenant, query: SweepQuery): Promise<SweepAnswer> {
  const { entries, next, ended } = await readPage(deps, tenant, query);
  if (query.dry_run !== true) await deps.kernel.db(tenant).transaction((tx) => dropEndedHolds(deps.kernel, tx));
  // The files are listed before the tables are read: a file that a commit takes in between counts as needed.
  const listed = new Map<LedgerEntry, FileFacts | undefined>();
  for (const entry of entries) if (ended.has(entry.runId)) listed.set(entry, await filesOf(deps, entry));
  const tables = tableFacts(deps, tenant);
  const items: SweepAnswer['items'] = [];
  for (const entry of entries) {
    const found = listed.get(entry);
    const runEnded = ended.has(entry.runId);
    const facts = runEnded ? await tables(entry) : NEEDS_NOTHING;
    // A store that cannot be listed says nothing about the files.
    const table = runEnded && found === undefined ? 'unreadable' : facts.table;
    const decision = decide({ ...facts, ...(found ?? { files: [], more: false }), table, runEnded, mark: entry.mark });
    const done = query.dry_run === true ? false : await carryOut(deps, tenant, { entry, decision, found });
    items.push(itemOf(entry, decision, done));
  }
  return { dry_run: query.dry_run === true, items, next_page_token: next };
}

async function readPage({ kernel, graceHours }: SweepDeps, tenant: Tenant, query: SweepQuery) {
  const { value, id } = query.page_token === undefined ? {} : decodePageToken(PAGE_LIST, query.page_token);
  const after = typeof value === 'string' && id !== undefined ? { stagedAt: value, location: id } : undefined;
  const limit = query.limit ?? MAX_PAGE_SIZE;
  return kernel.db(tenant).transaction(async (tx) => {
    const found = await dueEntries(tx, { graceHours, after, limit: limit + 1 });
    const entries = found.slice(0, limit);
    const runs = await kernel.runs.findMany(tx, [...new Set(entries.map(({ runId }) => runId))]);
    const done = runs.filter(({ status }) => status !== 'pending' && status !== 'running').map(({ runId }) => runId);
    // A commit that waits is brought to its end by a later run, with the files that its own run has staged.
    const waiting = await runsOfPending(tx, done);
    const ended = done.filter((runId) => !waiting.has(runId));
    const last = found.length > limit ? entries.at(-1) : undefined;
    const next = last === undefined ? null : encodePageToken(PAGE_LIST, { value: last.stagedAt, id: last.location });
    return { entries, next, ended: new Set([...ended, MAINTENANCE_RUN]) };
  });
}

/** The files of an entry; undefined when its folder cannot be listed. */
async function filesOf({ io, kernel }: SweepDeps, { location, isFolder }: LedgerEntry): Promise<FileFacts | undefined> {
  if (!isFolder) return { files: [toLocation(location)], more: false };
  const files: string[] = [];
  try {
    for await (const file of io.list(location)) {
      if (files.length === MAX_FILES_OF_ENTRY) return { files, more: true };
      files.push(toLocation(file.location));
    }
    return { files: files.sort(), more: false };
  } catch (err) {
    kernel.log.warn({ err }, 'a folder of staged files cannot be listed; it is left alone');
    return undefined;
  }
}

/** What holds of tables, each asked once for a page. */
function tableFacts(
  deps: SweepDeps,
  tenant: Tenant,
): (entry: Pick<LedgerEntry, 'ref' | 'location'>) => Promise<TableFacts> {
  const known = new Map<string, Promise<TableFacts>>();
  const look = async (ref: TableRef): Promise<TableFacts> => {
    try {
      const [table] = await loadTables(deps, tenant, [ref]);
      if (table === undefined) return { table: 'missing', needed: NOTHING_NEEDED };
      const held = await deps.kernel.db(tenant).transaction((tx) => heldSnapshots(deps.kernel, tx, ref));
      const needed = (await referencedFiles(deps.io, table)).union(await heldFiles(deps, ref, held));
      return { table: 'readable', needed: (location) => needed.has(location) };
    } catch (err) {
      if (err instanceof Problem) throw err;
      deps.kernel.log.warn({ err }, 'a table cannot be read; what was staged for it is left alone');
      return { table: 'unreadable', needed: NOTHING_NEEDED };
    }
  };
  return async ({ ref, location }) => {
    if (ref === undefined) return { table: 'unnamed', needed: NOTHING_NEEDED };
    const facts = known.get(datasetId(ref)) ?? look(ref);
    known.set(datasetId(ref), facts);
    const found = await facts;
    // Its own catalog says for certain that the table was never made; what was staged for it lies in a place of its own.
    const isNeverMade = found.table === 'missing' && deps.remote === undefined;
    return isNeverMade && liesWithin(deps.warehouse, ref, location) ? NEEDS_NOTHING : found;
  };
}

/** Does what was decided; false when the store did not let it be done, and the entry waits for the next sweep. */
async function carryOut(
  { kernel, io }: SweepDeps,
  tenant: Tenant,
  { entry, decision, found }: { entry: LedgerEntry; decision: Decision; found: FileFacts | undefined },
): Promise<boolean> {
  const { location, mark } = entry;
  const { action, reason, unneeded } = decision;
  if (action === 'remove') {
    try {
      for (const file of unneeded) await io.remove(file);
    } catch (err) {
      kernel.log.warn({ err }, 'staged files could not be removed; the next sweep tries again');
      return false;
    }
  }
  const leaves = action === 'settle' || (action === 'remove' && found?.more !== true);
  const unmarks = action === 'keep' && reason !== 'marked' && mark !== 'none';
  if (!leaves && !unmarks && action !== 'mark') return true;
  await kernel.db(tenant).transaction(async (tx) => {
    if (leaves) await endEntry(tx, location);
    else await setMark(tx, location, action === 'mark');
  });
  return true;
}

function itemOf(
  entry: LedgerEntry,
  { action, reason, unneeded }: Decision,
  done: boolean,
): SweepAnswer['items'][number] {
  return {
    location: entry.location,
    run_id: entry.runId,
    dataset_id: entry.ref === undefined ? null : datasetId(entry.ref),
    staged_at: entry.stagedAt,
    ...{ action, reason, done },
    file_count: unneeded.length,
    files: unneeded.slice(0, MAX_SHOWN_FILES),
  };
}
