import { Code, List, Stack, Table, Text, Title } from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import { WideBox } from '../parts/wide-box.tsx';
import { blocksOf, type DocsBlock, spansOf } from './docs-blocks.ts';

/** The page of a pattern, which its package brings as Markdown. */
export function PatternDocs({ docs }: { docs: string }) {
  const blocks = useMemo(() => blocksOf(docs), [docs]);
  return (
    <Stack gap="sm">
      {blocks.map((block) => (
        <Block key={block.at} block={block} />
      ))}
    </Stack>
  );
}

function Block({ block }: { block: DocsBlock }): ReactNode {
  switch (block.kind) {
    case 'title':
      return <Title order={3}>{block.text}</Title>;
    case 'code':
      return (
        <Code block tabIndex={0}>
          {block.text}
        </Code>
      );
    case 'list':
      return (
        <List size="sm">
          {block.items.map((item) => (
            <List.Item key={item}>
              <Spans text={item} />
            </List.Item>
          ))}
        </List>
      );
    case 'table':
      return <DocsTable head={block.head} rows={block.rows} />;
    default:
      return (
        <Text size="sm">
          <Spans text={block.text} />
        </Text>
      );
  }
}

function DocsTable({ head, rows }: { head: readonly string[]; rows: readonly (readonly string[])[] }) {
  const cells = (row: readonly string[]) => head.map((name, column) => [name, row[column] ?? ''] as const);
  return (
    <WideBox label={head.join(', ')}>
      <Table verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            {head.map((name) => (
              <Table.Th key={name}>{name}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row.join()}>
              {cells(row).map(([name, text]) => (
                <Table.Td key={name}>
                  <Spans text={text} />
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </WideBox>
  );
}

function Spans({ text }: { text: string }) {
  return spansOf(text).map(({ at, kind, text: part }) => {
    if (kind === 'code') return <Code key={at}>{part}</Code>;
    return kind === 'strong' ? <strong key={at}>{part}</strong> : <span key={at}>{part}</span>;
  });
}
