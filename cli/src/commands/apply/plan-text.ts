import type { PlannedView, PlanView } from '@weir/plugin-apply/contract';
import { plainText } from '../../plain-text.ts';
import type { FileDocument } from './read-documents.ts';

const SIGNS = { create: '+', patch: '~', noop: ' ', 'would-409': '!', error: '!' } as const;
const MAX_SHOWN_CHARS = 100;
/** Of a long text before what differs. */
const SHOWN_BEFORE = 20;
const MAX_SHOWN_LINES = 20;

/** A plan for people: what would be made and changed, and with `places` where each fault is. */
export function planText({ results, summary }: PlanView, documents: readonly FileDocument[]): string {
  const lines = results.filter(({ action }) => action !== 'noop').flatMap((one) => linesOf(one, documents));
  const counts = Object.entries(summary).filter(([, count]) => count > 0);
  const total = counts.map(([action, count]) => `${count} ${action}`).join(', ');
  return `${[...lines, total === '' ? 'no documents' : total].join('\n')}\n`;
}

function linesOf(one: PlannedView, documents: readonly FileDocument[]): string[] {
  const { action, kind, name, changes, streams = [], errors = [] } = one;
  const document = documents[one.index];
  const place = document?.placeOf('') ?? '';
  const head = `${SIGNS[action]} ${kind ?? 'document'} ${name ?? ''} (${place})`.replace('  (', ' (');
  const made = streams.filter(({ action: of }) => of === 'create' || of === 'patch');
  return [
    head,
    ...errors.map(
      ({ code, pointer, detail }) => `    ${document?.placeOf(pointer) ?? ''}: ${code}: ${plainText(detail)}`,
    ),
    ...changes.filter((one) => action !== 'create' || !isNothing(one.after)).flatMap(changeLines),
    ...made.map((stream) => `    stream ${plainText(stream.name)}: ${stream.action}`),
  ];
}

/** What is not worth a line of a new resource. */
const isNothing = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0);

function changeLines({ pointer, change, before, after }: PlannedView['changes'][number]): string[] {
  const at = `    ${plainText(pointer.slice(1))}`;
  if (change === 'set') return [`${at}: set (not shown, not compared)`];
  if (change === 'add') return valueLines(`${at}: + `, after);
  if (change === 'remove') return valueLines(`${at}: - `, before);
  const isText = typeof before === 'string' && typeof after === 'string';
  if (isText && (before.includes('\n') || after.includes('\n'))) return [`${at}:`, ...lineDifference(before, after)];
  const from = isText ? Math.max(0, commonLength(before, after) - SHOWN_BEFORE) : 0;
  return [`${at}: - ${short(before, from)}`, `${at}: + ${short(after, from)}`];
}

/** The lines that differ, and one around them. */
function lineDifference(before: string, after: string): string[] {
  const [was, is] = [before.split('\n'), after.split('\n')];
  const first = commonLength(was, is);
  const rest = Math.min(was.length, is.length) - first;
  const last = Math.min(rest, commonLength(was.toReversed(), is.toReversed()));
  const lines = [
    ...was.slice(Math.max(0, first - 1), first).map((line) => `  ${line}`),
    ...was.slice(first, was.length - last).map((line) => `- ${line}`),
    ...is.slice(first, is.length - last).map((line) => `+ ${line}`),
    ...is
      .slice(is.length - last)
      .slice(0, 1)
      .map((line) => `  ${line}`),
  ];
  return cut(lines.map((line) => plainText(line).trimEnd()));
}

/** How many items, or characters, two begin with alike. */
function commonLength(one: ArrayLike<unknown>, other: ArrayLike<unknown>): number {
  let length = 0;
  while (length < one.length && length < other.length && one[length] === other[length]) length += 1;
  return length;
}

function cut(lines: readonly string[]): string[] {
  const rest = lines.length > MAX_SHOWN_LINES ? [`… ${lines.length - MAX_SHOWN_LINES} lines more`] : [];
  return [...lines.slice(0, MAX_SHOWN_LINES), ...rest].map((line) => `      ${line}`.trimEnd());
}

/** A text of several lines has a line for each. */
function valueLines(head: string, value: unknown): string[] {
  if (typeof value !== 'string' || !value.trimEnd().includes('\n')) return [`${head}${short(value)}`];
  return [
    head.trimEnd(),
    ...cut(
      value
        .trimEnd()
        .split('\n')
        .map((line) => plainText(line)),
    ),
  ];
}

/** A value in one line, a long one from a place on. */
function short(value: unknown, from = 0): string {
  const whole = typeof value === 'string' ? value : JSON.stringify(value, (_, member) => member ?? undefined);
  const text = plainText((whole ?? 'null').trimEnd());
  if (text.length <= MAX_SHOWN_CHARS) return text;
  const shown = text.slice(from, from + MAX_SHOWN_CHARS);
  return `${from > 0 ? '…' : ''}${shown}${from + MAX_SHOWN_CHARS < text.length ? '…' : ''}`;
}
