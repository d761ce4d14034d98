import { Autocomplete, Button, Group, NativeSelect, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { getDatasetSchema, listDatasets } from '@weir/plugin-datasets/contract';
import { createBackingDataset, type EntityTypeView, getEntityType } from '@weir/plugin-ontology/contract';
import { useState } from 'react';
import { given } from '../../api/given.ts';
import { useChange, useRead } from '../../api/queries.ts';
import { FaultNote } from '../../parts/fault-note.tsx';
import { NotAllowed } from '../../parts/not-allowed.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Region } from '../../parts/region.tsx';
import { useMay } from '../../session/person.ts';
import { useAllTypes } from '../use-types.ts';
import { WithOntology } from '../with-ontology.tsx';
import { type Column, type Mapping, mappingBody, proposedMapping, unmapped } from './mapping.ts';
import { MappingRows } from './mapping-rows.tsx';

const TITLE = 'Fill an entity type from a table';
const MAX_OFFERED = 20;
const TYPING_MS = 250;
const MAX_NAME = 200;
const STARTS = [
  { value: 'on_snapshot', label: 'when the table has new data' },
  { value: 'manual', label: 'on request' },
];

/** Says which columns of a table become which properties; the address holds table and type. */
export function CreateBackingPage() {
  if (!useMay(createBackingDataset)) return <NotAllowed title={TITLE} things="backing datasets" />;
  return (
    <WithOntology title={TITLE}>
      <PageHead title={TITLE} />
      <Stack gap="md" maw={1100}>
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
  const isChosen = dataset !== '' && code !== '';
  const schema = useRead(getDatasetSchema, { params: { dataset_id: dataset } }, { enabled: isChosen });
  const type = useRead(getEntityType, { params: { code } }, { enabled: isChosen });
  if (!isChosen)
    return (
      <Text size="sm" c="dimmed">
        Choose a table and a type. Columns of the same names are matched at once; nothing is stored before you have
        looked.
      </Text>
    );
  return (
    <Region query={schema}>
      {({ fields }) => (
        <Region query={type}>
          {(found) => (
            <MappingForm
              key={`${dataset} ${code}`}
              dataset={dataset}
              type={found}
              columns={fields
                .filter(({ parent_id }) => parent_id === null)
                .map(({ name, type: of }) => ({ name, isList: of.startsWith('list<') }))}
            />
          )}
        </Region>
      )}
    </Region>
  );
}

interface MappingFormProps {
  dataset: string;
  type: EntityTypeView;
  columns: readonly Column[];
}

function MappingForm({ dataset, type, columns }: MappingFormProps) {
  const navigate = useNavigate();
  const [mapping, setMapping] = useState<Mapping>(() => proposedMapping(type, columns));
  const [name, setName] = useState(`${type.name} from ${dataset.split('.').at(-1)}`.slice(0, MAX_NAME));
  const [sync, setSync] = useState<'on_snapshot' | 'manual'>('on_snapshot');
  const create = useChange(createBackingDataset);
  const missing = unmapped(type, mapping);
  const head = { dataset_id: dataset, entity_type_code: type.code, entity_type_version: type.version };
  const send = () =>
    create.mutate(
      { body: { name: name.trim(), ...head, ...mappingBody(type, mapping, columns), sync } },
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
        if (missing.length === 0) send();
      }}
    >
      <Stack gap="md">
        <MappingRows type={type} columns={columns} mapping={mapping} change={setMapping} />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            label="Name"
            required
            maxLength={MAX_NAME}
            value={name}
            onChange={({ currentTarget: { value } }) => setName(value)}
          />
          <NativeSelect
            label="A sync starts"
            data={STARTS}
            value={sync}
            onChange={({ currentTarget: { value } }) => setSync(value === 'manual' ? 'manual' : 'on_snapshot')}
          />
        </SimpleGrid>
        {create.error === null ? null : <FaultNote error={create.error} />}
        <Group gap="sm">
          <Button type="submit" disabled={missing.length > 0} loading={create.isPending} aria-describedby="missing">
            Fill it
          </Button>
          <Text size="sm" c="dimmed" id="missing" className="type-text">
            {missing.length === 0
              ? 'The first sync reads every row of the table.'
              : `Choose a column for ${missing.join(', ')}.`}
          </Text>
        </Group>
      </Stack>
    </form>
  );
}
