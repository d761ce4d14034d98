import { sql } from '@codemirror/lang-sql';
import { unifiedMergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { DUCKDB } from '../../editor/duckdb-dialect.ts';
import '../../editor/editor.css';
import '../../editor/editor.css';

/** What changed between two statements, removed lines above the new ones. */
export function SqlDifference({ saved, edited }: { saved: string; edited: string }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (place.current === null) return undefined;
    const view = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: edited,
        extensions: [
          sql({ dialect: DUCKDB }),
          lineNumbers(),
          EditorView.lineWrapping,
          EditorState.readOnly.of(true),
          EditorView.contentAttributes.of({ 'aria-label': 'Difference to the saved statement', tabindex: '0' }),
          unifiedMergeView({ original: saved, mergeControls: false, gutter: true }),
        ],
      }),
    });
    return () => view.destroy();
  }, [saved, edited]);
  return <div ref={place} className="panel sql-editor" />;
}
