import { Alert, SegmentedControl, Stack, Textarea, Title } from '@mantine/core';
import { useCallback, useState } from 'react';
import { type DocumentDraft, documentIn, readDocument, readDraft, type TypeBody } from './draft.ts';
import { PropertyRows } from './property-rows.tsx';
import { RelationshipRows } from './relationship-rows.tsx';

const MIN_ROWS = 14;
const MAX_ROWS = 34;
const JSON_INDENT = 2;
const VIEWS = [
  { value: 'form', label: 'Form' },
  { value: 'document', label: 'Document' },
];

/** A document, as a form or as the text of it; while there is a text, it is what counts. */
export interface Edited {
  draft: DocumentDraft;
  text: string | undefined;
}

/** What is sent of it, or why nothing can be. */
export function bodyOf({ draft, text }: Edited, own: string): { body: Record<string, unknown> } | { fault: string } {
  return text === undefined ? { body: documentIn(draft, own) } : readDocument(text);
}

interface DocumentFormProps {
  edited: Edited;
  setEdited(from: (before: Edited) => Edited): void;
  own: string;
  before: ReadonlySet<string>;
  /** What a text says beside the document, as the form takes it. */
  onLabels?: (labels: Partial<TypeBody>) => void;
  /** What the text holds beside the document, when it is first shown. */
  beside?: object;
}

/** Properties and relationships of a version, as a form that takes no JSON, or as a document. */
export function DocumentForm({ edited, setEdited, own, before, onLabels, beside }: DocumentFormProps) {
  const [fault, setFault] = useState<string>();
  const { draft, text } = edited;
  const change = useCallback(
    (from: (draft: DocumentDraft) => DocumentDraft) =>
      setEdited((one) => ({ draft: from(one.draft), text: undefined })),
    [setEdited],
  );
  const show = (view: string) => {
    setFault(undefined);
    if (view === 'document') {
      const whole = JSON.stringify({ ...beside, ...documentIn(draft, own) }, undefined, JSON_INDENT);
      return setEdited((one) => ({ ...one, text: whole }));
    }
    const read = readDraft(text ?? '');
    if ('fault' in read) return setFault(read.fault);
    onLabels?.(read.body.labels);
    return setEdited(() => ({ draft: read.body.draft, text: undefined }));
  };
  return (
    <Stack gap="sm">
      <div>
        <SegmentedControl
          size="xs"
          aria-label="Write it as"
          data={VIEWS}
          value={text === undefined ? 'form' : 'document'}
          onChange={show}
        />
      </div>
      {fault === undefined ? null : (
        <Alert role="alert" color="red" variant="outline" className="panel" title="The form cannot show this document">
          {fault}
        </Alert>
      )}
      {text === undefined ? (
        <>
          <Title order={2}>Properties</Title>
          <PropertyRows draft={draft} change={change} before={before} />
          <Title order={2}>Relationships</Title>
          <RelationshipRows draft={draft} change={change} own={own} />
        </>
      ) : (
        <Textarea
          label="Document"
          description="JSON or YAML; a file of an entity type, or of a version, works too"
          autosize
          minRows={MIN_ROWS}
          maxRows={MAX_ROWS}
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          value={text}
          onChange={({ currentTarget: { value } }) => setEdited((one) => ({ ...one, text: value }))}
        />
      )}
    </Stack>
  );
}

/** Places of a refused document in the words of the form. */
export const placeOf =
  (body: { properties?: unknown; relationships?: unknown } | undefined) =>
  (pointer: string): string | undefined => {
    const [, list, at, ...rest] = pointer.replace(/^\/document/, '').split('/');
    if (body === undefined || (list !== 'properties' && list !== 'relationships') || at === undefined) return undefined;
    const items = body[list];
    const code = Array.isArray(items) ? (items[Number(at)] as { code?: unknown } | undefined)?.code : undefined;
    if (typeof code !== 'string' || code === '') return undefined;
    const thing = list === 'properties' ? 'Property' : 'Relationship';
    return [`${thing} ${code}`, ...rest.map((part) => part.replaceAll('_', ' '))].join(', ');
  };
