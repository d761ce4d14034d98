import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import type { Output } from '@weir/kernel/contract';
import { generateTransform } from '@weir/plugin-ai/contract';
import { changeTransform, type getTransformDetail } from '@weir/plugin-transforms/contract';
import { type ComponentProps, lazy, Suspense, useRef, useState } from 'react';
import type { EditorHandle } from '../../editor/editor-props.ts';
import { SqlEditor } from '../../editor/sql-editor.tsx';
import { FactList } from '../../parts/fact-list.tsx';
import { FaultNote } from '../../parts/fault-note.tsx';
import { Later } from '../../parts/region.tsx';
import { useMay } from '../../session/person.ts';
import { useHasPlugin } from '../../session/with-plugin.tsx';
import { kindOfOutput } from '../../statement/materialization-words.ts';
import {
  candidateOf,
  changesOf,
  changeWords,
  type Definition,
  definitionOf,
  isOfDefinition,
  newOf,
} from '../draft/definition.ts';
import { DefinitionBar } from '../draft/definition-bar.tsx';
import { DefinitionDifference } from '../draft/definition-difference.tsx';
import { DraftActions } from '../draft/draft-actions.tsx';
import { DraftState } from '../draft/draft-state.tsx';
import type { Saving } from '../draft/use-save.ts';
import { DefinitionForm } from './definition-form.tsx';
import { useDefinitionCheck } from './use-definition-check.ts';

const EditorHelp = lazy(() => import('../../ai/editor-help.tsx').then((module) => ({ default: module.EditorHelp })));
const PatternTab = lazy(() =>
  import('../../patterns/pattern-tab.tsx').then((module) => ({ default: module.PatternTab })),
);

type Detail = Output<typeof getTransformDetail>;
type Origin = NonNullable<Detail['origin']>;

interface DefinitionTabProps {
  detail: Detail;
  saving: Saving;
}

/** The definition, to be read by everybody and changed by those who may. */
export function DefinitionTab({ detail, saving }: DefinitionTabProps) {
  const mayChange = useMay(changeTransform);
  const [isSql, setSql] = useState(false);
  const { origin } = candidateOf(detail);
  if (!mayChange) return <Read detail={detail} />;
  // A definition that was saved elsewhere begins the form again.
  const saved = detail.draft?.etag ?? `version ${detail.version}`;
  if (origin?.kind === 'transform_pattern' && !isSql)
    return (
      <Suspense fallback={<Later />}>
        <PatternTab key={saved} origin={origin} transform={detail} saving={saving} toSql={() => setSql(true)} />
      </Suspense>
    );
  return (
    <Stack gap="sm">
      {origin === null ? null : <OriginNote origin={origin} toForm={() => setSql(false)} />}
      <Edited key={saved} detail={detail} saving={saving} />
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
      <DraftState transform={detail} />
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
  const saved = candidateOf(detail);
  const [value, setValue] = useState<Definition>(() => definitionOf(saved));
  const [view, setView] = useState('edit');
  const editor = useRef<EditorHandle>(null);
  const check = useDefinitionCheck(value);
  const changes = changesOf(saved, value);
  const isApart = detail.version !== null && (detail.draft !== null || isOfDefinition(changes));
  const isDifference = isApart && view === 'difference';
  const unsaved = {
    isOfDefinition: isOfDefinition(changes),
    save: () => saving.save(changes),
    putInForce: () => saving.putInForce(changes),
    undo: () => setValue(definitionOf(saved)),
  };
  const places = isDifference ? {} : { go: (line: number, column: number) => editor.current?.go(line, column) };
  const words = `Difference to version ${detail.version}`;
  return (
    <Stack gap="md">
      <DefinitionBar unsaved={changeWords(changes)} transform={detail}>
        <DraftActions
          transform={detail}
          saving={saving}
          unsaved={isChanged(changes) ? unsaved : undefined}
          faults={check?.faults ?? []}
          {...places}
        />
      </DefinitionBar>
      {saving.error === null ? null : <FaultNote error={saving.error} text={value.sql} {...places} />}
      {isApart ? (
        <SegmentedControl
          size="xs"
          aria-label="What is shown"
          style={{ alignSelf: 'flex-start' }}
          data={[
            { value: 'edit', label: 'Edit' },
            { value: 'difference', label: words },
          ]}
          value={view}
          onChange={setView}
        />
      ) : null}
      {isDifference ? null : <Help transformId={detail.transform_id} sql={value.sql} saved={saved.sql} check={check} />}
      {isDifference ? (
        <DefinitionDifference before={detail} after={newOf(value)} label={words} />
      ) : (
        <DefinitionForm
          value={value}
          change={(next) => setValue((before) => ({ ...before, ...next }))}
          error={saving.error}
          save={() => void (isChanged(changes) && saving.save(changes))}
          check={check}
          editor={editor}
          isStatementFirst
        />
      )}
    </Stack>
  );
}

const isChanged = (changes: object): boolean => Object.keys(changes).length > 0;

/** Help with the statement, where the tenant has the plugin and the person may ask. */
function Help(props: ComponentProps<typeof EditorHelp>) {
  const mayAsk = useMay(generateTransform);
  const hasAi = useHasPlugin()('ai') === true;
  if (!mayAsk || !hasAi) return null;
  return (
    <Suspense fallback={null}>
      <EditorHelp {...props} />
    </Suspense>
  );
}
