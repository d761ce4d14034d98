import { Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useIsMutating } from '@tanstack/react-query';
import { type EntityTypeView, previewBackingDataset } from '@weir/plugin-ontology/contract';
import { useRead } from '../../api/queries.ts';
import { faultsByField } from '../../faults/problem-faults.ts';
import { FaultNote } from '../../parts/fault-note.tsx';
import { Board } from './board.tsx';
import { BoardChecks } from './board-checks.tsx';
import { EntityPreview } from './entity-preview.tsx';
import { type BackingBody, type Mapping, unmapped } from './mapping.ts';
import type { BoardGiven } from './with-table.tsx';

/** How long a mapping is left alone before its entities are shown. */
const SETTLED_MS = 500;
/** Entities do not depend on the name. */
const PREVIEWED = 'preview';
/** Id of the words that say why nothing can be saved. */
export const MISSING_NOTE = 'missing';

interface MappingEditorProps extends BoardGiven {
  mapping: Mapping;
  change(mapping: Mapping): void;
  /** What would be sent. */
  body: BackingBody;
  /** Why it could not be saved. */
  error: Error | null;
}

/** The board with what a sync of its mapping needs, and the entities that it makes. */
export function MappingEditor({ type, columns, suggestions, mapping, change, body, error }: MappingEditorProps) {
  const preview = usePreview({ ...body, name: PREVIEWED }, unmapped(type, mapping).length === 0);
  const faults = faultsByCode(error ?? preview.error, body);
  return (
    <>
      <Board {...{ type, columns, suggestions, mapping, change, faults }} />
      <BoardChecks {...{ type, suggestions, mapping, preview }} />
      {preview.error === null ? null : <FaultNote error={preview.error} />}
      {preview.data === undefined ? null : <EntityPreview preview={preview.data} />}
    </>
  );
}

interface MissingNoteProps {
  type: EntityTypeView;
  mapping: Mapping;
  /** What is said of a mapping that lacks nothing. */
  words: string;
}

/** What still needs a column, beside the button that saves. */
export function MissingNote({ type, mapping, words }: MissingNoteProps) {
  const missing = unmapped(type, mapping);
  return (
    <Text size="sm" c="dimmed" id={MISSING_NOTE} className="type-text">
      {missing.length === 0 ? words : `Choose a column for ${missing.join(', ')}.`}
    </Text>
  );
}

/** The entities of what is decided, a moment after the last change; nothing while the mapping lacks something. */
function usePreview(body: BackingBody, isWhole: boolean) {
  const text = JSON.stringify(body);
  const [settled] = useDebouncedValue(text, SETTLED_MS);
  const enabled = useIsMutating() === 0 && isWhole && settled === text;
  const { data, error } = useRead(
    previewBackingDataset,
    { body: JSON.parse(settled) as BackingBody },
    { enabled, keep: true },
  );
  return isWhole ? { data: error === null ? data : undefined, error } : { data: undefined, error: null };
}

/** What a refusal says of places of the mapping, by the codes of what they fill. */
function faultsByCode(error: Error | null, body: BackingBody): ReadonlyMap<string, string> {
  const { property_mappings: fills, relationship_mappings: leads = [] } = body;
  const found = [...faultsByField(error)].flatMap(([pointer, said]) => {
    const [, list, at] = pointer.split('/');
    const code =
      list === 'property_mappings'
        ? fills[Number(at)]?.property
        : list === 'relationship_mappings'
          ? leads[Number(at)]?.relationship
          : undefined;
    return code === undefined ? [] : [[code, said] as const];
  });
  return new Map(found);
}
