import {
  fileStem,
  isNeverRead,
  isReadFile,
  type StreamLookView,
  sourceNameOf,
  uploadName,
} from '@weir/plugin-sources/contract';

const MAX_UNSENT_CHARS = 1_500;
const MAX_STREAMS_CHARS = 5_000;

/** Whether files become one table together, or a table each. */
export type Tables = 'one' | 'each';

/** What a person says of how a stream's files are written, and of its columns; in the words of the connector. */
export interface Writing {
  format?: string | undefined;
  encoding?: string | undefined;
  delimiter?: string | undefined;
  header?: boolean | undefined;
  skip_lines?: number | undefined;
  quote?: string | undefined;
  types?: readonly { column: string; type: string }[] | undefined;
}

/** A stream of the configuration. */
export interface PlannedStream extends Writing {
  name: string;
  glob: string;
}

/** A file that was chosen and not sent. */
export interface UnsentFile {
  name: string;
  code: string;
}

/** What is loaded and how, as the address of the page keeps it. */
export interface LoadPlan {
  location: string;
  name: string;
  tables: Tables;
  /** Only where something was corrected. */
  streams: readonly PlannedStream[] | undefined;
}

/** The name of a source for files: made of the first one that is read. */
export const proposedName = (files: readonly { name: string }[]): string =>
  sourceNameOf((files.find(({ name }) => isReadFile(name)) ?? files[0])?.name ?? '');

/** Which chosen files are sent, and why the others are not: they have no bytes, are never read, or another one has their name. */
export function sendable<F extends { name: string; size: number }>(
  given: readonly F[],
): { sent: F[]; unsent: UnsentFile[] } {
  const kept = new Set<string>();
  const sent: F[] = [];
  const unsent: UnsentFile[] = [];
  for (const file of given) {
    const code = whyUnsent(file, kept);
    if (code === undefined) {
      kept.add(uploadName(file.name));
      sent.push(file);
    } else unsent.push({ name: file.name, code });
  }
  return { sent, unsent };
}

function whyUnsent({ name, size }: { name: string; size: number }, kept: ReadonlySet<string>): string | undefined {
  if (size === 0) return 'file_empty';
  if (isNeverRead(name)) return 'file_unread';
  if (uploadName(name) === '') return 'upload_name_invalid';
  return kept.has(uploadName(name)) ? 'upload_name_repeated' : undefined;
}

/** The configuration of a source that reads an upload. */
export function configOf({ location, name, tables, streams }: LoadPlan): Record<string, unknown> {
  if (tables === 'each') return streams === undefined ? { path: location } : { path: location, streams };
  const [written = {}] = streams ?? [];
  return { path: location, streams: [{ ...written, name, glob: '*' }] };
}

/** The streams that a discovery has named, and those of the plan that it looked at. */
export interface Named extends Pick<LoadPlan, 'tables' | 'streams'> {
  names: readonly string[];
}

/** The stream that a file belongs to; undefined for one that none reads. */
export function streamOf(file: string, { tables, names, streams = [] }: Named): string | undefined {
  if (isReadFile(file))
    return tables === 'one' ? names[0] : [file, fileStem(file)].find((name) => names.includes(name));
  // A file of another ending is read where a person has said what it is.
  const said = streams.filter(({ format }) => format !== undefined);
  if (tables === 'one') return said.length === 0 ? undefined : names[0];
  const own = said.find(({ glob }) => glob === globFor([file]));
  return own !== undefined && names.includes(own.name) ? own.name : undefined;
}

/** The streams of a plan once one of them is written otherwise; all are named then, each with its files. */
export function corrected(
  plan: Streams,
  found: FoundFiles,
  [stream, change]: readonly [stream: string, change: Writing],
) {
  return allStreams(plan, found).map((one) => (one.name === stream ? withoutGaps({ ...one, ...change }) : one));
}

/** The streams of a plan with one more, of a file whose ending says no format. */
export function withReadAs(
  plan: Streams,
  found: FoundFiles,
  { file, format }: { file: string; format: string },
): PlannedStream[] {
  const all = allStreams(plan, found);
  if (plan.tables === 'one') return all.map((one) => ({ ...one, format }));
  const isTaken = all.some(({ name }) => name === stemOfAny(file));
  return [...all, { name: isTaken ? file : stemOfAny(file), glob: globFor([file]), format }];
}

type Streams = Pick<LoadPlan, 'tables' | 'streams'>;

/** What a discovery has named, and the files that were sent. */
export interface FoundFiles {
  names: readonly string[];
  files: readonly string[];
}

function allStreams({ tables, streams }: Streams, { names, files }: FoundFiles): PlannedStream[] {
  if (streams !== undefined) return [...streams];
  if (tables === 'one') return [{ name: names[0] ?? 'files', glob: '*' }];
  const filesOf = (name: string) => files.filter((file) => streamOf(file, { tables, names, streams }) === name);
  return names.map((name) => ({ name, glob: globFor(filesOf(name)) }));
}

/** A column with another type; without one it is proved by its values. */
export function retyped({ types = [] }: Writing, column: string, type: string | undefined): Writing {
  const others = types.filter((one) => one.column !== column);
  const all = type === undefined ? others : [...others, { column, type }];
  return { types: all.length === 0 ? undefined : all };
}

/** A glob that matches these names and no others. */
function globFor(names: readonly string[]): string {
  const plain = names.map((name) => name.replace(/[()+=@,{}[\]!*?\\]/g, (sign) => (sign === '\\' ? '?' : `[${sign}]`)));
  return plain.length === 1 ? String(plain[0]) : `{${plain.join(',')}}`;
}

/** The name of a file without its last ending, whatever that is: as the connector names a stream whose format is said. */
const stemOfAny = (file: string) => file.replace(/\.[^.]*$/, '');

function withoutGaps(stream: PlannedStream): PlannedStream {
  const said = Object.entries(stream).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(said) as unknown as PlannedStream;
}

/** Streams as the address keeps them; undefined for a text that is none. */
export function plannedStreams(text: string | undefined): PlannedStream[] | undefined {
  const streams = parsed(text);
  if (!Array.isArray(streams) || streams.length === 0) return undefined;
  const isStream = (one: unknown): one is PlannedStream => {
    const { name, glob } = (one ?? {}) as Record<string, unknown>;
    return typeof name === 'string' && typeof glob === 'string';
  };
  return streams.every(isStream) ? streams : undefined;
}

/** Files that were not sent, as the address keeps them. */
export function unsentFiles(text: string | undefined): UnsentFile[] {
  const files = parsed(text);
  if (!Array.isArray(files)) return [];
  return files.flatMap((one: unknown) => {
    const [name, code] = Array.isArray(one) ? one : [];
    return typeof name === 'string' && typeof code === 'string' ? [{ name, code }] : [];
  });
}

/** Files that were not sent, for the address; beyond what it holds, their number. */
export function unsentText(files: readonly UnsentFile[]): string {
  if (files.length === 0) return '';
  const text = (some: readonly UnsentFile[]) => JSON.stringify(some.map(({ name, code }) => [name, code]));
  let kept = [...files];
  while (encodedLength(text(kept)) > MAX_UNSENT_CHARS) kept = kept.slice(0, Math.floor(kept.length / 2));
  const more = files.length - kept.length;
  return text(more === 0 ? kept : [...kept, { name: `${more} more files`, code: 'file_unsent' }]);
}

/** Whether the address can hold these streams: servers and proxies refuse long ones. */
export const fitsAddress = (streams: readonly PlannedStream[]): boolean =>
  encodedLength(JSON.stringify(streams)) <= MAX_STREAMS_CHARS;

const encodedLength = (text: string) => new URLSearchParams({ text }).toString().length;

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}

/** The look of each stream, by its name. */
export const looksByName = (looks: readonly StreamLookView[]): ReadonlyMap<string, StreamLookView> =>
  new Map(looks.map((look) => [look.name, look]));
