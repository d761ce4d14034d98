import type { LookNote, LookPlace } from '@weir/connector-sdk';
import type { ColumnMap } from '../columns/column-type.ts';
import { formOf, type ValueForm } from '../columns/value-forms.ts';

/** Where a record begins; without a line where the format has none. */
export type RecordPlace = Pick<LookPlace, 'file' | 'line'>;
/** A record as texts; null where it has no value. */
export type TextRecord = ReadonlyMap<string, string | null>;

/** The forms that count as one kind of value; `text`: none of them. */
type ValueKind = Exclude<ValueForm['kind'], 'whole'> | 'text';
type Tally = { count: number; readonly places: LookPlace[] };
type Column = { readonly type: unknown; seen: number; readonly kinds: Map<ValueKind, Tally> };

const SHOWN_PLACES = 5;
const SHOWN_CHARS = 100;
/** So many values say that a column is one of words. */
const SURE_VALUES = 1_000;
/** What a value of any form begins with; it is cheaper to ask than the forms are. */
const OPENING = /^ *[-.\dtf]/i;

const KINDS: Readonly<Record<string, ValueKind>> = {
  ...{ int: 'number', long: 'number', float: 'number', double: 'number' },
  ...{ boolean: 'boolean', date: 'date', timestamp: 'timestamp', timestamptz: 'timestamptz', time: 'time' },
};

/** A text as it is shown. */
export const shownText = (text: string): string =>
  text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS).toWellFormed()}…` : text;

/**
 * Watches values as they will be sent: which do not fit the type of their column, and which keep a column from having a
 * type. Pure.
 */
export function valueWatch(columns: ColumnMap): {
  readonly note: (record: TextRecord, place: RecordPlace) => void;
  readonly notes: () => LookNote[];
} {
  const watched = new Map(
    [...columns].map(([name, { weir_type: type }]): [string, Column] => [name, { type, seen: 0, kinds: new Map() }]),
  );
  return {
    note(record, place) {
      for (const [name, text] of record) {
        const column = watched.get(name);
        if (column === undefined || text === null || text.trim() === '') continue;
        if (isOfWords(column)) continue;
        column.seen += 1;
        add(column.kinds, kindOf(text), { ...place, text: shownText(text) });
      }
    },
    notes: () => [...watched].flatMap(([name, column]) => noteOf(name, column)),
  };
}

/** Whether it is clear by now that nothing but text describes a column. */
function isOfWords({ type, seen, kinds }: Column): boolean {
  return type === undefined && seen >= SURE_VALUES && 2 * (kinds.get('text')?.count ?? 0) > seen;
}

function add(kinds: Map<ValueKind, Tally>, kind: ValueKind, place: LookPlace): void {
  const tally = kinds.get(kind) ?? { count: 0, places: [] };
  tally.count += 1;
  if (tally.places.length < SHOWN_PLACES) tally.places.push(place);
  kinds.set(kind, tally);
}

function kindOf(text: string): ValueKind {
  if (!OPENING.test(text)) return 'text';
  const kind = formOf(text)?.kind ?? 'text';
  return kind === 'whole' ? 'number' : kind;
}

function noteOf(column: string, { type, seen, kinds }: Column): LookNote[] {
  if (type !== undefined) {
    const kind = KINDS[String(type)] ?? (String(type).startsWith('decimal') ? 'number' : undefined);
    if (kind === undefined) return [];
    const { count, places } = otherThan(kinds, kind);
    return count === 0 ? [] : [{ kind: 'value_misfit', column, count, places }];
  }
  const [first] = [...kinds].sort(([, a], [, b]) => b.count - a.count);
  if (first === undefined) return [];
  const [mostly, most] = first;
  if (mostly === 'text' || 2 * most.count <= seen) return [];
  const { count, places } = otherThan(kinds, mostly);
  return [{ kind: 'kept_as_text', column, mostly, fits: most.count, count, places }];
}

/** All values that are not of a kind, those that come first in the file first. */
function otherThan(kinds: Column['kinds'], kind: ValueKind): Tally {
  const others = [...kinds].flatMap(([name, tally]) => (name === kind ? [] : [tally]));
  const places = others.flatMap((tally) => tally.places);
  const inOrder = others.length < 2 ? places : places.sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
  return { count: others.reduce((sum, tally) => sum + tally.count, 0), places: inOrder.slice(0, SHOWN_PLACES) };
}
