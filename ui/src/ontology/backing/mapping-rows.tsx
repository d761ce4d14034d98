import { Badge, NativeSelect, Stack, Table, Text, Title } from '@mantine/core';
import type { EntityTypeView } from '@weir/plugin-ontology/contract';
import { WideBox } from '../../parts/wide-box.tsx';
import { typeWords } from '../property-words.ts';
import type { Column, Mapping } from './mapping.ts';
import '../ontology.css';

interface MappingRowsProps {
  type: EntityTypeView;
  columns: readonly Column[];
  mapping: Mapping;
  change(mapping: Mapping): void;
}

/** A column for each property and each relationship of a type; what it needs comes first. */
export function MappingRows({ type, columns, mapping, change }: MappingRowsProps) {
  const { properties, primary_key: key, relationships } = type;
  const choices = [{ value: '', label: 'no column' }, ...columns.map(({ name }) => ({ value: name, label: name }))];
  const isNeeded = (code: string, required: boolean) => key.includes(code) || required;
  const rows = properties.toSorted(
    (a, b) => Number(isNeeded(b.code, b.required)) - Number(isNeeded(a.code, a.required)),
  );
  return (
    <Stack gap="md">
      <Title order={2}>Properties</Title>
      <WideBox label="Properties">
        <Table miw={560} verticalSpacing={4} w="100%">
          <Table.Thead>
            <Table.Tr>
              <Table.Th w="34%">Property</Table.Th>
              <Table.Th w="26%">Values</Table.Th>
              <Table.Th>From the column</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((property) => (
              <Table.Tr key={property.code}>
                <Table.Td className="type-name">
                  {property.name}{' '}
                  {isNeeded(property.code, property.required) ? (
                    <Badge size="sm" variant={key.includes(property.code) ? 'light' : 'default'}>
                      {key.includes(property.code) ? 'key' : 'required'}
                    </Badge>
                  ) : null}
                </Table.Td>
                <Table.Td className="mono-id">{typeWords(property)}</Table.Td>
                <Table.Td>
                  <NativeSelect
                    aria-label={`Column of ${property.name}`}
                    size="xs"
                    data={choices}
                    value={mapping.properties[property.code] ?? ''}
                    onChange={({ currentTarget: { value } }) =>
                      change({ ...mapping, properties: { ...mapping.properties, [property.code]: value } })
                    }
                  />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </WideBox>
      {relationships.length === 0 ? null : (
        <>
          <Title order={2}>Relationships</Title>
          <WideBox label="Relationships">
            <Table miw={560} verticalSpacing={4} w="100%">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th w="34%">Relationship</Table.Th>
                  <Table.Th>The key of the other end is in</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {relationships.map((one) => (
                  <Table.Tr key={one.code}>
                    <Table.Td className="type-name">
                      {one.name}
                      <Text size="xs" c="dimmed">
                        {one.cardinality} {one.target_type}
                      </Text>
                    </Table.Td>
                    <Table.Td>
                      <LinkColumns relationship={one} choices={choices} mapping={mapping} change={change} />
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </WideBox>
        </>
      )}
    </Stack>
  );
}

interface LinkColumnsProps extends Pick<MappingRowsProps, 'mapping' | 'change'> {
  relationship: EntityTypeView['relationships'][number];
  choices: { value: string; label: string }[];
}

/** One column for each part of the key of the other end. */
function LinkColumns({ relationship: { code, name, target_key: key }, choices, mapping, change }: LinkColumnsProps) {
  const chosen = mapping.relationships[code] ?? [];
  return key.map((part, at) => (
    <NativeSelect
      key={part}
      aria-label={`Column with ${part} of ${name}`}
      size="xs"
      data={choices}
      value={chosen[at] ?? ''}
      onChange={({ currentTarget: { value } }) => {
        const columns = key.map((_, place) => (place === at ? value : (chosen[place] ?? '')));
        change({ ...mapping, relationships: { ...mapping.relationships, [code]: columns } });
      }}
    />
  ));
}
