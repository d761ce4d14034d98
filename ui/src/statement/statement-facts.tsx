import { Stack, Text } from '@mantine/core';
import type { ShownFault } from '@weir/kernel/contract';
import type { ReviewFinding } from '../editor/sql-faults.ts';
import { FaultList } from '../faults/fault-list.tsx';
import { bytesText, counted, countText } from '../parts/numbers.ts';

/** Columns that are listed by name. */
const MAX_SHOWN = 60;

/** What the server found of a statement that is not saved. */
export interface StatementView {
  valid: boolean;
  faults: readonly ShownFault[];
  inputs: readonly { dataset_id: string; not_made?: { kind: string; name: string } | null }[];
  columns: readonly { name: string; type: unknown }[];
  estimate: { rows: string; bytes: string } | null;
  /** What a review found. */
  findings?: readonly ReviewFinding[];
}

interface StatementFactsProps {
  statement: StatementView;
  /** The statement. */
  text?: string | undefined;
  /** Puts the cursor at a place. */
  go?: ((line: number, column: number) => void) | undefined;
}

/** Beside a statement: what is wrong in it, or what it reads and which columns it makes. */
export function StatementFacts({ statement, text, go }: StatementFactsProps) {
  const { faults, columns, estimate, inputs } = statement;
  return (
    <Stack gap="xs">
      <FaultList faults={faults} go={go} text={text} />
      {estimate === null || inputs.length === 0 ? null : (
        <Text size="sm">
          Reads at most {counted(Number(estimate.rows), 'row')}, {bytesText(Number(estimate.bytes))}, of{' '}
          {inputs.map(({ dataset_id }) => dataset_id).join(', ')}.
        </Text>
      )}
      {inputs.map(({ dataset_id, not_made }) =>
        not_made == null ? null : (
          <Text key={dataset_id} size="sm">
            {dataset_id} is not made yet. The {not_made.kind} {not_made.name} makes it.
          </Text>
        ),
      )}
      {columns.length === 0 ? null : <ColumnList columns={columns} />}
    </Stack>
  );
}

function ColumnList({ columns }: Pick<StatementView, 'columns'>) {
  return (
    <section aria-label="Columns of the result">
      <Text size="sm" c="dimmed">
        {counted(columns.length, 'column')}
      </Text>
      <ul className="column-list">
        {columns.slice(0, MAX_SHOWN).map(({ name, type }) => (
          <li key={name}>
            <span>{name}</span> <span className="mono-id">{typeText(type)}</span>
          </li>
        ))}
        {columns.length > MAX_SHOWN ? <li>and {countText(columns.length - MAX_SHOWN)} more</li> : null}
      </ul>
    </section>
  );
}

/** A word of the table format, or what a structure, list or map is. */
function typeText(type: unknown): string {
  if (typeof type === 'string') return type;
  const { list } = type as { list?: unknown };
  return list === undefined ? (Object.keys(type as object)[0] ?? '') : `list of ${typeText(list)}`;
}
