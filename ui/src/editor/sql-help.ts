import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completeFromList,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { sql as sqlLanguage } from '@codemirror/lang-sql';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintKeymap, setDiagnostics } from '@codemirror/lint';
import type { EditorState, Extension } from '@codemirror/state';
import { type EditorView, keymap } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { DUCKDB } from './duckdb-dialect.ts';
import { placeOf } from './place-of.ts';
import type { SqlFault } from './sql-faults.ts';
import type { NameTree } from './sql-names.ts';

export { closeCompletion, startCompletion } from '@codemirror/autocomplete';

const COLOURS = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--sql-keyword)', fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--sql-string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--sql-number)' },
  { tag: tags.comment, color: 'var(--mantine-color-dimmed)', fontStyle: 'italic' },
  { tag: tags.typeName, color: 'var(--sql-type)' },
]);
const TYPING: Extension = [
  history(),
  bracketMatching(),
  closeBrackets(),
  autocompletion({ icons: false }),
  syntaxHighlighting(COLOURS),
  keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...lintKeymap, ...defaultKeymap]),
];

/** Completion knows the names that it is given and nothing else. */
export function helpWith(names: NameTree, columns: readonly string[]): Extension {
  const support = sqlLanguage({ dialect: DUCKDB, schema: names, upperCaseKeywords: false });
  const list = columns.map((label) => ({ label, type: 'property', boost: 10 }));
  return [support, support.language.data.of({ autocomplete: completeFromList(list) }), TYPING];
}

/** Marks faults from their place to the end of the word. */
export function showFaults(editor: EditorView, faults: readonly SqlFault[]): void {
  editor.dispatch(setDiagnostics(editor.state, marks(editor.state, faults)));
}

function marks(state: EditorState, faults: readonly SqlFault[]): Diagnostic[] {
  return faults.map(({ line, column, code, message, severity = 'error' }) => {
    const from = placeOf(state, line, column);
    const word = state.wordAt(from);
    return {
      from,
      to: Math.max(from, word?.to ?? Math.min(from + 1, state.doc.length)),
      severity,
      message: message ?? code,
    };
  });
}
