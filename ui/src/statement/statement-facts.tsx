import { Anchor, List, Stack, Text } from '@mantine/core';
import { faultWords, type SqlFault } from '../editor/sql-faults.ts';
import { bytesText, counted, countText } from '../parts/numbers.ts';

/** Columns that are listed by name. */
const MAX_SHOWN = 60;

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

/** Where the editor marks the faults of a statement. */
export const marksOf = (faults: readonly StatementFault[]): SqlFault[] =>
  faults
    .filter(({ pointer, line }) => pointer === '/sql' && line !== undefined)
    .map((fault) => ({
      code: fault.code,
      line: fault.line ?? 1,
      column: fault.column ?? 1,
      message: faultText(fault),
    }));

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
