import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  closeCompletion,
  completeFromList,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { sql as sqlLanguage } from '@codemirror/lang-sql';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { Compartment, EditorState, type Extension, Prec } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers, placeholder } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import { DUCKDB } from './duckdb-dialect.ts';
import type { NameTree } from './sql-names.ts';
import './editor.css';

/** A fault of a statement by its place, both counted from 1. */
export interface SqlFault {
  code: string;
  line: number;
  column: number;
  message?: string;
}

export interface EditorHandle {
  insert(text: string): void;
  /** Puts the cursor at a place. */
  go(line: number, column: number): void;
}

interface SqlEditorProps {
  label: string;
  value: string;
  onChange(value: string): void;
  /** What Ctrl-Enter does. */
  run?: (() => void) | undefined;
  /** What Ctrl-S does. */
  save?: (() => void) | undefined;
  names: NameTree;
  /** Columns of the tables that the statement names. */
  columns: readonly string[];
  faults?: readonly SqlFault[];
  isReadOnly?: boolean;
  handle?: Ref<EditorHandle>;
  minHeight?: number;
}

const COLOURS = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--sql-keyword)', fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--sql-string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--sql-number)' },
  { tag: tags.comment, color: 'var(--mantine-color-dimmed)', fontStyle: 'italic' },
  { tag: tags.typeName, color: 'var(--sql-type)' },
]);

/** An editor of one statement; completion knows the names that it is given and nothing else. */
export function SqlEditor(props: SqlEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const language = useRef(new Compartment());
  useEffect(() => {
    if (place.current === null) return undefined;
    const { value, label, isReadOnly = false, names, columns } = latest.current;
    const made = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: value,
        extensions: [
          keys(latest),
          language.current.of(languageOf(names, columns)),
          basics(),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) latest.current.onChange(update.state.doc.toString());
          }),
          EditorView.contentAttributes.of({ 'aria-label': label, ...(isReadOnly ? {} : { 'data-filter': '' }) }),
          EditorState.readOnly.of(isReadOnly),
        ],
      }),
    });
    view.current = made;
    return () => made.destroy();
  }, []);
  useEffect(() => {
    view.current?.dispatch({ effects: language.current.reconfigure(languageOf(props.names, props.columns)) });
  }, [props.names, props.columns]);
  useEffect(() => {
    const editor = view.current;
    if (editor === undefined || editor.state.doc.toString() === props.value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: props.value } });
  }, [props.value]);
  useEffect(() => {
    const editor = view.current;
    if (editor !== undefined) editor.dispatch(setDiagnostics(editor.state, marks(editor.state, props.faults ?? [])));
  }, [props.faults]);
  useImperativeHandle(props.handle, () => handleOf(view), []);
  return <div ref={place} className="panel sql-editor" style={{ minHeight: props.minHeight ?? 180 }} />;
}

const basics = (): Extension => [
  lineNumbers(),
  history(),
  drawSelection(),
  bracketMatching(),
  closeBrackets(),
  autocompletion({ icons: false }),
  highlightActiveLine(),
  syntaxHighlighting(COLOURS),
  EditorView.lineWrapping,
  placeholder('select …'),
  keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...lintKeymap, ...defaultKeymap]),
];

/** Tab leaves the editor, as everywhere on a page. */
const keys = (latest: { current: SqlEditorProps }): Extension => {
  const act = (name: 'run' | 'save') => (view: EditorView) => {
    closeCompletion(view);
    latest.current[name]?.();
    return latest.current[name] !== undefined;
  };
  return Prec.highest(
    keymap.of([
      { key: 'Mod-Enter', run: act('run'), preventDefault: true },
      { key: 'Mod-s', run: act('save'), preventDefault: true },
    ]),
  );
};

const languageOf = (names: NameTree, columns: readonly string[]): Extension => {
  const support = sqlLanguage({ dialect: DUCKDB, schema: names, upperCaseKeywords: false });
  const list = columns.map((label) => ({ label, type: 'property', boost: 10 }));
  return [support, support.language.data.of({ autocomplete: completeFromList(list) })];
};

/** Faults as marks from their place to the end of the word. */
function marks(state: EditorState, faults: readonly SqlFault[]): Diagnostic[] {
  return faults.map(({ line, column, code, message }) => {
    const from = placeOf(state, line, column);
    const word = state.wordAt(from);
    return {
      from,
      to: Math.max(from, word?.to ?? Math.min(from + 1, state.doc.length)),
      severity: 'error',
      message: message ?? code,
    };
  });
}

function placeOf({ doc }: EditorState, line: number, column: number): number {
  const found = doc.line(Math.min(doc.lines, Math.max(1, line)));
  return Math.min(found.to, found.from + Math.max(0, column - 1));
}

const handleOf = (view: { current: EditorView | undefined }): EditorHandle => ({
  insert(text) {
    const editor = view.current;
    if (editor === undefined) return;
    editor.dispatch(editor.state.replaceSelection(text));
    editor.focus();
  },
  go(line, column) {
    const editor = view.current;
    if (editor === undefined) return;
    editor.dispatch({ selection: { anchor: placeOf(editor.state, line, column) }, scrollIntoView: true });
    editor.focus();
  },
});
