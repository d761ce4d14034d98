import { Autocomplete, Button, NativeSelect, SimpleGrid, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { listDatasets } from '@weir/plugin-datasets/contract';
import { listSubjects, searchLibraries, validateSchema } from '@weir/plugin-schema-registry/contract';
import { useState } from 'react';
import { given } from '../../api/given.ts';
import { useRead } from '../../api/queries.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { Region } from '../../parts/region.tsx';
import { WithSchemas } from '../with-schemas.tsx';
import { type CheckedAgainst, CheckResult } from './check-result.tsx';

const MAX_OFFERED = 20;
const TYPING_MS = 250;

/** Checks the rows of a table against a schema; the address holds which, so that a link shows the answer. */
export const CheckPage = () => (
  <WithSchemas title="Check a table">
    <PageHead title="Check a table against a schema" />
    <Shown />
  </WithSchemas>
);

function Shown() {
  const { dataset, subject, model } = useSearch({ from: '/schemas/check' });
  const hasSchema = subject !== undefined || model !== undefined;
  return (
    <Stack gap="md" maw={1100}>
      <Form key={`${dataset} ${subject} ${model}`} />
      {dataset === undefined || !hasSchema ? (
        <Text size="sm" c="dimmed">
          The first 50,000 rows are checked. NULL counts as an absent member. Nothing is changed.
        </Text>
      ) : (
        <Answer dataset={dataset} schema={subject === undefined ? { full_id: model ?? '' } : { subject }} />
      )}
    </Stack>
  );
}

function Form() {
  const search = useSearch({ from: '/schemas/check' });
  const navigate = useNavigate({ from: '/schemas/check' });
  const [dataset, setDataset] = useState(search.dataset ?? '');
  const [kind, setKind] = useState<'subject' | 'model'>(search.model === undefined ? 'subject' : 'model');
  const [name, setName] = useState(search.model ?? search.subject ?? '');
  const isComplete = dataset.trim() !== '' && name.trim() !== '';
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isComplete) void navigate({ search: { dataset: dataset.trim(), [kind]: name.trim() } });
      }}
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }} mb="md">
        <DatasetField value={dataset} onChange={setDataset} />
        <div />
        <NativeSelect
          label="Against"
          description="Where the schema is"
          data={[
            { value: 'subject', label: 'a schema of ours' },
            { value: 'model', label: 'a published model' },
          ]}
          value={kind}
          onChange={({ currentTarget: { value } }) => {
            setKind(value === 'model' ? 'model' : 'subject');
            setName('');
          }}
        />
        {kind === 'subject' ? (
          <SubjectField value={name} onChange={setName} />
        ) : (
          <ModelField value={name} onChange={setName} />
        )}
      </SimpleGrid>
      <Button type="submit" disabled={!isComplete}>
        Check the rows
      </Button>
    </form>
  );
}

interface FieldProps {
  value: string;
  onChange(value: string): void;
}

function DatasetField({ value, onChange }: FieldProps) {
  const [word] = useDebouncedValue(value.trim(), TYPING_MS);
  const query = given({ limit: MAX_OFFERED, search: word });
  const { data } = useRead(listDatasets, { query }, { keep: true });
  const names = data?.items.map(({ dataset_id }) => dataset_id) ?? [];
  return <Autocomplete label="Table" required data={offered(names)} filter={all} value={value} onChange={onChange} />;
}

function SubjectField({ value, onChange }: FieldProps) {
  const [word] = useDebouncedValue(value.trim(), TYPING_MS);
  const query = given({ limit: MAX_OFFERED, order: 'subject' as const, q: word });
  const { data } = useRead(listSubjects, { query }, { keep: true });
  const names = data?.items.map(({ subject }) => subject) ?? [];
  return (
    <Autocomplete
      label="Schema"
      description="Its newest version"
      required
      data={offered(names)}
      filter={all}
      value={value}
      onChange={onChange}
    />
  );
}

function ModelField({ value, onChange }: FieldProps) {
  const [word] = useDebouncedValue(value.trim(), TYPING_MS);
  const { data } = useRead(
    searchLibraries,
    { query: { q: word, limit: MAX_OFFERED } },
    { enabled: word !== '', keep: true },
  );
  const names = data?.items.map(({ full_id }) => full_id) ?? [];
  return (
    <Autocomplete
      label="Model"
      description="Some words of it, typos allowed"
      required
      data={offered(names)}
      filter={all}
      value={value}
      onChange={onChange}
    />
  );
}

const offered = (names: readonly string[]) => [...new Set(names)];
/** What the server found is offered as it is. */
const all = ({ options }: { options: { value: string; label: string }[] | unknown }) => options as never;

function Answer({ dataset, schema }: { dataset: string; schema: CheckedAgainst }) {
  const query = useRead(validateSchema, { body: { ...schema, dataset_id: dataset } });
  return <Region query={query}>{(result) => <CheckResult dataset={dataset} schema={schema} result={result} />}</Region>;
}
