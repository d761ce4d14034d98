import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import type { Output } from '@weir/kernel/contract';
import { changeTransform, type getTransformDetail } from '@weir/plugin-transforms/contract';
import { lazy, Suspense, useState } from 'react';
import { SqlEditor } from '../../editor/sql-editor.tsx';
import { FactList } from '../../parts/fact-list.tsx';
import { FaultNote } from '../../parts/fault-note.tsx';
import { useMay } from '../../session/person.ts';
import { kindOfOutput } from '../../statement/materialization-words.ts';
import type { useSave } from '../checks/use-save.ts';
import { changesOf, type Definition, definitionOf } from './definition.ts';
import { DefinitionForm } from './definition-form.tsx';

const SqlDifference = lazy(() => import('./sql-difference.tsx').then((module) => ({ default: module.SqlDifference })));

const PatternTab = lazy(() =>
  import('../../patterns/pattern-tab.tsx').then((module) => ({ default: module.PatternTab })),
);

type Detail = Output<typeof getTransformDetail>;
type Origin = NonNullable<Detail['origin']>;

interface DefinitionTabProps {
  detail: Detail;
  saving: ReturnType<typeof useSave>;
}

/** The definition, to be read by everybody and changed by those who may. */
export function DefinitionTab({ detail, saving }: DefinitionTabProps) {
  const mayChange = useMay(changeTransform);
  const [isSql, setSql] = useState(false);
  const { origin } = detail;
  if (!mayChange) return <Read detail={detail} />;
  // What was saved elsewhere begins the form again.
  if (origin?.kind === 'transform_pattern' && !isSql)
    return (
      <Suspense fallback={null}>
        <PatternTab key={detail.etag} origin={origin} saving={saving} toSql={() => setSql(true)} />
      </Suspense>
    );
  return (
    <Stack gap="sm">
      {origin === null ? null : <OriginNote origin={origin} toForm={() => setSql(false)} />}
      <Edited key={detail.etag} detail={detail} saving={saving} />
    </Stack>
  );
}

/** Where the statement comes from, and that a change of it leaves that behind. */
function OriginNote({ origin, toForm }: { origin: Origin; toForm(): void }) {
  const isPattern = origin.kind === 'transform_pattern';
  return (
    <Group gap="sm" className="panel" px="md" py="xs">
      <Text size="sm" flex={1}>
        The statement was made of {isPattern ? 'the pattern' : 'the SQL transform'} {origin.pattern_id}. Once you save
        another statement, it belongs to no {isPattern ? 'pattern' : 'SQL transform'} any more.
      </Text>
      {isPattern ? (
        <Button size="xs" variant="default" onClick={toForm}>
          Back to the form
        </Button>
      ) : null}
    </Group>
  );
}

function Read({ detail }: { detail: Detail }) {
  return (
    <Stack gap="md">
      <FactList
        facts={[
          ['A run', kindOfOutput(detail.materialization)],
          ['Output', detail.output],
          ...(detail.origin === null ? [] : [['Made of', detail.origin.pattern_id] as const]),
          ['Tags', detail.tags.length === 0 ? 'none' : detail.tags.join(', ')],
        ]}
      />
      <SqlEditor label="Statement" value={detail.sql} onChange={() => undefined} names={{}} columns={[]} isReadOnly />
    </Stack>
  );
}

function Edited({ detail, saving }: DefinitionTabProps) {
  const [value, setValue] = useState<Definition>(() => definitionOf(detail));
  const [view, setView] = useState('edit');
  const changes = changesOf(detail, value);
  const isChanged = Object.keys(changes).length > 0;
  const save = () => {
    if (isChanged) saving.save(changes);
  };
  const { error } = saving;
  return (
    <Stack gap="md">
      {error === null ? null : <FaultNote error={error} />}
      <Group justify="space-between">
        <SegmentedControl
          size="xs"
          aria-label="What is shown"
          data={[
            { value: 'edit', label: 'Edit' },
            { value: 'difference', label: 'Difference to the saved version', disabled: !isChanged },
          ]}
          value={isChanged ? view : 'edit'}
          onChange={setView}
        />
        <Group gap="sm">
          <Text size="sm" c="dimmed" role="status">
            {isChanged ? `Not saved: ${Object.keys(changes).join(', ')}` : 'As saved'}
          </Text>
          {isChanged ? (
            <Button variant="default" size="sm" onClick={() => setValue(definitionOf(detail))}>
              Discard
            </Button>
          ) : null}
          <Button size="sm" disabled={!isChanged} loading={saving.isPending} onClick={save}>
            Save and hydrate
          </Button>
        </Group>
      </Group>
      {isChanged && view === 'difference' ? (
        <Suspense fallback={null}>
          <SqlDifference saved={detail.sql} edited={value.sql} />
        </Suspense>
      ) : (
        <DefinitionForm
          value={value}
          change={(next) => setValue((before) => ({ ...before, ...next }))}
          error={error}
          save={save}
        />
      )}
    </Stack>
  );
}
