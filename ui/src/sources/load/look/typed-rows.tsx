import { NativeSelect, Table, Text } from '@mantine/core';
import type { DiscoveredStreamView, StreamLookView } from '@weir/plugin-sources/contract';
import { countText } from '../../../parts/numbers.ts';
import { WideBox } from '../../../parts/wide-box.tsx';
import { schemaFields } from '../../stream/schema-fields.ts';
import { ORDER_CHOICES, TYPE_CHOICES } from '../plan/note-words.ts';

interface TypedRowsProps {
  stream: Pick<DiscoveredStreamView, 'name' | 'schema'>;
  look: StreamLookView | undefined;
  /** The types that a person has chosen. */
  types: readonly { column: string; type: string }[];
  onType(column: string, type: string | undefined): void;
}

/** Columns with their types, which can be changed, and the first rows as they will land. */
export function TypedRows({ stream, look, types, onType }: TypedRowsProps) {
  const found = new Map(
    schemaFields(stream).flatMap(({ path, type }) => (path.length === 1 ? [[path[0], type]] : [])) as [
      string,
      string,
    ][],
  );
  const columns = look === undefined || look.columns.length === 0 ? [...found.keys()] : look.columns;
  const isTyped = look?.files.some(({ format }) => format === 'parquet') === true;
  const more = [...found.keys()].filter((column) => !columns.includes(column));
  return (
    <div>
      <WideBox label={`First rows of ${stream.name}`}>
        <Table verticalSpacing={6} w="auto">
          <Table.Thead>
            <Table.Tr>
              {columns.map((column) => (
                <Table.Th key={column} style={{ verticalAlign: 'top' }}>
                  {column}
                  {isTyped ? (
                    <Text size="xs" c="dimmed" fw={400}>
                      {found.get(column)}
                    </Text>
                  ) : (
                    <TypeChoice
                      column={column}
                      found={wordOf(found.get(column))}
                      chosen={types.find((one) => one.column === column)?.type}
                      isOrderOpen={hasOpenOrder(look, column)}
                      onType={(type) => onType(column, type)}
                    />
                  )}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {(look?.rows ?? []).map((row, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity of their own
              <Table.Tr key={at}>
                {columns.map((column, index) => (
                  <Table.Td key={column} maw={280} className="ellipsis">
                    {row[index] ?? <Nothing />}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </WideBox>
      {more.length === 0 ? null : (
        <details>
          <summary>{countText(more.length)} more columns</summary>
          <Text size="sm">{more.map((column) => `${column} (${wordOf(found.get(column))})`).join(', ')}</Text>
        </details>
      )}
    </div>
  );
}

interface TypeChoiceProps {
  column: string;
  found: string;
  chosen: string | undefined;
  isOrderOpen: boolean;
  onType(type: string | undefined): void;
}

function TypeChoice({ column, found, chosen, isOrderOpen, onType }: TypeChoiceProps) {
  const isOrdered = isOrderOpen || ORDER_CHOICES.some(({ value }) => value === chosen);
  const seen = { value: '', label: chosen === undefined ? found : 'as its values prove' };
  const others = [...TYPE_CHOICES, ...(isOrdered ? ORDER_CHOICES : [])];
  return (
    <NativeSelect
      size="xs"
      miw="9rem"
      mt={4}
      aria-label={`Type of ${column}`}
      value={chosen ?? ''}
      data={[seen, ...others.map((one) => ({ ...one, label: `set to ${one.label}` }))]}
      onChange={({ currentTarget: { value } }) => onType(value === '' ? undefined : value)}
    />
  );
}

const hasOpenOrder = (look: StreamLookView | undefined, column: string) =>
  look?.notes.some((note) => note.kind === 'order_open' && note.column === column) === true;

/** A type of a schema as the choices call it. */
const wordOf = (type: string | undefined) => (type === undefined || type === 'string' ? 'text' : type);

/** NULL is told apart from an empty text. */
function Nothing() {
  return (
    <Text span size="sm" c="dimmed" fs="italic">
      NULL
    </Text>
  );
}
