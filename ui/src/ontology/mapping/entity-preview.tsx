import { Stack, Table, Text, Title } from '@mantine/core';
import type { BackingPreviewView, PreviewEntityView } from '@weir/plugin-ontology/contract';
import { counted } from '../../parts/numbers.ts';
import { WideBox } from '../../parts/wide-box.tsx';

type PreviewFault = PreviewEntityView['faults'][number];

const WORDS: Readonly<Record<PreviewFault['code'], string>> = {
  not_castable: 'does not convert',
  required_missing: 'is required and empty',
  not_in_enum: 'is not one of the allowed values',
  below_min: 'is below its minimum',
  above_max: 'is above its maximum',
  pattern_missed: 'does not match its pattern',
  too_long: 'is too long',
  key_missing: 'no key',
  key_repeated: 'the key of another row',
  key_too_long: 'the key is too long',
  not_storable: 'holds what cannot be stored',
};

const faultText = ({ code, of }: PreviewFault): string => (of === null ? WORDS[code] : `${of} ${WORDS[code]}`);

/** The entities that the first rows would become, and why others become none. */
export function EntityPreview({ preview }: { preview: BackingPreviewView }) {
  const { entities, has_more } = preview;
  const codes = [...new Set(entities.flatMap(({ properties }) => Object.keys(properties)))];
  const isLinked = entities.some(({ links }) => links.length > 0);
  return (
    <Stack gap="sm" component="section" aria-labelledby="preview">
      <Title order={2} id="preview">
        The first entities
      </Title>
      {entities.length === 0 ? (
        <Text size="sm" c="dimmed" p="md" className="panel">
          The table has no rows that fit. The first sync makes no entity.
        </Text>
      ) : (
        <WideBox label="Table of entities">
          <Table verticalSpacing={4} w="100%">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Row</Table.Th>
                <Table.Th>Key</Table.Th>
                {codes.map((code) => (
                  <Table.Th key={code}>{code}</Table.Th>
                ))}
                {isLinked ? <Table.Th>Links</Table.Th> : null}
                <Table.Th>Faults</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {entities.map(({ row, key, properties, links, faults, deleted }) => (
                <Table.Tr key={row}>
                  <Table.Td>{row}</Table.Td>
                  <Table.Td className="mono-id">{key ?? '–'}</Table.Td>
                  {codes.map((code) => (
                    <Table.Td key={code}>{valueText(properties[code])}</Table.Td>
                  ))}
                  {isLinked ? (
                    <Table.Td>{links.map((one) => `${one.relationship}: ${one.target_key}`).join(', ')}</Table.Td>
                  ) : null}
                  <Table.Td>
                    {faults.length === 0 ? (
                      deleted ? (
                        'deleted'
                      ) : (
                        '–'
                      )
                    ) : (
                      <Text size="sm" c="error">
                        {faults.map(faultText).join('; ')}
                      </Text>
                    )}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </WideBox>
      )}
      {has_more ? (
        <Text size="sm" c="dimmed">
          The first {counted(entities.length, 'row')}; a sync reads them all.
        </Text>
      ) : null}
    </Stack>
  );
}

const MAX_CHARS = 120;
function valueText(value: unknown): string {
  if (value === undefined) return '–';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text;
}
