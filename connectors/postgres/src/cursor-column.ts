import type { ColumnKind } from './column-kind.ts';

const KINDS: readonly string[] = ['int', 'long', 'date', 'timestamp', 'timestamptz', 'uuid'];
/** Texts whose order is that of the server; a domain over them has another name. */
const TEXTS = /^(?:text|character varying|numeric)/;

/** Whether rows can be read in the order of such a column, from where the last read ended. */
export function isCursorKind(kind: ColumnKind, type: string): boolean {
  return (
    KINDS.includes(kind) || kind.startsWith('decimal(') || (kind === 'text' && TEXTS.test(type) && !type.endsWith('[]'))
  );
}

/** Whether the cursor is a time, so that a look-back window means something. */
export function isTimeKind(kind: ColumnKind): boolean {
  return kind === 'date' || kind === 'timestamp' || kind === 'timestamptz';
}
