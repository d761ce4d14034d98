import { Button, Checkbox, Group, NativeSelect, NumberInput, SimpleGrid, Stack } from '@mantine/core';
import { useState } from 'react';
import type { Writing } from '../plan/load-plan.ts';
import { delimiterWord, formatWord } from '../plan/note-words.ts';

/** What the connector of files knows, in its words. */
const FORMATS = ['csv', 'json', 'jsonl'] as const;
const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'iso-8859-1'] as const;
const DELIMITERS = [',', ';', '\t', '|'] as const;
const QUOTES = ['"', "'", 'none'] as const;
const MAX_SKIPPED_LINES = 1_000;
const SEEN = { value: '', label: 'As seen from the file' };

interface WritingFormProps {
  stream: string;
  format: string;
  writing: Writing;
  isBusy: boolean;
  onCorrect(change: Writing): void;
}

/** How the files of a stream are written, where that was not seen rightly. */
export function WritingForm({ stream, format, writing, isBusy, onCorrect }: WritingFormProps) {
  const [said, setSaid] = useState<Writing>(writing);
  const say = (more: Writing) => setSaid({ ...said, ...more });
  const isCsv = (said.format ?? format) === 'csv';
  return (
    <form
      aria-label={`How ${stream} is written`}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const { types: _types, ...change } = said;
        onCorrect(
          isCsv
            ? change
            : { ...change, delimiter: undefined, header: undefined, skip_lines: undefined, quote: undefined },
        );
      }}
    >
      <Stack gap="sm" pt="sm" maw={640}>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <NativeSelect
            label="Format"
            value={said.format ?? ''}
            data={[
              { ...SEEN, label: 'By the ending' },
              ...FORMATS.map((value) => ({ value, label: formatWord(value) })),
            ]}
            onChange={({ currentTarget: { value } }) => say({ format: value || undefined })}
          />
          <NativeSelect
            label="Encoding"
            value={said.encoding ?? ''}
            data={[SEEN, ...ENCODINGS]}
            onChange={({ currentTarget: { value } }) => say({ encoding: value || undefined })}
          />
          {isCsv ? <CsvFields said={said} say={say} /> : null}
        </SimpleGrid>
        {isCsv ? (
          <Checkbox
            label="The first line names the columns"
            checked={said.header !== false}
            onChange={({ currentTarget: { checked } }) => say({ header: checked ? undefined : false })}
          />
        ) : null}
        <Group>
          <Button type="submit" size="xs" loading={isBusy}>
            Look again
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function CsvFields({ said, say }: { said: Writing; say(more: Writing): void }) {
  return (
    <>
      <NativeSelect
        label="Between fields"
        value={said.delimiter ?? ''}
        data={[SEEN, ...DELIMITERS.map((value) => ({ value, label: delimiterWord(value) }))]}
        onChange={({ currentTarget: { value } }) => say({ delimiter: value || undefined })}
      />
      <NativeSelect
        label="Quotes around fields"
        value={said.quote ?? '"'}
        data={QUOTES.map((value) => ({ value, label: value }))}
        onChange={({ currentTarget: { value } }) => say({ quote: value === '"' ? undefined : value })}
      />
      <NumberInput
        label="Lines above the header"
        description="Such as a title"
        value={said.skip_lines ?? 0}
        min={0}
        max={MAX_SKIPPED_LINES}
        allowDecimal={false}
        onChange={(value) => say({ skip_lines: Number(value) > 0 ? Number(value) : undefined })}
      />
    </>
  );
}
