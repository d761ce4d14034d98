import { Button, Collapse, Group, List, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { DiscoveredStreamView, LookNoteView, StreamLookView } from '@weir/plugin-sources/contract';
import { useId } from 'react';
import { counted } from '../../../parts/numbers.ts';
import { retyped, type Writing } from '../plan/load-plan.ts';
import { delimiterWord, formatWord, noteWords, placeWords } from '../plan/note-words.ts';
import { TypedRows } from './typed-rows.tsx';
import { WritingForm } from './writing-form.tsx';

interface StreamLookProps {
  stream: Pick<DiscoveredStreamView, 'name' | 'schema'>;
  look: StreamLookView | undefined;
  /** What a person has said of it so far. */
  writing: Writing;
  isBusy: boolean;
  onCorrect(change: Writing): void;
}

/** A table as it will be: how its files are read, what does not fit, its columns with their types, and its first rows. */
export function StreamLook({ stream, look, writing, isBusy, onCorrect }: StreamLookProps) {
  const heading = useId();
  return (
    <Stack component="section" aria-labelledby={heading} gap="sm" p="md" className="panel">
      <Title order={2} id={heading} size="md" style={{ overflowWrap: 'anywhere' }}>
        Table {stream.name}
      </Title>
      {look === undefined ? null : <HowRead look={look} />}
      {look === undefined ? null : <Notes look={look} />}
      <Correct stream={stream.name} look={look} writing={writing} isBusy={isBusy} onCorrect={onCorrect} />
      <TypedRows
        stream={stream}
        look={look}
        types={writing.types ?? []}
        onType={(column, type) => onCorrect(retyped(writing, column, type))}
      />
    </Stack>
  );
}

function HowRead({ look: { files, records, is_whole: isWhole, rejected } }: { look: StreamLookView }) {
  const ways = new Set(
    files.map(({ format, encoding, delimiter, header_line: line }) =>
      [
        formatWord(format),
        ...(encoding === null ? [] : [encoding]),
        ...(delimiter === null ? [] : [`${delimiterWord(delimiter)} between fields`]),
        ...(format !== 'csv' || encoding === null ? [] : [line === null ? 'no header line' : `header in line ${line}`]),
      ].join(', '),
    ),
  );
  return (
    <div>
      {[...ways].map((way) => (
        <Text key={way} size="sm">
          Read as {way}.
        </Text>
      ))}
      <Text size="sm" c="dimmed">
        {isWhole ? `All ${counted(records, 'record')} looked at` : `The first ${counted(records, 'record')} looked at`}:{' '}
        {counted(records - rejected, 'row')}, {counted(rejected, 'line')} for quarantine.
      </Text>
    </div>
  );
}

function Notes({ look: { notes, files } }: { look: StreamLookView }) {
  if (notes.length === 0) return <Text size="sm">Everything that was looked at fits.</Text>;
  return (
    <List size="sm" aria-label="What does not fit" spacing={6}>
      {notes.map((note) => (
        <Note key={JSON.stringify(note)} note={note} hasSeveralFiles={files.length > 1} />
      ))}
    </List>
  );
}

function Note({ note, hasSeveralFiles }: { note: LookNoteView; hasSeveralFiles: boolean }) {
  const { what, outcome } = noteWords(note);
  return (
    <List.Item>
      <strong>{what}.</strong> {outcome}
      {placeWords(note, hasSeveralFiles).map((words) => (
        <Text key={words} size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
          {words}
        </Text>
      ))}
    </List.Item>
  );
}

/** What the form says. */
const WRITTEN = ['format', 'encoding', 'delimiter', 'header', 'skip_lines', 'quote'] as const;

function Correct({ stream, look, writing, isBusy, onCorrect }: Omit<StreamLookProps, 'stream'> & { stream: string }) {
  const [isOpen, { toggle }] = useDisclosure(false);
  const region = useId();
  const format = writing.format ?? look?.files[0]?.format ?? 'csv';
  if (format === 'parquet') return null;
  const said = WRITTEN.filter((key) => writing[key] !== undefined).length;
  return (
    <div>
      <Group>
        <Button
          variant="default"
          size="xs"
          onClick={toggle}
          aria-expanded={isOpen}
          aria-controls={region}
          aria-label={`Read it otherwise: ${stream}`}
        >
          Read it otherwise
        </Button>
        {said === 0 ? null : <Text size="sm">{counted(said, 'setting')} of yours</Text>}
      </Group>
      <Collapse expanded={isOpen} id={region}>
        <WritingForm stream={stream} format={format} writing={writing} isBusy={isBusy} onCorrect={onCorrect} />
      </Collapse>
    </div>
  );
}
