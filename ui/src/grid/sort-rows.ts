/** What a cell is ordered by; null where it shows nothing. */
export type SortValue = string | number | null;

/** A column that rows can be ordered by. */
export interface SortColumn<R> {
  /** As the address says it, with `-` before it for the greatest first. */
  name: string;
  value(row: R): SortValue;
}

const words = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

function compare(one: Exclude<SortValue, null>, other: Exclude<SortValue, null>): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return words.compare(String(one), String(other));
}

/** The rows ordered as the address says, those without a value last either way; as they came for any other word. */
export function sortRows<R>(
  rows: readonly R[],
  columns: readonly SortColumn<R>[],
  sort: string | undefined,
): readonly R[] {
  const isDown = sort?.startsWith('-') === true;
  const column = columns.find(({ name }) => name === (isDown ? sort?.slice(1) : sort));
  if (column === undefined) return rows;
  const keyed = rows.map((row) => ({ row, value: column.value(row) }));
  const sorted = keyed.sort(({ value: one }, { value: other }) => {
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return isDown ? compare(other, one) : compare(one, other);
  });
  return sorted.map(({ row }) => row);
}

/** What one more click on a column asks for: the least first, then the greatest first, then as the rows came. */
export function nextSort(name: string, sort: string | undefined): string | undefined {
  if (sort === name) return `-${name}`;
  return sort === `-${name}` ? undefined : name;
}
