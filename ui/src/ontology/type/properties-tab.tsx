import { Badge, Group, Stack, Table, Text, TextInput } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { EntityTypeView } from '@weir/plugin-ontology/contract';
import { counted } from '../../parts/numbers.ts';
import { LongTable } from '../../table/long-table.tsx';
import { boundsOf, flagsOf, typeWords } from '../property-words.ts';
import '../ontology.css';

/** The properties of a version, found by code, name or description. */
export function PropertiesTab({ type }: { type: EntityTypeView }) {
  const { q = '' } = useSearch({ from: '/ontology/types/$code' });
  const navigate = useNavigate({ from: '/ontology/types/$code' });
  const { properties, primary_key: key, title_property: title } = type;
  const word = q.toLowerCase();
  const shown = properties.filter(({ code, name, description }) =>
    `${code} ${name} ${description ?? ''}`.toLowerCase().includes(word),
  );
  return (
    <Stack gap="sm">
      <TextInput
        aria-label="Find properties"
        placeholder="Properties  /"
        data-filter
        size="sm"
        maw={280}
        value={q}
        onChange={({ currentTarget: { value } }) =>
          void navigate({ search: (before) => ({ ...before, q: value }), replace: true })
        }
      />
      <LongTable
        label="Properties"
        minWidth={760}
        spacing={6}
        head={
          <>
            <Table.Th w="28%">Property</Table.Th>
            <Table.Th w="18%">Values</Table.Th>
            <Table.Th w="20%">Is</Table.Th>
            <Table.Th>What it means</Table.Th>
          </>
        }
        rows={shown}
        keyOf={({ code }) => code}
        foot={footOf(properties.length, shown.length)}
      >
        {(property) => (
          <>
            <Table.Td className="type-name">
              <Text size="sm" fw={560}>
                {property.name}
              </Text>
              {property.name === property.code ? null : <span className="mono-id type-code">{property.code}</span>}
            </Table.Td>
            <Table.Td className="mono-id">{typeWords(property)}</Table.Td>
            <Table.Td>
              <Group gap={4}>
                {flagsOf(property, key, title).map((flag) => (
                  <Badge key={flag} size="sm" variant={flag === 'key' ? 'light' : 'default'}>
                    {flag}
                  </Badge>
                ))}
              </Group>
            </Table.Td>
            <Table.Td>
              <Text size="sm" className="type-text">
                {property.description}
              </Text>
              {boundsOf(property).map((bound) => (
                <Text key={bound} size="xs" c="dimmed" className="type-text">
                  {bound}
                </Text>
              ))}
            </Table.Td>
          </>
        )}
      </LongTable>
    </Stack>
  );
}

function footOf(all: number, shown: number): string {
  const words = counted(all, 'property', 'properties');
  if (shown === 0) return 'No property fits the filter.';
  return shown === all ? words : `${shown} of ${words}`;
}
