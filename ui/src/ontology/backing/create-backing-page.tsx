import { Autocomplete, Button, Group, NativeSelect, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { getDatasetSchema, listDatasets } from '@weir/plugin-datasets/contract';
import {
  createBackingDataset,
  type EntityTypeView,
  getEntityType,
  previewBackingDataset,
  type SuggestionsView,
  suggestMappings,
} from '@weir/plugin-ontology/contract';
import { useState } from 'react';
import { given } from '../../api/given.ts';
import { useChange, useRead } from '../../api/queries.ts';
import { faultsByField } from '../../faults/problem-faults.ts';
import { FaultNote } from '../../parts/fault-note.tsx';
import { NotAllowed } from '../../parts/not-allowed.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Region } from '../../parts/region.tsx';
import { useMay } from '../../session/person.ts';
import { useAllTypes } from '../use-types.ts';
import { WithOntology } from '../with-ontology.tsx';
import { Board } from './board.tsx';
import { BoardChecks } from './board-checks.tsx';
import { EntityPreview } from './entity-preview.tsx';
import { type BackingBody, type Column, type Mapping, mappingBody, suggestedMapping, unmapped } from './mapping.ts';

const TITLE = 'Fill an entity type from a table';
const MAX_OFFERED = 20;
const TYPING_MS = 250;
const MAX_NAME = 200;
/** As many as the server answers. */
const MAX_ALTERNATIVES = 10;
/** How long a mapping is left alone before its entities are shown. */
const SETTLED_MS = 500;
/** Entities do not depend on the name. */
const PREVIEWED = 'preview';
const STARTS = [
  { value: 'on_snapshot', label: 'when the table has new data' },
  { value: 'manual', label: 'on request' },
];

type SyncStart = 'on_snapshot' | 'manual';

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
  const isChosen = dataset !== '' && code !== '';
  const schema = useRead(getDatasetSchema, { params: { dataset_id: dataset } }, { enabled: isChosen });
  const type = useRead(getEntityType, { params: { code } }, { enabled: isChosen });
  const suggestions = useRead(
    suggestMappings,
    { body: { dataset_id: dataset, entity_type_code: code, top_k: MAX_ALTERNATIVES } },
    { enabled: isChosen },
  );
  if (!isChosen)
    return (
      <Text size="sm" c="dimmed">
        Choose a table and a type. Likely pairs are suggested by names, types and values; nothing is stored before you
        save it.
      </Text>
    );
  return (
    <Region query={schema}>
      {({ fields }) => (
        <Region query={type}>
          {(found) => (
            <Region query={suggestions}>
              {(suggested) => (
                <MappingForm
                  key={`${dataset} ${code}`}
                  dataset={dataset}
                  type={found}
                  suggestions={suggested}
                  columns={fields
                    .filter(({ parent_id }) => parent_id === null)
                    .map(({ name, type: of }) => ({ name, type: of }))}
                />
              )}
            </Region>
          )}
        </Region>
      )}
    </Region>
  );
}

interface MappingFormProps {
  dataset: string;
  type: EntityTypeView;
  suggestions: SuggestionsView;
  columns: readonly Column[];
}

function MappingForm({ dataset, type, suggestions, columns }: MappingFormProps) {
  const navigate = useNavigate();
  const [mapping, setMapping] = useState<Mapping>(() => suggestedMapping(suggestions));
  const [name, setName] = useState(`${type.name} from ${dataset.split('.').at(-1)}`.slice(0, MAX_NAME));
  const [sync, setSync] = useState<SyncStart>('on_snapshot');
  const create = useChange(createBackingDataset);
  const missing = unmapped(type, mapping);
  const head = { dataset_id: dataset, entity_type_code: type.code, entity_type_version: type.version };
  const body = { name: name.trim(), ...head, ...mappingBody(type, mapping, columns), sync };
  const preview = usePreview({ ...body, name: PREVIEWED }, missing.length === 0);
  const send = () =>
    create.mutate(
      { body },
      {
        onSuccess: ({ backing_dataset_id: backingId }) =>
          void navigate({ to: '/ontology/backing/$backingId', params: { backingId } }),
      },
    );
  const fault = create.error ?? preview.error;
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (missing.length === 0) send();
      }}
    >
      <Stack gap="lg">
        <Board
          type={type}
          columns={columns}
          suggestions={suggestions}
          mapping={mapping}
          change={setMapping}
          faults={faultsByCode(fault, body)}
        />
        <BoardChecks type={type} suggestions={suggestions} mapping={mapping} preview={preview} />
        {preview.error === null ? null : <FaultNote error={preview.error} />}
        {preview.data === undefined ? null : <EntityPreview preview={preview.data} />}
        <Labels name={name} rename={setName} sync={sync} start={setSync} />
        {create.error === null ? null : <FaultNote error={create.error} />}
        <Group gap="sm">
          <Button type="submit" disabled={missing.length > 0} loading={create.isPending} aria-describedby="missing">
            Save
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

interface LabelsProps {
  name: string;
  rename(name: string): void;
  sync: SyncStart;
  start(sync: SyncStart): void;
}

/** What it is called, and when it is synced. */
const Labels = ({ name, rename, sync, start }: LabelsProps) => (
  <SimpleGrid cols={{ base: 1, sm: 2 }}>
    <TextInput
      label="Name"
      required
      maxLength={MAX_NAME}
      value={name}
      onChange={({ currentTarget: { value } }) => rename(value)}
    />
    <NativeSelect
      label="A sync starts"
      data={STARTS}
      value={sync}
      onChange={({ currentTarget: { value } }) => start(value === 'manual' ? 'manual' : 'on_snapshot')}
    />
  </SimpleGrid>
);

/** The entities of what is decided, a moment after the last change; nothing while the mapping lacks something. */
function usePreview(body: BackingBody, isWhole: boolean) {
  const text = JSON.stringify(body);
  const [settled] = useDebouncedValue(text, SETTLED_MS);
  const enabled = isWhole && settled === text;
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
