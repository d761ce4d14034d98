import { Value } from '@sinclair/typebox/value';
import type { StreamLook as SaidLook } from '@weir/connector-sdk';
import { StreamLook, type StreamLookView } from '../../contract.ts';

/** Streams whose looks a discovery keeps. */
const MAX_LOOKS = 50;

/** What a connector shows of its streams, of whatever shape, without its credentials. Pure. */
export function shownLooks(said: unknown, scrub: (text: string) => string): StreamLookView[] {
  if (!Array.isArray(said)) return [];
  return said.slice(0, MAX_LOOKS).flatMap((one: SaidLook | null) => {
    const look = masked(viewOf(one), scrub);
    return Value.Check(StreamLook, look) ? [look] : [];
  });
}

function viewOf(said: SaidLook | null) {
  const list = <T>(value: readonly T[] | undefined): T[] => (Array.isArray(value) ? [...value] : []);
  return {
    ...{ name: said?.name, records: said?.records, is_whole: said?.is_whole, rejected: said?.rejected },
    ...{ columns: said?.columns, rows: said?.rows },
    files: list(said?.files).map(({ name, format, encoding = null, delimiter = null, header_line = null }) => ({
      ...{ name, format, encoding, delimiter, header_line },
    })),
    notes: list(said?.notes).map((note) => ({
      ...{ kind: note.kind, column: note.column ?? null, reason: note.reason ?? null, mostly: note.mostly ?? null },
      ...{ fits: note.fits ?? null, count: note.count },
      places: list(note.places).map(({ file, line = null, text }) => ({ file, line, text })),
    })),
  };
}

/** All texts of a value through a scrubber, half surrogates made whole: the database keeps none. */
function masked(value: unknown, scrub: (text: string) => string): unknown {
  if (typeof value === 'string') return scrub(value).toWellFormed().replaceAll('\0', '\ufffd');
  if (Array.isArray(value)) return value.map((one) => masked(one, scrub));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, masked(one, scrub)]));
}
