import { sql } from '@codemirror/lang-sql';
import { unifiedMergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { DUCKDB } from '../../editor/duckdb-dialect.ts';
import '../../editor/editor.css';

/** What changed between two statements, removed lines above the new ones. */
export function SqlDifference({ before, after, label }: { before: string; after: string; label: string }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (place.current === null) return undefined;
    const view = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: after,
        extensions: [
          sql({ dialect: DUCKDB }),
          lineNumbers(),
          EditorView.lineWrapping,
          EditorState.readOnly.of(true),
          EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
          unifiedMergeView({ original: before, mergeControls: false, gutter: true }),
        ],
      }),
    });
    return () => view.destroy();
  }, [before, after, label]);
  return <div ref={place} className="panel sql-editor" />;
}
