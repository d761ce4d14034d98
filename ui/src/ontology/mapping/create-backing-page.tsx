import { Autocomplete, Button, Group, NativeSelect, SimpleGrid, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { listDatasets } from '@weir/plugin-datasets/contract';
import { createBackingDataset } from '@weir/plugin-ontology/contract';
import { useState } from 'react';
import { given } from '../../api/given.ts';
import { useChange, useRead } from '../../api/queries.ts';
import { FaultNote } from '../../parts/fault-note.tsx';
import { NotAllowed } from '../../parts/not-allowed.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useMay } from '../../session/person.ts';
import { useAllTypes } from '../use-types.ts';
import { WithOntology } from '../with-ontology.tsx';
import { LabelFields, type Labels, labelsBody, MAX_NAME } from './labels.tsx';
import { type Mapping, mappingBody, suggestedMapping, unmapped } from './mapping.ts';
import { MappingEditor, MISSING_NOTE, MissingNote } from './mapping-editor.tsx';
import { type BoardGiven, WithTable } from './with-table.tsx';

const TITLE = 'Fill an entity type from a table';
const MAX_OFFERED = 20;
const TYPING_MS = 250;

/** Says which columns of a table become which properties; the address holds table and type. */
export function CreateBackingPage() {
  if (!useMay(createBackingDataset)) return <NotAllowed title={TITLE} things="backing datasets" />;
  return (
    <WithOntology title={TITLE}>
      <PageHead title={TITLE} />
      <Stack gap="md" maw={1280}>
        <Choice />
        <Chosen />
      </Stack>
    </WithOntology>
  );
}

/** Which table, and which type. */
function Choice() {
  const { type, dataset = '' } = useSearch({ from: '/ontology/backing/create' });
  const navigate = useNavigate({ from: '/ontology/backing/create' });
  const types = useAllTypes();
  const [table, setTable] = useState(dataset);
  const [word] = useDebouncedValue(table.trim(), TYPING_MS);
  const query = given({ limit: MAX_OFFERED, search: word });
  const { data } = useRead(listDatasets, { query }, { keep: true });
  const names = [...new Set(data?.items.map(({ dataset_id }) => dataset_id))];
  const choose = (change: { type?: string; dataset?: string }) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <Autocomplete
        label="Table"
        required
        data={names}
        filter={({ options }) => options}
        value={table}
        onChange={(value) => {
          setTable(value);
          choose({ dataset: value.trim() });
        }}
      />
      <NativeSelect
        label="Entity type"
        required
        data={[
          { value: '', label: 'Choose one' },
          ...(types.data ?? []).map(({ code, name }) => ({
            value: code,
            label: name === code ? code : `${name} (${code})`,
          })),
        ]}
        value={type ?? ''}
        onChange={({ currentTarget: { value } }) => choose({ type: value })}
      />
    </SimpleGrid>
  );
}

function Chosen() {
  const search = useSearch({ from: '/ontology/backing/create' });
  const [dataset] = useDebouncedValue(search.dataset ?? '', TYPING_MS);
  const { type: code = '' } = search;
  if (dataset === '' || code === '')
    return (
      <Text size="sm" c="dimmed">
        Choose a table and a type. Likely pairs are suggested by names, types and values; nothing is stored before you
        save it.
      </Text>
    );
  return (
    <WithTable key={`${dataset} ${code}`} dataset={dataset} code={code}>
      {(given) => <CreateForm dataset={dataset} {...given} />}
    </WithTable>
  );
}

function CreateForm({ dataset, type, suggestions, columns }: BoardGiven & { dataset: string }) {
  const navigate = useNavigate();
  const [mapping, setMapping] = useState<Mapping>(() => suggestedMapping(suggestions));
  const [labels, setLabels] = useState<Labels>({
    name: `${type.name} from ${dataset.split('.').at(-1)}`.slice(0, MAX_NAME),
    sync: 'on_snapshot',
    max_rejected_rows: 0,
  });
  const create = useChange(createBackingDataset);
  const isWhole = unmapped(type, mapping).length === 0;
  const head = { dataset_id: dataset, entity_type_code: type.code, entity_type_version: type.version };
  const body = { ...labelsBody(labels), ...head, ...mappingBody(type, mapping, columns) };
  const send = () =>
    create.mutate(
      { body },
      {
        onSuccess: ({ backing_dataset_id: backingId }) =>
          void navigate({ to: '/ontology/backing/$backingId', params: { backingId } }),
      },
    );
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (isWhole) send();
      }}
    >
      <Stack gap="lg">
        <MappingEditor {...{ type, columns, suggestions, mapping, body }} change={setMapping} error={create.error} />
        <LabelFields labels={labels} change={setLabels} />
        {create.error === null ? null : <FaultNote error={create.error} />}
        <Group gap="sm">
          <Button type="submit" disabled={!isWhole} loading={create.isPending} aria-describedby={MISSING_NOTE}>
            Save
          </Button>
          <MissingNote type={type} mapping={mapping} words="The first sync reads every row of the table." />
        </Group>
      </Stack>
    </form>
  );
}
