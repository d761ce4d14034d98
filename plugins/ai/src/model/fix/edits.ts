import { createTwoFilesPatch } from 'diff';
import type { FaultView } from '../../contract/shapes.ts';
import { isReservedWord, quoted, quotedId } from '../sql/names.ts';

/** Corrects what faults of a statement say for certain: a name that is near to one that is known. Undefined without one. */
export function edited(sql: string, faults: readonly FaultView[]): string | undefined {
  // From the end: an edit moves no place before it.
  const placed = faults.toSorted(
    (one, other) => (other.line ?? 0) - (one.line ?? 0) || (other.column ?? 0) - (one.column ?? 0),
  );
  const text = placed.reduce((now, fault) => withEdit(now, fault) ?? now, sql);
  return text === sql ? undefined : text;
}

const NAME = /^(?:"(?:[^"]|"")+"|[\p{L}_][\p{L}\p{N}_$]*)(?:\s*\.\s*(?:"(?:[^"]|"")+"|[\p{L}_][\p{L}\p{N}_$]*))*/u;

function withEdit(sql: string, { code, nearest, line, column, pointer }: FaultView): string | undefined {
  if (pointer !== '/sql' || line === undefined || column === undefined) return undefined;
  const at = offsetOf(sql, line, column);
  const name = NAME.exec(sql.slice(at))?.[0];
  if (name === undefined) return undefined;
  const put = (text: string) => `${sql.slice(0, at)}${text}${sql.slice(at + name.length)}`;
  if (code === 'syntax' && isReservedWord(name)) return put(`"${name}"`);
  if (nearest === undefined) return undefined;
  if (code === 'column_unknown') return put(`${name.slice(0, name.lastIndexOf('.') + 1)}${quoted(nearest)}`);
  if (code === 'input_missing') return put(quotedId(nearest));
  return code === 'function_unknown' ? put(nearest) : undefined;
}

/** The place in the text; columns count characters, not units of UTF-16. */
function offsetOf(sql: string, line: number, column: number): number {
  const lines = sql.split('\n');
  const before = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
  return before + [...(lines[line - 1] ?? '')].slice(0, column - 1).join('').length;
}

/** The change of a file as `git apply` takes it. */
export const unifiedDiff = (path: string, before: string, after: string): string =>
  createTwoFilesPatch(`a/${path}`, `b/${path}`, before, after, undefined, undefined, { context: 3 }).replace(
    /^=+\n/,
    '',
  );
