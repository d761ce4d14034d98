import {
  ActionIcon,
  Autocomplete,
  Button,
  NativeSelect,
  Stack,
  Table,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core';
import { getEntityType } from '@weir/plugin-ontology/contract';
import { Trash2 } from 'lucide-react';
import { useEffect } from 'react';
import { useRead } from '../../api/queries.ts';
import { WideBox } from '../../parts/wide-box.tsx';
import { useAllTypes } from '../use-types.ts';
import { CODE, CODE_RULE, type DocumentDraft, type GivenRelationship, type RelationshipRow } from './draft.ts';
import '../ontology.css';

type Change = (from: (draft: DocumentDraft) => DocumentDraft) => void;

interface RelationshipRowsProps {
  draft: DocumentDraft;
  change: Change;
  /** Code of the type itself. */
  own: string;
}

const HOW_MANY = [
  { value: 'one', label: 'at most one' },
  { value: 'many', label: 'many' },
];

/** Where entities of the type lead, one relationship a row. */
export function RelationshipRows({ draft: { relationships }, change, own }: RelationshipRowsProps) {
  const types = useAllTypes();
  const codes = [...new Set([...(types.data ?? []).map(({ code }) => code), ...(CODE.test(own) ? [own] : [])])];
  return (
    <Stack gap="sm">
      {relationships.length === 0 ? null : (
        <WideBox label="Relationships">
          <Table miw={780} verticalSpacing={4} w="100%">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Code</Table.Th>
                <Table.Th w={130}>Leads to</Table.Th>
                <Table.Th w="28%">Entities of</Table.Th>
                <Table.Th w="26%">By their key</Table.Th>
                <Table.Th w={56}>
                  <span className="unseen">Remove it</span>
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {relationships.map((row) => (
                <Row key={row.id} row={row} change={change} own={own} codes={codes} />
              ))}
            </Table.Tbody>
          </Table>
        </WideBox>
      )}
      <div>
        <Button size="xs" variant="default" onClick={() => change(withRow)}>
          Add a relationship
        </Button>
      </div>
    </Stack>
  );
}

const withRow = (draft: DocumentDraft): DocumentDraft => ({
  ...draft,
  relationships: [
    ...draft.relationships,
    { id: draft.nextId, relationship: { code: '', target_type: '', target_key: [], cardinality: 'one' } },
  ],
  nextId: draft.nextId + 1,
});

const withRelationship =
  (id: number, part: Partial<GivenRelationship>) =>
  (draft: DocumentDraft): DocumentDraft => ({
    ...draft,
    relationships: draft.relationships.map((row) =>
      row.id === id ? { id, relationship: { ...row.relationship, ...part } } : row,
    ),
  });

interface RowProps {
  row: RelationshipRow;
  change: Change;
  own: string;
  codes: string[];
}

function Row({ row, change, own, codes }: RowProps) {
  const { id, relationship } = row;
  const { code, target_type: target, cardinality } = relationship;
  const named = code === '' ? 'the new relationship' : code;
  const set = (part: Partial<GivenRelationship>) => change(withRelationship(id, part));
  return (
    <Table.Tr>
      <Table.Td>
        <TextInput
          aria-label={`Code of ${named}`}
          size="xs"
          placeholder="owner"
          spellCheck={false}
          error={code === '' || CODE.test(code) ? undefined : CODE_RULE}
          value={code}
          onChange={({ currentTarget: { value } }) => set({ code: value.trim() })}
        />
      </Table.Td>
      <Table.Td>
        <NativeSelect
          aria-label={`How many ${named} leads to`}
          size="xs"
          data={HOW_MANY}
          value={cardinality}
          onChange={({ currentTarget: { value } }) => set({ cardinality: value === 'many' ? 'many' : 'one' })}
        />
      </Table.Td>
      <Table.Td>
        <Autocomplete
          aria-label={`Type that ${named} leads to`}
          size="xs"
          data={codes}
          error={target === '' || CODE.test(target) ? undefined : CODE_RULE}
          value={target}
          onChange={(value) => set({ target_type: value.trim() })}
        />
      </Table.Td>
      <Table.Td>
        <TargetKey row={row} named={named} own={own} codes={codes} change={change} />
      </Table.Td>
      <Table.Td>
        <ActionIcon
          variant="default"
          size="md"
          aria-label={`Remove ${named}`}
          onClick={() =>
            change((draft) => ({ ...draft, relationships: draft.relationships.filter((one) => one.id !== id) }))
          }
        >
          <Trash2 size={14} aria-hidden />
        </ActionIcon>
      </Table.Td>
    </Table.Tr>
  );
}

/** The key by which the relationship finds its target: that of the type, typed only for a type that is still to come. */
function TargetKey({ row: { id, relationship }, named, own, codes, change }: RowProps & { named: string }) {
  const { target_type: target, target_key: key } = relationship;
  const isOwn = target !== '' && target === own;
  const isKnown = !isOwn && codes.includes(target);
  const query = useRead(getEntityType, { params: { code: target } }, { enabled: isKnown });
  const known = query.data?.code === target ? query.data.primary_key : undefined;
  useEffect(() => {
    if (known !== undefined && known.join() !== key.join()) change(withRelationship(id, { target_key: known }));
  }, [known, key, id, change]);
  if (isOwn)
    return (
      <Text size="sm" c="dimmed">
        its own key
      </Text>
    );
  if (isKnown) return <span className="mono-id">{key.join(', ')}</span>;
  return (
    <TagsInput
      aria-label={`Key of the type that ${named} leads to`}
      size="xs"
      placeholder={key.length === 0 ? 'its key property, Enter' : ''}
      value={key}
      onChange={(value) => change(withRelationship(id, { target_key: value }))}
    />
  );
}
