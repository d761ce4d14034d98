import { type ReadContext, SourceError } from '@weir/connector-sdk';
import type { Reader } from '../arrive.ts';
import { fault } from '../fault.ts';
import type { Columns } from '../file-reading.ts';
import {
  assertHeader,
  type FileEntry,
  type FilePlan,
  type FileState,
  holdsNothing,
  planFiles,
  withFile,
} from '../file-state.ts';
import { readFile } from '../read-file.ts';
import { type FileOutcome, withReadyFile } from '../ready-file.ts';
import type { FileStream, SourceFile } from '../source-file.ts';
import { type FileAccount, isOfFile, openAccount } from './file-account.ts';

/** What makes an encoding certain. */
const DECLARE = 'declare its encoding to be sure';

/**
 * Reads what is new or changed since the state, file by file in the order of their names, with a STATE after each. A file
 * that is read from its start takes the place of all rows that it gave before. One that cannot be read is left out, and the
 * stream fails behind the others.
 */
export async function readStream(
  context: ReadContext,
  streams: readonly FileStream[],
  reader: Omit<Reader, 'known'>,
): Promise<void> {
  const listed = streams.find(({ name }) => name === context.stream.stream.name);
  if (listed === undefined) throw fault('stream_unknown');
  const { files } = listed;
  const plan = planFiles(files, context.state);
  const account = openAccount(files, context.emit, isIncremental(context));
  try {
    await readPlanned({ context, reader, files, plan, account });
  } catch (error) {
    if (context.signal.aborted) throw error;
    await account.end();
    throw (isOfFile(error) ? account.failure() : undefined) ?? error;
  }
}

async function readPlanned(reading: Reading): Promise<void> {
  const { files, plan, account } = reading;
  if (plan.rows === 'unnamed') return nameRows(reading);
  const { reached, edited } = await readChanged(reading);
  const failure = account.failure();
  if (failure !== undefined) throw failure;
  if (edited.length > 0)
    await readWhole(reading, { order: [...readInOrder(files, reached, edited), ...edited], reached });
}

type Reading = {
  readonly context: ReadContext;
  readonly reader: Omit<Reader, 'known'>;
  readonly files: FileStream['files'];
  readonly plan: FilePlan;
  readonly account: FileAccount;
};

/**
 * Reads what is new or changed. Where rows are merged by key, edited files are only named: a row that such a file does not
 * have any more may stand in another one, which is read for it.
 */
async function readChanged(reading: Reading): Promise<{ reached: FileState; edited: SourceFile[] }> {
  const { context, files, plan, account } = reading;
  const { emit, signal } = context;
  const toRead = new Set(plan.toRead.map(({ file }) => file));
  await account.unchanged(files.filter((file) => !toRead.has(file)));
  const save = async (state: FileState) => {
    await emit.state(state);
    account.covered();
  };
  let reached = plan.state;
  const edited: SourceFile[] = [];
  const emptied: { readonly file: SourceFile; readonly entry: FileEntry }[] = [];
  const isKept = (known: FileEntry | undefined) => isMerged(context) && plan.rows === 'named' && known !== undefined;
  await noteGone(reading);
  if (plan.gone.length > 0) await emit.state(reached);
  for (const { file, known } of plan.toRead) {
    signal.throwIfAborted();
    const one = { file, known, isKept: isKept(known), replaces: !isMerged(context) };
    const outcome = await readOne(reading, { ...one, isTogether: !isIncremental(context) });
    if (outcome === undefined) continue;
    if (outcome.result === 'edited' || (outcome.isEmptied && isKept(known))) edited.push(file);
    else if (outcome.isEmptied) emptied.push({ file, entry: outcome.entry });
    else {
      reached = withFile(reached, file, outcome.entry);
      await (outcome.result === undefined ? account.unchanged([file]) : account.read(file));
      await save(reached);
    }
  }
  const end = emptied.reduce((state, { file, entry }) => withFile(state, file, entry), reached);
  if (edited.length === 0) assertHeader(files, (file) => holdsNothing(end, file));
  // Rows go only now: a stream of nothing but empty files keeps those that it has.
  for (const { file } of isMerged(context) ? [] : emptied) await replace(reading, file);
  for (const { file } of emptied) await account.read(file);
  if (emptied.length > 0) await save(end);
  return { reached: end, edited };
}

/** Reads all files from their starts, with one STATE behind them: the new rows come together, or none of them does. */
async function readWhole(
  reading: Reading,
  { order, reached }: { order: readonly SourceFile[]; reached: FileState },
): Promise<void> {
  const { context, files, account } = reading;
  let end = reached;
  for (const file of order) {
    context.signal.throwIfAborted();
    const outcome = await readOne(reading, { file, known: undefined, isKept: false, replaces: true, isTogether: true });
    if (outcome === undefined) continue;
    if (outcome.isEmptied) await replace(reading, file);
    await account.read(file);
    end = withFile(end, file, outcome.entry);
  }
  assertHeader(files, (file) => holdsNothing(end, file));
  await context.emit.state(end);
  account.covered();
}

/**
 * Reads all files again where the rows of the table do not have the names of their files yet. Rows of a file that is gone
 * could not come again; those that are merged by key need not.
 */
async function nameRows(reading: Reading): Promise<void> {
  const { context, files, plan } = reading;
  const [missing] = plan.gone;
  if (!isMerged(context)) {
    if (missing !== undefined) throw fault('rows_unnamed', missing);
    await context.emit.replaceFile(null);
  }
  await noteGone(reading);
  const message = 'All files are read again, once: the rows of the table have no names of files yet';
  await context.emit.log('INFO', message);
  await readWhole(reading, { order: readInOrder(files, plan.state, []), reached: plan.state });
}

type One = {
  readonly file: SourceFile;
  readonly known: FileEntry | undefined;
  /** Whether a file that was edited is left as it is for now. */
  readonly isKept: boolean;
  /** Whether rows of before go when it is read from its start. */
  readonly replaces: boolean;
};

/**
 * Reads a file; undefined for one that cannot be read, and is left out. The stream ends there where rows of the file are on
 * their way, as they cannot be taken back, where files count together or not at all, and where another attempt may help.
 */
async function readOne(
  reading: Reading,
  one: One & { readonly isTogether: boolean },
): Promise<FileOutcome<'read' | 'edited'> | undefined> {
  const { context, account } = reading;
  const sent: Sent = { hasRows: false };
  try {
    return await sendRows(reading, one, sent);
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof SourceError) await account.leftOut(one.file, error);
    if (isOfFile(error) && !sent.hasRows && !one.isTogether) return undefined;
    throw error;
  }
}

type Sent = { hasRows: boolean };

/** The rows that a file gave before go with its first new one, or at its end: one that cannot be read keeps them. */
async function sendRows(
  reading: Reading,
  { file, known, isKept, replaces }: One,
  sent: Sent,
): Promise<FileOutcome<'read' | 'edited'>> {
  const { context, reader } = reading;
  const { stream, emit, emittedAt, signal } = context;
  const { lines, segment, lineFile, log } = emit;
  const from = { file: file.key };
  return withReadyFile(file, { ...reader, known }, async (ready) => {
    if (!ready.isRest && isKept) return 'edited';
    if (ready.isGuessed) await log('WARN', `${file.name} is no UTF-8 and is read as Windows-1252: ${DECLARE}`);
    let isReplaced = ready.isRest || !replaces;
    const begin = async () => {
      sent.hasRows = true;
      if (!isReplaced) await replace(reading, file);
      isReplaced = true;
    };
    await readFile(ready, {
      stream: { name: stream.stream.name },
      columns: (stream.stream.json_schema.properties ?? {}) as Columns,
      ...{ emittedAt, log, signal, from },
      onLines: (bytes, count) => begin().then(() => lines(bytes, count)),
      segment: segment && ((write) => begin().then(() => segment(write, from))),
      lineFile: lineFile && ((write) => begin().then(() => lineFile(write, from))),
    });
    if (!isReplaced) await replace(reading, file);
    return 'read';
  });
}

/** Says which files are gone, once: the next state does not know them any more. */
async function noteGone({ context: { emit }, plan }: Reading): Promise<void> {
  const [first, ...others] = plan.gone;
  if (first === undefined) return;
  const names = others.length === 0 ? `${first} is` : `${first} and ${others.length} more files are`;
  await emit.log('WARN', `${names} gone: the rows stay`);
  await emit.note({ kind: 'file_gone', count: plan.gone.length, file: first });
}

/** Has the rows of a file replaced. In a full refresh, and before anything was read, no rows of it are looked for. */
async function replace({ context, plan }: Reading, { key }: SourceFile): Promise<void> {
  const isKnown = plan.rows !== 'none' && isIncremental(context);
  if (isKnown) await context.emit.replaceFile(key);
}

const isIncremental = ({ stream }: ReadContext): boolean => stream.sync_mode === 'incremental';

/** Whether the platform finds the rows of a stream by a key. */
const isMerged = ({ stream }: ReadContext): boolean => stream.destination_sync_mode === 'append_dedup';

/** All files but some in the order in which they were last read: of a key the row that came last counts. */
function readInOrder(
  files: readonly SourceFile[],
  { files: entries }: FileState,
  without: readonly SourceFile[],
): SourceFile[] {
  const places = new Map(Object.keys(entries).map((key, place) => [key, place]));
  const placeOf = ({ key }: SourceFile) => places.get(key) ?? places.size;
  return files.filter((file) => !without.includes(file)).toSorted((a, b) => placeOf(a) - placeOf(b));
}
