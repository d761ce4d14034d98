import { Code, Stack, Table, Text, TextInput } from '@mantine/core';
import { useMemo } from 'react';
import { CopyText } from '../parts/copy-text.tsx';
import { counted } from '../parts/numbers.ts';
import { LongTable } from '../table/long-table.tsx';
import { type SchemaRow, schemaRows } from './schema-rows.ts';
import './schemas.css';

const INDENT_REM = 1.25;
const JSON_INDENT = 2;

interface SchemaTableProps {
  schema: unknown;
  /** What the filter has; members fit by their pointer or description. */
  word: string;
  onWord(word: string): void;
}

/** A schema as a table of its members, and as JSON. */
export function SchemaTable({ schema, word, onWord }: SchemaTableProps) {
  const rows = useMemo(() => schemaRows(schema), [schema]);
  const text = useMemo(() => JSON.stringify(schema, undefined, JSON_INDENT), [schema]);
  const wanted = word.toLowerCase();
  const shown = rows.filter(({ pointer, description }) => `${pointer} ${description}`.toLowerCase().includes(wanted));
  return (
    <Stack gap="sm">
      <TextInput
        aria-label="Find members"
        placeholder="Members  /"
        data-filter
        size="sm"
        maw={280}
        value={word}
        onChange={({ currentTarget: { value } }) => onWord(value)}
      />
      <LongTable
        label="Members"
        minWidth={760}
        spacing={6}
        head={
          <>
            <Table.Th w="26%">Member</Table.Th>
            <Table.Th w="18%">Type</Table.Th>
            <Table.Th w={90}>Needed</Table.Th>
            <Table.Th>What it is</Table.Th>
          </>
        }
        rows={shown}
        keyOf={({ pointer }, index) => `${pointer} ${index}`}
        foot={footOf(rows, shown)}
      >
        {(row) => <Cells row={row} />}
      </LongTable>
      <details>
        <summary>As JSON</summary>
        <Stack gap="xs" mt="xs" align="flex-start">
          <CopyText text={text} what="schema" />
          <Code block className="schema-json">
            {text}
          </Code>
        </Stack>
      </details>
    </Stack>
  );
}

function footOf(rows: readonly SchemaRow[], shown: readonly SchemaRow[]): string {
  if (rows.length === 0) return 'The schema declares no members.';
  if (shown.length === 0) return 'No member fits the filter.';
  return shown.length === rows.length
    ? counted(rows.length, 'member')
    : `${shown.length} of ${counted(rows.length, 'member')}`;
}

function Cells({ row: { name, depth, type, isRequired, description, rules } }: { row: SchemaRow }) {
  return (
    <>
      <Table.Td fw={560} className="schema-name" style={{ paddingLeft: `${0.75 + depth * INDENT_REM}rem` }}>
        {name}
      </Table.Td>
      <Table.Td className="schema-type">{type}</Table.Td>
      <Table.Td>{isRequired ? 'required' : <span className="schema-optional">optional</span>}</Table.Td>
      <Table.Td>
        <Text size="sm" className="schema-text">
          {description}
        </Text>
        {rules.map((rule) => (
          <Text key={rule} size="xs" c="dimmed" className="schema-text">
            {rule}
          </Text>
        ))}
      </Table.Td>
    </>
  );
}
