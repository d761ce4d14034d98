import { Anchor, Button, Group, SegmentedControl, Select, Stack, Table, Text } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { EntityTypeItemView } from '@weir/plugin-ontology/contract';
import { useMemo } from 'react';
import { counted } from '../../parts/numbers.ts';
import { Region } from '../../parts/region.tsx';
import { LongTable } from '../../table/long-table.tsx';
import { RelationGraph } from '../graph/relation-graph.tsx';
import { around, joined, type RelationEdge, type RelationNode, relationsOf } from '../graph/relations.ts';
import { useAllTypes } from '../use-types.ts';
import '../ontology.css';

/** More than these are a cloud in which nothing is found. */
const MAX_DRAWN = 120;
const STEPS = ['1', '2', '3'] as const;

/** How entity types lead to each other: a graph, and the same as a list. */
export function GraphTab() {
  const types = useAllTypes();
  return (
    <Region
      query={types}
      lines={6}
      empty={(all) =>
        all.length === 0
          ? {
              words: 'No entity type yet. Relations show here once a type leads to another one.',
              docs: '/docs',
              action: <Button renderRoot={(props) => <Link to="/ontology" {...props} />}>Go to the list</Button>,
            }
          : undefined
      }
    >
      {(all) => <Shown types={all} />}
    </Region>
  );
}

function Shown({ types }: { types: readonly EntityTypeItemView[] }) {
  const { around: here, steps = '1' } = useSearch({ from: '/ontology' });
  const navigate = useNavigate({ from: '/ontology' });
  const whole = useMemo(() => relationsOf(types), [types]);
  const found = whole.nodes.find(({ code }) => code === here);
  const shown = useMemo(
    () => (found === undefined ? whole : around(whole, found.code, Number(steps))),
    [whole, found, steps],
  );
  const { drawn, alone } = useMemo(() => joined(shown), [shown]);
  const choose = (change: { around?: string; steps?: string }) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const isTooMuch = drawn.nodes.length > MAX_DRAWN;
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <Select
          aria-label="Only around"
          placeholder="All types"
          size="sm"
          searchable
          clearable
          data={whole.nodes.map(({ code, type }) => ({ value: code, label: type?.name ?? code }))}
          value={found?.code ?? null}
          onChange={(value) => choose({ around: value ?? '' })}
        />
        {found === undefined ? null : (
          <SegmentedControl
            size="xs"
            aria-label="Relations away"
            data={STEPS.map((value) => ({ value, label: counted(Number(value), 'step') }))}
            value={steps}
            onChange={(value) => choose({ steps: value })}
          />
        )}
      </Group>
      {isTooMuch ? (
        <Text size="sm" c="dimmed" p="md" className="panel">
          {counted(drawn.nodes.length, 'type')} are joined by relations. Choose one above to see what is around it.
        </Text>
      ) : drawn.nodes.length === 0 ? (
        <Text size="sm" c="dimmed" p="md" className="panel">
          {found === undefined
            ? 'No type leads to another one yet. Add a relationship in a new version of a type.'
            : `No relation begins or ends at ${found.code}.`}
        </Text>
      ) : (
        <>
          <RelationGraph relations={drawn} here={found?.code} label="Relations of entity types" />
          <Relationships edges={drawn.edges} nodes={whole.nodes} />
        </>
      )}
      <Alone nodes={alone} />
    </Stack>
  );
}

function Relationships({ edges, nodes }: { edges: readonly RelationEdge[]; nodes: readonly RelationNode[] }) {
  const byCode = useMemo(() => new Map(nodes.map((node) => [node.code, node])), [nodes]);
  return (
    <LongTable
      label="Relations"
      minWidth={640}
      spacing={6}
      head={
        <>
          <Table.Th w="32%">From</Table.Th>
          <Table.Th w="24%">Relationship</Table.Th>
          <Table.Th w={110}>Leads to</Table.Th>
          <Table.Th>Type</Table.Th>
        </>
      }
      rows={edges}
      keyOf={({ from, code }) => `${from} ${code}`}
      foot={counted(edges.length, 'relation')}
    >
      {({ from, code, to, cardinality }) => (
        <>
          <Table.Td className="type-name">
            <TypeLink node={byCode.get(from)} code={from} />
          </Table.Td>
          <Table.Td className="type-name">{code}</Table.Td>
          <Table.Td>{cardinality}</Table.Td>
          <Table.Td className="type-name">
            <TypeLink node={byCode.get(to)} code={to} />
          </Table.Td>
        </>
      )}
    </LongTable>
  );
}

/** A type by its name; one that is not declared leads nowhere. */
function TypeLink({ node, code }: { node: RelationNode | undefined; code: string }) {
  if (node?.type === undefined)
    return (
      <span>
        {code} <span className="type-code">not declared</span>
      </span>
    );
  return (
    <Anchor inherit renderRoot={(props) => <Link to="/ontology/types/$code" params={{ code }} {...props} />}>
      {node.type.name}
    </Anchor>
  );
}

function Alone({ nodes }: { nodes: readonly RelationNode[] }) {
  if (nodes.length === 0) return null;
  return (
    <Stack gap={4} p="md" className="panel" component="section" aria-label="Types without relations">
      <Text size="sm" c="dimmed">
        Without relations
      </Text>
      <Group gap="sm">
        {nodes.map((node) => (
          <TypeLink key={node.code} node={node} code={node.code} />
        ))}
      </Group>
    </Stack>
  );
}
