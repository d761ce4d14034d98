import { Compartment, EditorState, type Extension, Prec } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers, placeholder } from '@codemirror/view';
import { useCallback, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { type EditorHandle, MIN_EDITOR_HEIGHT, type SqlEditorProps } from './editor-props.ts';
import { placeOf } from './place-of.ts';
import './editor.css';

interface Current<T> {
  current: T;
}

/** Colours, completion and marks: more script than the editor itself. */
type Help = typeof import('./sql-help.ts');

/** An editor of one statement; completion knows the names that it is given and nothing else. */
export function CodeEditor(props: SqlEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const helped = useRef(new Compartment());
  const [help, needHelp] = useHelp();
  const helper = useRef<Help>(undefined);
  helper.current = help;
  const isEmpty = props.value === '';
  useEffect(() => {
    if (!isEmpty) needHelp();
  }, [isEmpty, needHelp]);
  useEffect(() => {
    if (place.current === null) return undefined;
    const { value, label, isReadOnly = false } = latest.current;
    const made = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: value,
        extensions: [
          keys(latest, helper),
          helped.current.of([]),
          basics(),
          EditorView.domEventHandlers({ focus: () => needHelp() }),
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
  }, [needHelp]);
  useEffect(() => {
    if (view.current === undefined || help === undefined) return;
    const extension = help.helpWith(props.names, props.columns);
    view.current.dispatch({ effects: helped.current.reconfigure(extension) });
  }, [help, props.names, props.columns]);
  useEffect(() => {
    // What was typed before the help came is completed now.
    if (view.current?.hasFocus && view.current.state.doc.length > 0) help?.startCompletion(view.current);
  }, [help]);
  useEffect(() => {
    const editor = view.current;
    if (editor === undefined || editor.state.doc.toString() === props.value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: props.value } });
  }, [props.value]);
  useEffect(() => {
    const editor = view.current;
    if (editor !== undefined) help?.showFaults(editor, props.faults ?? []);
  }, [help, props.faults]);
  useImperativeHandle(props.handle, () => handleOf(view), []);
  return <div ref={place} className="panel sql-editor" style={{ minHeight: props.minHeight ?? MIN_EDITOR_HEIGHT }} />;
}

/** Reads the help once it is needed. */
function useHelp() {
  const [help, setHelp] = useState<Help>();
  const asked = useRef(false);
  const need = useCallback(() => {
    if (asked.current) return;
    asked.current = true;
    // Without it the editor is one for plain text; the next need tries again.
    import('./sql-help.ts').then(setHelp, () => (asked.current = false));
  }, []);
  return [help, need] as const;
}

const basics = (): Extension => [
  lineNumbers(),
  drawSelection(),
  highlightActiveLine(),
  EditorView.lineWrapping,
  placeholder('select …'),
];

/** Tab leaves the editor, as everywhere on a page. */
const keys = (latest: Current<SqlEditorProps>, help: Current<Help | undefined>): Extension => {
  const act = (name: 'run' | 'save') => (view: EditorView) => {
    help.current?.closeCompletion(view);
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
