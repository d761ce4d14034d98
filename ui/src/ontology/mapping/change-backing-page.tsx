import { Alert, Anchor, Button, Group, NativeSelect, Stack, Table, Text, Title } from '@mantine/core';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import {
  type BackingDatasetView,
  changeBackingDataset,
  getBackingDataset,
  getEntityType,
} from '@weir/plugin-ontology/contract';
import { useState } from 'react';
import { ProblemError } from '../../api/problem-error.ts';
import { useChange, useRead } from '../../api/queries.ts';
import { FaultNote } from '../../parts/fault-note.tsx';
import { NotAllowed } from '../../parts/not-allowed.tsx';
import { counted } from '../../parts/numbers.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { Region } from '../../parts/region.tsx';
import { ShowTime } from '../../parts/show-time.tsx';
import { useMay } from '../../session/person.ts';
import { LongTable } from '../../table/long-table.tsx';
import { WithOntology } from '../with-ontology.tsx';
import { changesSync, type MappingChange, mappingChanges, patchOf } from './changes.ts';
import { LabelFields, type Labels, labelsBody } from './labels.tsx';
import { type Mapping, mappingBody, storedMapping, unmapped } from './mapping.ts';
import { MappingEditor, MISSING_NOTE, MissingNote } from './mapping-editor.tsx';
import { type BoardGiven, WithTable } from './with-table.tsx';
import '../ontology.css';

const TITLE = 'Change a mapping';
const OVERTAKEN = 412;

/** Changes which columns of a table become which properties, on the board; nothing else of the backing dataset. */
export function ChangeBackingPage() {
  const { backingId } = useParams({ from: '/ontology/backing/$backingId/mapping' });
  if (!useMay(changeBackingDataset)) return <NotAllowed title={TITLE} things="backing datasets" />;
  return (
    <WithOntology title={TITLE}>
      <PageHead title={TITLE} />
      <Loaded key={backingId} backingId={backingId} />
    </WithOntology>
  );
}

interface Draft {
  mapping: Mapping;
  labels: Labels;
}

const draftOf = (stored: BackingDatasetView): Draft => ({
  mapping: storedMapping(stored),
  labels: { name: stored.name, sync: stored.sync, max_rejected_rows: stored.max_rejected_rows },
});

/** The draft on top of what is stored now: what it left as it was is as it is now. */
const rebased = ({ mapping, labels }: Draft, was: Draft, now: Draft): Draft => ({
  mapping: {
    properties: onTop(mapping.properties, was.mapping.properties, now.mapping.properties),
    relationships: onTop(mapping.relationships, was.mapping.relationships, now.mapping.relationships),
  },
  labels: { ...labels, ...onTop({ ...labels }, { ...was.labels }, { ...now.labels }) },
});

function onTop<T>(mine: Readonly<Record<string, T>>, was: typeof mine, now: typeof mine): Record<string, T> {
  const isMine = (name: string) => JSON.stringify(mine[name]) !== JSON.stringify(was[name]);
  const members = [...new Set([...Object.keys(mine), ...Object.keys(now)])].flatMap((name) => {
    const member = isMine(name) ? mine[name] : now[name];
    return member === undefined ? [] : [[name, member] as const];
  });
  return Object.fromEntries(members);
}

/** What somebody saves meanwhile must not change the board under the hands: `base` is what the draft is compared with. */
function Loaded({ backingId }: { backingId: string }) {
  const query = useRead(getBackingDataset, { params: { backing_dataset_id: backingId } });
  const [begun, setBegun] = useState<{ base: BackingDatasetView; draft: Draft }>();
  const { data: newest } = query;
  if (begun === undefined && newest !== undefined) setBegun({ base: newest, draft: draftOf(newest) });
  return (
    <Region query={query}>
      {(found) => {
        const { base, draft } = begun ?? { base: found, draft: draftOf(found) };
        return (
          <Stack gap="md" maw={1280}>
            <Between backing={base} />
            <ChosenVersion backing={base}>
              {(given) => (
                <ChangeForm
                  {...given}
                  base={base}
                  newest={found}
                  readNewest={() => void query.refetch()}
                  draft={draft}
                  change={(next) => setBegun({ base, draft: next })}
                  keep={() => setBegun({ base: found, draft: rebased(draft, draftOf(base), draftOf(found)) })}
                  drop={() => setBegun({ base: found, draft: draftOf(found) })}
                />
              )}
            </ChosenVersion>
          </Stack>
        );
      }}
    </Region>
  );
}

/** Which table fills which type. */
const Between = ({ backing: { backing_dataset_id: backingId, name, dataset_id, entity_type_code } }: OfBacking) => (
  <Text size="sm" mt={-8} className="type-text">
    <Anchor
      inherit
      underline="always"
      renderRoot={(props) => <Link to="/ontology/backing/$backingId" params={{ backingId }} {...props} />}
    >
      {name}
    </Anchor>
    : <span className="mono-id">{dataset_id}</span> fills {entity_type_code}.
  </Text>
);

interface OfBacking {
  backing: BackingDatasetView;
}

/** The board of the version that the mapping has, or of the newest, which the address says. */
function ChosenVersion({ backing, children }: OfBacking & { children: Parameters<typeof WithTable>[0]['children'] }) {
  const { dataset_id: dataset, entity_type_code: code, entity_type_version: own } = backing;
  const { version } = useSearch({ from: '/ontology/backing/$backingId/mapping' });
  const navigate = useNavigate({ from: '/ontology/backing/$backingId/mapping' });
  const newest = useRead(getEntityType, { params: { code } }).data?.version ?? own;
  const chosen = version === undefined ? own : Number(version);
  const offered = [...new Set([own, newest, chosen])].toSorted((a, b) => a - b);
  return (
    <>
      {offered.length === 1 ? null : (
        <NativeSelect
          label="Version of the type"
          maw={280}
          data={offered.map((one) => ({
            value: String(one),
            label: `${one}${one === own ? ', as now' : one === newest ? ', the newest' : ''}`,
          }))}
          value={String(chosen)}
          onChange={({ currentTarget: { value } }) =>
            void navigate({ search: value === String(own) ? {} : { version: value }, replace: true })
          }
        />
      )}
      <WithTable dataset={dataset} code={code} version={chosen}>
        {children}
      </WithTable>
    </>
  );
}

interface ChangeFormProps extends BoardGiven {
  base: BackingDatasetView;
  newest: BackingDatasetView;
  readNewest(): void;
  draft: Draft;
  change(draft: Draft): void;
  /** Puts the draft on top of what is stored now. */
  keep(): void;
  /** Begins again from what is stored now. */
  drop(): void;
}

function ChangeForm(props: ChangeFormProps) {
  const { type, columns, suggestions, base, newest, readNewest, draft, change, keep, drop } = props;
  const { mapping, labels } = draft;
  const navigate = useNavigate();
  const save = useChange(changeBackingDataset);
  const isWhole = unmapped(type, mapping).length === 0;
  const lists = mappingBody(type, mapping, columns, base.relationship_mappings);
  const after = { ...labelsBody(labels), entity_type_version: type.version, relationship_mappings: [], ...lists };
  const changes = mappingChanges(base, after);
  const { dataset_id, entity_type_code, row_filter, delete_policy, duplicate_keys, null_keys, merge_mode } = base;
  const kept = { dataset_id, entity_type_code, row_filter, delete_policy, duplicate_keys, null_keys, merge_mode };
  const isRefused = save.error instanceof ProblemError && save.error.problem.status === OVERTAKEN;
  const isOvertaken = newest.etag !== base.etag && !save.isPending && !save.isSuccess;
  const { backing_dataset_id } = base;
  const again = (begin: () => void) => () => {
    save.reset();
    begin();
  };
  const send = () =>
    save.mutate(
      { params: { backing_dataset_id }, body: patchOf(changes, after), headers: { 'if-match': `"${base.etag}"` } },
      {
        onSuccess: () =>
          void navigate({ to: '/ontology/backing/$backingId', params: { backingId: backing_dataset_id } }),
        onError: readNewest,
      },
    );
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (isWhole && !isOvertaken && changes.length > 0) send();
      }}
    >
      <Stack gap="lg">
        <MappingEditor
          {...{ type, columns, suggestions, mapping }}
          body={{ ...kept, ...after }}
          change={(next) => change({ ...draft, mapping: next })}
          error={save.error}
        />
        <LabelFields labels={labels} change={(next) => change({ ...draft, labels: next })} />
        <WhatChanges changes={changes} />
        {isOvertaken ? <Overtaken newest={newest} keep={again(keep)} drop={again(drop)} /> : null}
        {save.error === null || isRefused ? null : <FaultNote error={save.error} />}
        <Group gap="sm">
          <Button
            type="submit"
            disabled={!isWhole || isOvertaken || changes.length === 0}
            loading={save.isPending}
            aria-describedby={MISSING_NOTE}
          >
            Save
          </Button>
          <MissingNote type={type} mapping={mapping} words={consequence(changes)} />
        </Group>
      </Stack>
    </form>
  );
}

function consequence(changes: readonly MappingChange[]): string {
  if (changes.length === 0) return 'Nothing is changed yet.';
  return changesSync(changes)
    ? 'A sync becomes due, which reads every row of the table again.'
    : 'No sync becomes due by it.';
}

/** What is stored beside what would be. */
function WhatChanges({ changes }: { changes: readonly MappingChange[] }) {
  if (changes.length === 0) return null;
  return (
    <Stack gap="sm" component="section" aria-labelledby="what-changes">
      <Title order={2} id="what-changes">
        What changes
      </Title>
      <LongTable
        label="Changes"
        minWidth={520}
        spacing={6}
        head={
          <>
            <Table.Th w="28%">Of</Table.Th>
            <Table.Th w="36%">Is now</Table.Th>
            <Table.Th>Becomes</Table.Th>
          </>
        }
        rows={changes}
        keyOf={({ member, of }) => `${member} ${of}`}
        foot={counted(changes.length, 'change')}
      >
        {({ of, before, after }) => (
          <>
            <Table.Td className="type-name">{of}</Table.Td>
            <Table.Td className="type-name">{before ?? 'not filled'}</Table.Td>
            <Table.Td className="type-name">{after ?? 'not filled'}</Table.Td>
          </>
        )}
      </LongTable>
    </Stack>
  );
}

interface OvertakenProps {
  newest: BackingDatasetView;
  keep(): void;
  drop(): void;
}

/** Somebody saved meanwhile: which of both counts is for the person to say. */
const Overtaken = ({ newest: { updated_at }, keep, drop }: OvertakenProps) => (
  <Alert role="alert" color="yellow" variant="outline" className="panel" title="It was changed meanwhile">
    <Stack gap="sm" align="flex-start">
      <Text size="sm">
        Another change was saved <ShowTime at={updated_at} />. Yours is not saved. See what differs from it, or begin
        again from it.
      </Text>
      <Group gap="sm">
        <Button size="xs" onClick={keep}>
          Compare mine with it
        </Button>
        <Button size="xs" variant="default" onClick={drop}>
          Drop mine
        </Button>
      </Group>
    </Stack>
  </Alert>
);
