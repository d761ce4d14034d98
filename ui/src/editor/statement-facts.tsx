import { Anchor, List, Stack, Text } from '@mantine/core';
import { bytesText, counted, countText } from '../parts/numbers.ts';
import { faultWords } from './sql-faults.ts';

/** What the server found of a statement that is not saved. */
export interface StatementView {
  valid: boolean;
  faults: readonly StatementFault[];
  inputs: readonly { dataset_id: string }[];
  columns: readonly { name: string; type: unknown }[];
  estimate: { rows: string; bytes: string } | null;
}

export interface StatementFault {
  code: string;
  pointer: string;
  message?: string;
  nearest?: string;
  dataset_id?: string;
  line?: number;
  column?: number;
}

interface StatementFactsProps {
  statement: StatementView;
  /** Puts the cursor at a place. */
  go?: ((line: number, column: number) => void) | undefined;
}

/** Beside a statement: what is wrong in it, or what it reads and which columns it makes. */
export function StatementFacts({ statement, go }: StatementFactsProps) {
  const { faults, columns, estimate, inputs } = statement;
  return (
    <Stack gap="xs">
      {faults.length === 0 ? null : (
        <List size="sm" aria-label="Faults" c="var(--mantine-color-error)">
          {faults.map((fault) => (
            <List.Item key={`${fault.pointer} ${fault.code} ${fault.line} ${fault.column}`}>
              <Place fault={fault} go={go} />
              {faultText(fault)}
            </List.Item>
          ))}
        </List>
      )}
      {estimate === null || inputs.length === 0 ? null : (
        <Text size="sm">
          Reads at most {countText(Number(estimate.rows))} rows, {bytesText(Number(estimate.bytes))}, of{' '}
          {inputs.map(({ dataset_id }) => dataset_id).join(', ')}.
        </Text>
      )}
      {columns.length === 0 ? null : <ColumnList columns={columns} />}
    </Stack>
  );
}

function Place({ fault: { line, column }, go }: { fault: StatementFault; go: StatementFactsProps['go'] }) {
  if (line === undefined || column === undefined) return null;
  const words = `Line ${line}, column ${column}`;
  if (go === undefined) return <>{words}: </>;
  return (
    <>
      <Anchor component="button" type="button" size="sm" onClick={() => go(line, column)}>
        {words}
      </Anchor>
      :{' '}
    </>
  );
}

/** A fault in words, with the name that may have been meant. */
export function faultText({ code, message, nearest, dataset_id: id }: StatementFault): string {
  const words = message ?? faultWords(code);
  return `${words}${id === undefined ? '' : ` (${id})`}${nearest === undefined ? '' : `. Did you mean ${nearest}?`}`;
}

function ColumnList({ columns }: Pick<StatementView, 'columns'>) {
  return (
    <section aria-label="Columns of the result">
      <Text size="sm" c="dimmed">
        {counted(columns.length, 'column')}
      </Text>
      <ul className="column-list">
        {columns.map(({ name, type }) => (
          <li key={name}>
            <span>{name}</span> <span className="mono-id">{typeText(type)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

const typeText = (type: unknown): string => (typeof type === 'string' ? type : JSON.stringify(type));
