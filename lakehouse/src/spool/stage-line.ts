import { isUtf8 } from 'node:buffer';
import type { LineShape } from '../stage/stage-sql.ts';
import type { RejectReason } from '../stage/stage-types.ts';
import { ScanFault, type ScannedMember, type ScannedValue, scanMembers, skipSpace } from './scan-json.ts';
import { type SourceReject, sourceReject } from './source-reject.ts';

/** How rewritten lines are laid out. */
export const REWRITTEN: { readonly shape: Required<Omit<LineShape, 'rejected'>>; readonly extra: [string] } = {
  shape: { data: ['d'], extractedAt: ['t'], changes: ['c'], file: ['f'] },
  extra: ['x'],
};

/** The farthest times that are taken, in milliseconds since 1970: years are at most 9999 away from 0. */
const MAX_TIME_MS = 253_402_300_799_999;

/** A line as it is handed to DuckDB, or why it is no row. */
export type RewrittenLine =
  | { readonly parts: readonly (Buffer | string)[] }
  | { readonly reason: RejectReason }
  | SourceReject;

type Found = { [Part in 'data' | 'time' | 'changes' | 'rejected' | 'file']?: ScannedValue };
type Goal = { readonly path: readonly string[]; readonly part: keyof Found };

// Walks the objects on the way to the parts of a line; what lies beside the way is only checked.
function findParts(bytes: Buffer, at: number, goals: readonly Goal[]): { found: Found; end: number } {
  const found: Found = {};
  const end = scanMembers(bytes, at, (member) => {
    const below = goals.filter((goal) => goal.path[0] === member.name);
    for (const { part } of below.filter((goal) => goal.path.length === 1)) found[part] = member.value;
    const deeper = below.filter((goal) => goal.path.length > 1).map((goal) => ({ ...goal, path: goal.path.slice(1) }));
    if (!deeper.length || isNull(bytes, member.value)) return;
    Object.assign(found, findParts(bytes, member.value.start, deeper).found);
  });
  return { found, end };
}

const isNull = (bytes: Buffer, value: ScannedValue): boolean => bytes[value.start] === 0x6e;

function timeText(bytes: Buffer, value: ScannedValue | undefined): string {
  if (!value || isNull(bytes, value)) return 'null';
  const text = bytes.toString('latin1', value.start, value.end).replaceAll('"', '');
  const time = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Math.round(Number(text)) : Number.NaN;
  if (Math.abs(time) <= MAX_TIME_MS) return String(time);
  throw new ScanFault('invalid_time');
}

function changesText(bytes: Buffer, value: ScannedValue | undefined): string {
  if (!value || isNull(bytes, value)) return 'null';
  const changes: unknown = JSON.parse(bytes.toString('utf8', value.start, value.end).replace(/,(\s*[\]}])/g, '$1'));
  if (!Array.isArray(changes)) throw new ScanFault('malformed_json');
  const text = (member: unknown): string | null =>
    member === undefined || member === null ? null : typeof member === 'string' ? member : JSON.stringify(member);
  const rewritten = changes.map((change: unknown) => {
    if (change === null) return null;
    if (typeof change !== 'object' || Array.isArray(change)) throw new ScanFault('malformed_json');
    const { field, change: what, reason } = change as Record<string, unknown>;
    return { field: text(field), change: text(what), reason: text(reason) };
  });
  return JSON.stringify(rewritten);
}

// A number with more digits than a double holds becomes the text of its digits, and so does what contains one: in a
// column both are texts before they are cast, so only the digits differ.
function known(bytes: Buffer, { nameStart, value }: ScannedMember): (Buffer | string)[] {
  const { start, end, lossy } = value;
  if (!lossy) return [bytes.subarray(nameStart, end)];
  const name = bytes.subarray(nameStart, start);
  return [name, JSON.stringify(bytes.toString('utf8', start, end))];
}

/**
 * Rewrites a line for reading by `REWRITTEN`: columns keep their text with all its digits, members that no column holds
 * are already the text of `_extra`. What `scanValue` refuses, a half of a surrogate pair, bytes that are not UTF-8 and a
 * name that comes twice in an object on the way to the data or in the data itself make a line no row.
 */
export function rewriteLine(bytes: Buffer, shape: LineShape, columns: ReadonlySet<string>): RewrittenLine {
  try {
    if (!isUtf8(bytes)) return { reason: 'invalid_utf8' };
    const goals: Goal[] = [
      { path: shape.data, part: 'data' },
      { path: shape.extractedAt, part: 'time' },
      ...(shape.changes ? [{ path: shape.changes, part: 'changes' } as const] : []),
      ...(shape.rejected ? [{ path: shape.rejected, part: 'rejected' } as const] : []),
      ...(shape.file ? [{ path: shape.file, part: 'file' } as const] : []),
    ];
    const { found, end } = findParts(bytes, skipSpace(bytes, 0), goals);
    if (skipSpace(bytes, end) < bytes.length) return { reason: 'malformed_json' };
    if (!found.data || isNull(bytes, found.data)) return { reason: 'no_data' };
    const said = sourceReject(bytes, found.data, found.rejected);
    if (said !== undefined) return said;
    const members: (Buffer | string)[] = [];
    const extra: string[] = [];
    scanMembers(bytes, found.data.start, (member) => {
      if (columns.has(member.name)) members.push(members.length ? ',' : '', ...known(bytes, member));
      else extra.push(bytes.toString('utf8', member.nameStart, member.value.end));
    });
    const file =
      found.file && !isNull(bytes, found.file) ? bytes.toString('utf8', found.file.start, found.file.end) : '';
    const unknown = extra.length ? `,"x":${JSON.stringify(`{${extra.join(',')}}`)}` : '';
    const tail = `${file && `,"f":${file}`}${unknown}`;
    const rest = `},"t":${timeText(bytes, found.time)},"c":${changesText(bytes, found.changes)}${tail}}\n`;
    return { parts: ['{"d":{', ...members, rest] };
  } catch (fault) {
    if (fault instanceof ScanFault) return { reason: fault.reason };
    if (fault instanceof SyntaxError) return { reason: 'malformed_json' };
    throw fault;
  }
}

/** The names of the data of a line, in their order; none when the line is no row. */
export function memberNames(bytes: Buffer, shape: LineShape): string[] {
  const names: string[] = [];
  try {
    const { found } = findParts(bytes, skipSpace(bytes, 0), [{ path: shape.data, part: 'data' }]);
    if (found.data) scanMembers(bytes, found.data.start, (member) => names.push(member.name));
    return names;
  } catch {
    return [];
  }
}
