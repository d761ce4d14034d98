import type { Ref } from 'react';
import type { SqlFault } from './sql-faults.ts';
import type { NameTree } from './sql-names.ts';

export interface EditorHandle {
  insert(text: string): void;
  /** Puts the cursor at a place. */
  go(line: number, column: number): void;
}

export interface SqlEditorProps {
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

/** In pixels. */
export const MIN_EDITOR_HEIGHT = 180;
