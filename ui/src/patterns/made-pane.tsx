import { Loader, Stack, Tabs, Text } from '@mantine/core';
import type { Output } from '@weir/kernel/contract';
import {
  previewTransformPattern,
  type TransformPatternView,
  type validateTransformPattern,
} from '@weir/plugin-transform-patterns/contract';
import { lazy, Suspense, useState } from 'react';
import { useRead } from '../api/queries.ts';
import { SqlEditor } from '../editor/sql-editor.tsx';
import { marksOf } from '../editor/sql-faults.ts';
import { Region } from '../parts/region.tsx';
import { kindOfOutput } from '../statement/materialization-words.ts';
import { StatementFacts } from '../statement/statement-facts.tsx';
import { PatternDocs } from './pattern-docs.tsx';
import type { usePatternCheck } from './use-pattern-check.ts';

const ResultRows = lazy(() => import('../query/result-rows.tsx').then((module) => ({ default: module.ResultRows })));

const PREVIEW_ROWS = 50;
const TABS = [
  ['statement', 'Statement'],
  ['rows', 'Rows'],
  ['about', 'About'],
] as const;

type Check = ReturnType<typeof usePatternCheck>;
type Validation = Output<typeof validateTransformPattern>;

interface MadePaneProps {
  pattern: TransformPatternView;
  check: Check;
  /** Whether nothing was typed yet. */
  isUntouched: boolean;
}

/** Beside the form: what the pattern makes of it, the first rows of that, and the page of the pattern. */
export function MadePane({ pattern, check, isUntouched }: MadePaneProps) {
  const [chosen, choose] = useState<string | null>(null);
  const tab = chosen ?? (isUntouched ? 'about' : 'statement');
  return (
    <Tabs value={tab} onChange={choose} keepMounted={false}>
      <Tabs.List mb="sm">
        {TABS.map(([value, label]) => (
          <Tabs.Tab key={value} value={value}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="statement">
        <Region query={check.query}>{(data) => <Statement data={data} isCurrent={check.isCurrent} />}</Region>
      </Tabs.Panel>
      <Tabs.Panel value="rows">
        <Rows pattern={pattern} check={check} />
      </Tabs.Panel>
      <Tabs.Panel value="about">
        <PatternDocs docs={pattern.docs} />
      </Tabs.Panel>
    </Tabs>
  );
}

function Statement({ data, isCurrent }: { data: Validation; isCurrent: boolean }) {
  const { definition } = data;
  if (definition === null) return <Missing data={data} />;
  const { sql, materialization, key, incremental } = definition;
  return (
    <Stack gap="sm">
      <Text size="sm" role="status">
        {isCurrent ? (data.valid ? 'The statement is sound.' : 'The statement has faults.') : 'Checking…'} A run{' '}
        {kindOfOutput(materialization)}
        {key.length === 0 ? '' : ` (${key.join(', ')})`}
        {incremental === null ? '' : `, and reads only what is new in ${incremental}`}.
      </Text>
      <SqlEditor
        label="Statement"
        value={sql}
        onChange={() => undefined}
        names={{}}
        columns={[]}
        faults={marksOf(data.faults)}
        isReadOnly
      />
      <StatementFacts statement={data} />
    </Stack>
  );
}

/** What the form lacks, said by the form itself at its fields. */
function Missing({ data: { faults } }: { data: Validation }) {
  const isUnfilled = faults.every(({ code }) => code === 'required' || code === 'min_items' || code === 'min_length');
  return (
    <Text role="status" c="dimmed">
      {isUnfilled
        ? 'Fill the fields with a star. The statement shows here while you type.'
        : 'A field needs a change before there is a statement.'}
    </Text>
  );
}

function Rows({ pattern, check: { query, asked, isCurrent } }: Pick<MadePaneProps, 'pattern' | 'check'>) {
  const isSound = query.data?.valid === true;
  const preview = useRead(
    previewTransformPattern,
    { params: { pattern_id: pattern.pattern_id }, body: { parameters: asked, limit: PREVIEW_ROWS } },
    { enabled: isSound && isCurrent },
  );
  if (!isSound)
    return (
      <Text role="status" c="dimmed">
        There are rows once the statement is sound.
      </Text>
    );
  return (
    <Region query={preview}>
      {(result) => (
        <Suspense fallback={<Loader size="xs" aria-label="Loading" />}>
          <ResultRows result={result} limit={PREVIEW_ROWS} tookMs={undefined} />
        </Suspense>
      )}
    </Region>
  );
}
