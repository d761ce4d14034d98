import { countText } from '../parts/numbers.ts';
import { ShowTime } from '../parts/show-time.tsx';
import { type Column, memberOf } from './page-endpoint.ts';

/** A member of a row, as its column says. */
export function Value({ of, column: { name, as = 'text' } }: { of: unknown; column: Column }) {
  const value = memberOf(of, name);
  if (value === null || value === undefined) return '–';
  if (as === 'time') return <ShowTime at={String(value)} size="sm" />;
  if (as === 'number') return Number.isSafeInteger(Number(value)) ? countText(Number(value)) : String(value);
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return as === 'id' ? <span className="mono-id">{text}</span> : text;
}
