import { Anchor, Stack, Table, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { EntityTypeItemView, EntityTypeView } from '@weir/plugin-ontology/contract';
import { useMemo } from 'react';
import { counted } from '../../parts/numbers.ts';
import { Region } from '../../parts/region.tsx';
import { LongTable } from '../../table/long-table.tsx';
import { RelationGraph } from '../graph/relation-graph.tsx';
import { around, relationsOf } from '../graph/relations.ts';
import { useAllTypes } from '../use-types.ts';
import '../ontology.css';

type Relationship = EntityTypeView['relationships'][number];

/** Where the type leads, and from where others lead to it. */
export function RelationshipsTab({ type }: { type: EntityTypeView }) {
  const types = useAllTypes();
  return (
    <Region query={types}>
      {(all) => (
        <Stack gap="lg">
          <Neighbours type={type} types={all} />
          <Outward type={type} types={all} />
          <Inward type={type} types={all} />
        </Stack>
      )}
    </Region>
  );
}

function Outward({ type: { relationships }, types }: NeighboursProps) {
  const declared = new Set(types.map(({ code }) => code));
  return (
    <Stack gap="sm" component="section" aria-labelledby="outward">
      <Title order={2} id="outward">
        Leads to
      </Title>
      {relationships.length === 0 ? (
        <Text size="sm" c="dimmed" p="md" className="panel">
          The type leads to no other one. A new version can add a relationship.
        </Text>
      ) : (
        <LongTable
          label="Relationships"
          minWidth={720}
          spacing={6}
          head={
            <>
              <Table.Th w="28%">Relationship</Table.Th>
              <Table.Th w="26%">To</Table.Th>
              <Table.Th w="18%">By its key</Table.Th>
              <Table.Th>What it means</Table.Th>
            </>
          }
          rows={relationships}
          keyOf={({ code }) => code}
          foot={counted(relationships.length, 'relationship')}
        >
          {(one) => <Cells relationship={one} isDeclared={declared.has(one.target_type)} />}
        </LongTable>
      )}
    </Stack>
  );
}

function Cells({ relationship, isDeclared }: { relationship: Relationship; isDeclared: boolean }) {
  const { code, name, description, target_type: target, target_key: key, cardinality, required } = relationship;
  const rules = [
    ...(required ? ['every entity has one'] : []),
    ...(relationship.inverse_code === null ? [] : [`${relationship.inverse_code} from the other end`]),
    ...(relationship.on_missing_target === 'reject' ? ['refused where the target is missing'] : []),
  ];
  return (
    <>
      <Table.Td className="type-name">
        <Text size="sm" fw={560}>
          {name}
        </Text>
        {name === code ? null : <span className="mono-id type-code">{code}</span>}
      </Table.Td>
      <Table.Td className="type-name">
        {cardinality}{' '}
        {isDeclared ? (
          <TypeAnchor code={target} />
        ) : (
          <>
            {target} <span className="type-code">not declared</span>
          </>
        )}
      </Table.Td>
      <Table.Td className="mono-id">{key.join(', ')}</Table.Td>
      <Table.Td>
        <Text size="sm" className="type-text">
          {description}
        </Text>
        {rules.map((rule) => (
          <Text key={rule} size="xs" c="dimmed">
            {rule}
          </Text>
        ))}
      </Table.Td>
    </>
  );
}

interface NeighboursProps {
  type: EntityTypeView;
  types: readonly EntityTypeItemView[];
}

/** What is one relation away, drawn. */
function Neighbours({ type, types }: NeighboursProps) {
  const relations = useMemo(() => around(relationsOf(types), type.code, 1), [types, type.code]);
  if (relations.edges.length === 0) return null;
  return <RelationGraph relations={relations} here={type.code} label={`Relations of ${type.name}`} />;
}

function Inward({ type, types }: NeighboursProps) {
  const inward = relationsOf(types).edges.filter(({ to, from }) => to === type.code && from !== type.code);
  return (
    <Stack gap="sm" component="section" aria-labelledby="inward">
      <Title order={2} id="inward">
        Led to by
      </Title>
      {inward.length === 0 ? (
        <Text size="sm" c="dimmed" p="md" className="panel">
          No other type leads here.
        </Text>
      ) : (
        <LongTable
          label="Relationships of others"
          minWidth={480}
          spacing={6}
          head={
            <>
              <Table.Th w="50%">Type</Table.Th>
              <Table.Th>Its relationship</Table.Th>
            </>
          }
          rows={inward}
          keyOf={({ from, code }) => `${from} ${code}`}
          foot={counted(inward.length, 'relationship')}
        >
          {({ from, code, cardinality }) => (
            <>
              <Table.Td className="type-name">
                <TypeAnchor code={from} />
              </Table.Td>
              <Table.Td className="type-name">
                {code}, {cardinality}
              </Table.Td>
            </>
          )}
        </LongTable>
      )}
    </Stack>
  );
}

function TypeAnchor({ code }: { code: string }) {
  return (
    <Anchor
      inherit
      data-row
      renderRoot={(props) => (
        <Link to="/ontology/types/$code" params={{ code }} search={{ tab: 'relationships' }} {...props} />
      )}
    >
      {code}
    </Anchor>
  );
}
