import type { PlannedView, PlanView } from '@weir/plugin-apply/contract';
import { plainText } from '../../plain-text.ts';
import type { FileDocument } from './read-documents.ts';

const SIGNS = { create: '+', patch: '~', noop: ' ', 'would-409': '!', error: '!' } as const;
const MAX_SHOWN_CHARS = 60;
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
    ...changes.flatMap(changeLines),
    ...made.map((stream) => `    stream ${plainText(stream.name)}: ${stream.action}`),
  ];
}

function changeLines({ pointer, change, before, after }: PlannedView['changes'][number]): string[] {
  const at = `    ${plainText(pointer)}`;
  if (change === 'set') return [`${at}: set (not shown, not compared)`];
  if (change === 'add') return valueLines(`${at}: + `, after);
  if (change === 'remove') return valueLines(`${at}: - `, before);
  return [...valueLines(`${at}: - `, before), ...valueLines(`${at}: + `, after)];
}

/** A text of several lines has a line for each. */
function valueLines(head: string, value: unknown): string[] {
  if (typeof value !== 'string' || !value.includes('\n')) return [`${head}${short(value)}`];
  const lines = value.split('\n');
  const rest = lines.length > MAX_SHOWN_LINES ? [`      … ${lines.length - MAX_SHOWN_LINES} lines more`] : [];
  return [head.trimEnd(), ...lines.slice(0, MAX_SHOWN_LINES).map((line) => `      ${plainText(line)}`), ...rest];
}

function short(value: unknown): string {
  const text = plainText(typeof value === 'string' ? value : JSON.stringify(value));
  return text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS - 1)}…` : text;
}
