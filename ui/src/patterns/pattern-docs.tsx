import { Code, List, Stack, Table, Text, Title } from '@mantine/core';
import { lexer, type Token, type Tokens } from 'marked';
import { createElement, Fragment, type ReactNode, useMemo } from 'react';
import { WideBox } from '../parts/wide-box.tsx';

/** The page of a pattern, which its package brings as Markdown; without its first title, which the page has already. HTML in it shows as text. */
export function PatternDocs({ docs }: { docs: string }) {
  const tokens = useMemo(() => lexer(docs), [docs]);
  const [first] = tokens;
  return <Stack gap="sm">{blocks(first?.type === 'heading' ? tokens.slice(1) : tokens)}</Stack>;
}

/** Parts of one text, which have no ids and never change places. */
const all = <T,>(parts: readonly T[] | undefined, show: (part: T) => ReactNode): ReactNode =>
  createElement(Fragment, null, ...(parts ?? []).map(show));
const blocks = (tokens: readonly Token[] | undefined) => all(tokens, block);
const spans = (tokens: readonly Token[] | undefined) => all(tokens, span);

function block(token: Token): ReactNode {
  switch (token.type) {
    case 'space':
      return null;
    case 'heading':
      return <Title order={3}>{spans(token.tokens)}</Title>;
    case 'code':
      return (
        <Code block tabIndex={0}>
          {token.text}
        </Code>
      );
    case 'list':
      return <DocsList list={token as Tokens.List} />;
    case 'table':
      return <DocsTable table={token as Tokens.Table} />;
    case 'paragraph':
      return <Text size="sm">{spans(token.tokens)}</Text>;
    case 'text':
      return 'tokens' in token && token.tokens !== undefined ? spans(token.tokens) : token.text;
    default:
      return <Text size="sm">{token.raw}</Text>;
  }
}

/** What is within a line; a link is its words, since a page of a package leads nowhere. */
function span(token: Token): ReactNode {
  switch (token.type) {
    case 'codespan':
      return <Code>{token.text}</Code>;
    case 'strong':
      return <strong>{spans(token.tokens)}</strong>;
    case 'em':
      return <em>{spans(token.tokens)}</em>;
    case 'link':
      return spans(token.tokens);
    case 'escape':
    case 'text':
      return token.text;
    default:
      return token.raw;
  }
}

function DocsList({ list: { ordered, items } }: { list: Tokens.List }) {
  return (
    <List size="sm" type={ordered ? 'ordered' : 'unordered'}>
      {all(items, (item) => (
        <List.Item>{blocks(item.tokens)}</List.Item>
      ))}
    </List>
  );
}

function DocsTable({ table: { header, rows } }: { table: Tokens.Table }) {
  return (
    <WideBox label={header.map(({ text }) => text).join(', ')}>
      <Table verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            {all(header, ({ tokens }) => (
              <Table.Th>{spans(tokens)}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {all(rows, (row) => (
            <Table.Tr>
              {all(row, ({ tokens }) => (
                <Table.Td>{spans(tokens)}</Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </WideBox>
  );
}
