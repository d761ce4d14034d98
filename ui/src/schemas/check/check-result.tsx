import { Anchor, Code, Group, Stack, Table, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { CheckResultView } from '@weir/plugin-schema-registry/contract';
import { CheckCircle2, CircleDashed, XCircle } from 'lucide-react';
import { counted, countText } from '../../parts/numbers.ts';
import { ToneWord } from '../../parts/status-word.tsx';
import { LongTable } from '../../table/long-table.tsx';
import { valueText } from '../verdict.tsx';
import '../schemas.css';

const MAX_EXAMPLE = 300;

/** The schema that rows are checked against: a subject of ours, or a model of a library. */
export type CheckedAgainst = { subject: string } | { full_id: string };

interface CheckResultProps {
  dataset: string;
  schema: CheckedAgainst;
  result: CheckResultView;
}

/** Whether the rows fit, and the faults by column. */
export function CheckResult({ dataset, schema, result }: CheckResultProps) {
  const { valid, checked, truncated_rows: isPart, columns } = result;
  const rows = counted(checked, 'row');
  const word =
    checked === 0 ? (
      <ToneWord icon={CircleDashed} tone="quiet" word="Nothing to check" />
    ) : valid ? (
      <ToneWord icon={CheckCircle2} tone="good" word="Fits" />
    ) : (
      <ToneWord icon={XCircle} tone="bad" word="Does not fit" />
    );
  return (
    <Stack gap="sm">
      <Stack gap={4} p="md" align="flex-start" className="panel" role="status">
        {word}
        <Text size="sm">
          {checked === 0
            ? 'The table has no rows.'
            : valid
              ? `Each of the ${rows} fits the schema.`
              : `Faults in the ${rows} that were checked, by column:`}
          {isPart ? ' The table has more rows behind them.' : ''}
        </Text>
        <Group gap="md">
          <Anchor
            size="sm"
            renderRoot={(props) => <Link to="/datasets/$datasetId" params={{ datasetId: dataset }} {...props} />}
          >
            Open the table
          </Anchor>
          {'subject' in schema ? (
            <Anchor
              size="sm"
              renderRoot={(props) => (
                <Link to="/schemas/subjects/$subject" params={{ subject: schema.subject }} {...props} />
              )}
            >
              Open the schema
            </Anchor>
          ) : (
            <Anchor
              size="sm"
              renderRoot={(props) => (
                <Link to="/schemas/models/$fullId" params={{ fullId: schema.full_id }} {...props} />
              )}
            >
              Open the model
            </Anchor>
          )}
        </Group>
      </Stack>
      {columns.length === 0 ? null : <Faults columns={columns} />}
    </Stack>
  );
}

function Faults({ columns }: { columns: CheckResultView['columns'] }) {
  return (
    <LongTable
      label="Faults by column"
      minWidth={720}
      head={
        <>
          <Table.Th w="24%">Column</Table.Th>
          <Table.Th w={100} ta="right">
            Rows
          </Table.Th>
          <Table.Th>What is wrong</Table.Th>
          <Table.Th w="30%">Example</Table.Th>
        </>
      }
      rows={columns}
      keyOf={({ column, keyword }, at) => `${column} ${keyword} ${at}`}
      foot={counted(columns.length, 'fault')}
    >
      {({ column, keyword, count, example, message }) => (
        <>
          <Table.Td fw={560} className="schema-name">
            {column === '' ? 'the whole row' : column}
          </Table.Td>
          <Table.Td ta="right">{countText(count)}</Table.Td>
          <Table.Td>
            <Text size="sm" className="schema-text">
              {message}
            </Text>
            <Text size="xs" c="dimmed">
              rule {keyword}
            </Text>
          </Table.Td>
          <Table.Td>
            {example === null ? '–' : <Code className="schema-value">{valueText(example).slice(0, MAX_EXAMPLE)}</Code>}
          </Table.Td>
        </>
      )}
    </LongTable>
  );
}
