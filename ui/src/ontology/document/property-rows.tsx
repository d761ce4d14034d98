import { ActionIcon, Button, Checkbox, NativeSelect, Stack, Table, Text, TextInput } from '@mantine/core';
import { SlidersHorizontal, Trash2 } from 'lucide-react';
import { memo, useState } from 'react';
import { WideBox } from '../../parts/wide-box.tsx';
import {
  CODE,
  CODE_RULE,
  type DocumentDraft,
  type GivenProperty,
  type PropertyRow,
  recoded,
  retyped,
  type ValueType,
} from './draft.ts';
import { PropertyDialog } from './property-dialog.tsx';
import { isIndexable, isKeyType, VALUE_CHOICES } from './value-words.ts';
import '../ontology.css';

type Change = (from: (draft: DocumentDraft) => DocumentDraft) => void;

interface PropertyRowsProps {
  draft: DocumentDraft;
  change: Change;
  /** Codes of the version before. */
  before: ReadonlySet<string>;
}

/** The properties of a type, one a row; what is seldom said is behind a button. */
export function PropertyRows({ draft: { properties, key, title }, change, before }: PropertyRowsProps) {
  return (
    <Stack gap="sm">
      <WideBox label="Properties">
        <Table miw={780} verticalSpacing={4} w="100%">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Code</Table.Th>
              <Table.Th w={230}>Values</Table.Th>
              <Table.Th w={76}>Key</Table.Th>
              <Table.Th w={92}>Required</Table.Th>
              <Table.Th w={92}>Indexed</Table.Th>
              <Table.Th w={76}>Title</Table.Th>
              <Table.Th w={96}>
                <span className="unseen">More of it</span>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {properties.map((row) => (
              <Row
                key={row.id}
                row={row}
                isKey={key.includes(row.id)}
                isTitle={title === row.id}
                change={change}
                before={before}
              />
            ))}
          </Table.Tbody>
        </Table>
      </WideBox>
      <div>
        <Button size="xs" variant="default" onClick={() => change(withRow)}>
          Add a property
        </Button>
      </div>
      <Text size="sm" c="dimmed">
        The key says which entity it is: its values are together unique. Entities are found by indexed properties, and
        people know them by the title.
      </Text>
    </Stack>
  );
}

const withRow = (draft: DocumentDraft): DocumentDraft => ({
  ...draft,
  properties: [...draft.properties, { id: draft.nextId, property: { code: '', value_type: 'string' } }],
  nextId: draft.nextId + 1,
});

const withProperty =
  (id: number, of: (property: GivenProperty) => GivenProperty) =>
  (draft: DocumentDraft): DocumentDraft => ({
    ...draft,
    properties: draft.properties.map((row) => (row.id === id ? { id, property: of(row.property) } : row)),
  });

const withoutRow =
  (id: number) =>
  (draft: DocumentDraft): DocumentDraft => ({
    ...draft,
    properties: draft.properties.filter((row) => row.id !== id),
    key: draft.key.filter((one) => one !== id),
    title: draft.title === id ? undefined : draft.title,
  });

/** Every entity has a value of its key. */
const withKey =
  (id: number, isKey: boolean) =>
  (draft: DocumentDraft): DocumentDraft => {
    const key = isKey ? [...draft.key, id] : draft.key.filter((one) => one !== id);
    return isKey
      ? withProperty(id, (property) => ({ ...property, required: true }))({ ...draft, key })
      : { ...draft, key };
  };

interface RowProps {
  row: PropertyRow;
  isKey: boolean;
  isTitle: boolean;
  change: Change;
  before: ReadonlySet<string>;
}

const Row = memo(function Row({ row, isKey, isTitle, change, before }: RowProps) {
  const { id, property } = row;
  const [isOpen, setOpen] = useState(false);
  const { code, value_type: type, renamed_from: was } = property;
  const named = code === '' ? 'the new property' : code;
  const set = (of: (property: GivenProperty) => GivenProperty) => change(withProperty(id, of));
  return (
    <Table.Tr>
      <Table.Td>
        <TextInput
          aria-label={`Code of ${named}`}
          size="xs"
          placeholder="customer_number"
          spellCheck={false}
          error={code === '' || CODE.test(code) ? undefined : CODE_RULE}
          value={code}
          onChange={({ currentTarget: { value } }) => set((before_) => recoded(before_, value.trim(), before))}
        />
        {was === undefined ? null : (
          <Text size="xs" c="dimmed" className="type-text">
            was {was}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <NativeSelect
          aria-label={`Values of ${named}`}
          size="xs"
          data={VALUE_CHOICES}
          value={type}
          onChange={({ currentTarget: { value } }) => {
            const to = value as ValueType;
            set((one) => retyped(one, to));
            if (isKey && !isKeyType(to)) change(withKey(id, false));
          }}
        />
      </Table.Td>
      <Flags row={row} named={named} isKey={isKey} isTitle={isTitle} change={change} />
      <Table.Td className="one-line">
        <ActionIcon variant="default" size="md" aria-label={`Details of ${named}`} onClick={() => setOpen(true)}>
          <SlidersHorizontal size={14} aria-hidden />
        </ActionIcon>{' '}
        <ActionIcon variant="default" size="md" aria-label={`Remove ${named}`} onClick={() => change(withoutRow(id))}>
          <Trash2 size={14} aria-hidden />
        </ActionIcon>
        {isOpen ? (
          <PropertyDialog property={property} save={(saved) => set(() => saved)} close={() => setOpen(false)} />
        ) : null}
      </Table.Td>
    </Table.Tr>
  );
});

interface FlagsProps extends Pick<RowProps, 'row' | 'isKey' | 'isTitle' | 'change'> {
  named: string;
}

function Flags({ row: { id, property }, named, isKey, isTitle, change }: FlagsProps) {
  const { value_type: type, required = false, indexed = false } = property;
  const set = (of: (property: GivenProperty) => GivenProperty) => change(withProperty(id, of));
  const flags: readonly { label: string; is: boolean; isFixed: boolean; put(is: boolean): void }[] = [
    {
      label: 'is part of the key',
      is: isKey,
      isFixed: !isKeyType(type),
      put: (is) => change(withKey(id, is)),
    },
    {
      label: 'is required',
      is: required,
      isFixed: isKey,
      put: (is) => set((one) => ({ ...one, required: is })),
    },
    {
      label: 'is indexed',
      is: indexed,
      isFixed: !isIndexable(type),
      put: (is) => set((one) => ({ ...one, indexed: is })),
    },
    {
      label: 'is the title',
      is: isTitle,
      isFixed: false,
      put: (is) => change((draft) => ({ ...draft, title: is ? id : undefined })),
    },
  ];
  return flags.map(({ label, is, isFixed, put }) => (
    <Table.Td key={label}>
      <Checkbox
        aria-label={`${named} ${label}`}
        checked={is}
        disabled={isFixed}
        onChange={({ currentTarget: { checked } }) => put(checked)}
      />
    </Table.Td>
  ));
}
