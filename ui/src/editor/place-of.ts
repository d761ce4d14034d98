import type { EditorState } from '@codemirror/state';

/** The offset of a line and column, both counted from 1, as near as the text has it. */
export function placeOf({ doc }: EditorState, line: number, column: number): number {
  const found = doc.line(Math.min(doc.lines, Math.max(1, line)));
  return Math.min(found.to, found.from + Math.max(0, column - 1));
}
