import { lazy, Suspense } from 'react';
import { MIN_EDITOR_HEIGHT, type SqlEditorProps } from './editor-props.ts';

const CodeEditor = lazy(() => import('./code-editor.tsx').then((module) => ({ default: module.CodeEditor })));

/** The editor of a statement, in its place before its script is there: a page shows without it. */
export function SqlEditor(props: SqlEditorProps) {
  const { minHeight = MIN_EDITOR_HEIGHT } = props;
  return (
    <Suspense fallback={<div className="panel" style={{ minHeight }} aria-busy />}>
      <CodeEditor {...props} />
    </Suspense>
  );
}
