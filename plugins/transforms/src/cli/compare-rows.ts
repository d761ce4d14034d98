/** Columns and rows as queries answer them. */
export interface Answered {
  columns: readonly { readonly name: string; readonly type: string }[];
  rows: readonly (readonly unknown[])[];
}

type Row = Readonly<Record<string, unknown>>;

const MAX_SHOWN = 20;
/** Of doubles, by which two may differ that are the same. */
const CLOSE = 1e-9;
const NUMERIC = /^(?:int|long|float|double|decimal)/;
const INEXACT = /^(?:float|double)$/;

/** What keeps the rows of an answer from being those that are expected, a sentence each. Pure. */
export function rowProblems(expected: readonly Row[], { columns, rows }: Answered, ordered = false): string[] {
  const names = columns.map(({ name }) => name);
  const wanted = [...new Set(expected.flatMap((row) => Object.keys(row)))];
  const strange = wanted.filter((name) => !names.includes(name)).map((name) => `column ${name} is not in the result`);
  const missed = expected.length === 0 ? [] : names.filter((name) => !wanted.includes(name));
  const named = [...strange, ...missed.map((name) => `column ${name} of the result is not expected`)];
  if (named.length > 0) return named;
  const same = (row: Row, found: readonly unknown[]) => differences(row, { columns, found }).length === 0;
  if (ordered)
    return paired(
      expected.map((row, at) => [row, rows[at]] as const),
      rows.slice(expected.length),
      columns,
    );
  const left = [...rows];
  const missing = expected.filter((row) => {
    const at = left.findIndex((found) => same(row, found));
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  const pairs = missing.map((row) => {
    const nearest = left.toSorted((one, other) => apart(row, one, columns) - apart(row, other, columns))[0];
    const isNear = nearest !== undefined && apart(row, nearest, columns) < columns.length;
    if (isNear) left.splice(left.indexOf(nearest), 1);
    return [row, isNear ? nearest : undefined] as const;
  });
  return paired(pairs, left, columns);
}

type Columns = Answered['columns'];
type Pair = readonly [Row, readonly unknown[] | undefined];

const apart = (row: Row, found: readonly unknown[], columns: Columns) => differences(row, { columns, found }).length;

function paired(pairs: readonly Pair[], extra: readonly (readonly unknown[])[], columns: Columns): string[] {
  const problems = pairs.flatMap(([row, found]) => {
    if (found === undefined) return [`missing row ${JSON.stringify(row)}`];
    const differing = differences(row, { columns, found });
    return differing.length === 0 ? [] : [`row ${JSON.stringify(row)}: ${differing.join('; ')}`];
  });
  const unexpected = extra.map(
    (found) => `unexpected row ${JSON.stringify(Object.fromEntries(columns.map(({ name }, at) => [name, found[at]])))}`,
  );
  const all = [...problems, ...unexpected];
  return all.length > MAX_SHOWN ? [...all.slice(0, MAX_SHOWN), `and ${all.length - MAX_SHOWN} more`] : all;
}

function differences(row: Row, { columns, found }: { columns: Columns; found: readonly unknown[] }): string[] {
  return columns.flatMap(({ name, type }, at) => {
    const [wanted, got] = [row[name] ?? null, found[at] ?? null];
    if (isSame(wanted, got, type)) return [];
    return [`${name} is ${JSON.stringify(got)}, not ${JSON.stringify(wanted)}`];
  });
}

function isSame(wanted: unknown, got: unknown, type: string): boolean {
  if (wanted === null || got === null) return wanted === got;
  if (INEXACT.test(type)) {
    const [one, other] = [Number(wanted), Number(got)];
    return Object.is(one, other) || Math.abs(one - other) <= CLOSE * Math.max(1, Math.abs(one), Math.abs(other));
  }
  if (NUMERIC.test(type)) return plain(String(wanted)) === plain(String(got));
  if (type.startsWith('timestamp')) return instant(String(wanted)) === instant(String(got));
  return typeof got === 'object' ? JSON.stringify(wanted) === JSON.stringify(got) : String(wanted) === String(got);
}

/** A decimal without zeros that say nothing. */
const plain = (digits: string): string => (digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits);

const instant = (text: string): string => text.replace(' ', 'T').replace(/\.0+(?=Z|$)/, '');
