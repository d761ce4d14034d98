import {
  Button,
  Checkbox,
  Group,
  NativeSelect,
  NumberInput,
  SimpleGrid,
  Stack,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useState } from 'react';
import { given } from '../../api/given.ts';
import { Dialog } from '../../parts/dialog.tsx';
import type { GivenProperty, ValueType } from './draft.ts';
import { carried, hasChoices, hasLength, ITEM_CHOICES, isOrdered } from './value-words.ts';

const MAX_LABEL = 200;
const MAX_TEXT = 2_000;
const MAX_UNIT = 40;
const MAX_PRECISION = 38;

interface PropertyDialogProps {
  property: GivenProperty;
  save(property: GivenProperty): void;
  close(): void;
}

/** What is seldom said of a property: its words for people, and what its values are bound to. */
export function PropertyDialog({ property, save, close }: PropertyDialogProps) {
  const [held, setHeld] = useState(() => heldOf(property));
  const change = (part: Partial<Held>) => setHeld((before) => ({ ...before, ...part }));
  const { value_type: type } = property;
  return (
    <Dialog title={`Details of ${property.code === '' ? 'the property' : property.code}`} size="lg" onClose={close}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          // The form of the page is around this one, as React sees it.
          event.stopPropagation();
          save(propertyOf(property, held));
          close();
        }}
      >
        <Stack gap="sm">
          <Words held={held} change={change} />
          <Bounds type={type} held={held} change={change} />
          <Group gap="lg">
            <Checkbox
              label="No two entities have the same value"
              checked={held.unique}
              onChange={({ currentTarget: { checked } }) => change({ unique: checked })}
            />
            <Checkbox
              label="Sensitive: kept from assistants"
              checked={held.sensitive}
              onChange={({ currentTarget: { checked } }) => change({ sensitive: checked })}
            />
            <Checkbox
              label="Deprecated"
              checked={held.isDeprecated}
              onChange={({ currentTarget: { checked } }) => change({ isDeprecated: checked })}
            />
          </Group>
          <Group mt="xs">
            <Button type="submit">Done</Button>
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

interface WordsProps {
  held: Held;
  change(part: Partial<Held>): void;
}

function Words({ held, change }: WordsProps) {
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput
          label="Name for people"
          data-autofocus
          maxLength={MAX_LABEL}
          value={held.name}
          onChange={({ currentTarget: { value } }) => change({ name: value })}
        />
        <TextInput
          label="Unit"
          placeholder="km/h"
          maxLength={MAX_UNIT}
          value={held.unit}
          onChange={({ currentTarget: { value } }) => change({ unit: value })}
        />
      </SimpleGrid>
      <Textarea
        label="What it means"
        autosize
        maxRows={6}
        maxLength={MAX_TEXT}
        value={held.description}
        onChange={({ currentTarget: { value } }) => change({ description: value })}
      />
    </>
  );
}

interface BoundsProps extends WordsProps {
  type: ValueType;
}

function Bounds({ type, held, change }: BoundsProps) {
  const text = (name: 'min' | 'max' | 'pattern', label: string, placeholder = '') => (
    <TextInput
      label={label}
      placeholder={placeholder}
      value={held[name]}
      onChange={({ currentTarget: { value } }) => change({ [name]: value })}
    />
  );
  const count = (name: 'length' | 'precision' | 'scale', label: string, max?: number) => (
    <NumberInput
      label={label}
      min={name === 'scale' ? 0 : 1}
      {...(max !== undefined && { max })}
      allowDecimal={false}
      value={held[name]}
      onChange={(value) => change({ [name]: value })}
    />
  );
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {type === 'list' ? (
          <NativeSelect
            label="Each item is"
            data={ITEM_CHOICES}
            value={held.item}
            onChange={({ currentTarget: { value } }) => change({ item: value as Held['item'] })}
          />
        ) : null}
        {isOrdered(type) ? text('min', 'At least') : null}
        {isOrdered(type) ? text('max', 'At most') : null}
        {hasLength(type) ? count('length', 'At most so many characters') : null}
        {hasLength(type) ? text('pattern', 'Matches the pattern', '^[A-Z]{2}$') : null}
        {type === 'decimal' ? count('precision', 'Digits', MAX_PRECISION) : null}
        {type === 'decimal' ? count('scale', 'Of them behind the point', MAX_PRECISION) : null}
      </SimpleGrid>
      {hasChoices(type) ? (
        <Textarea
          label="One of these values"
          description="One a line; any value without them"
          autosize
          minRows={2}
          maxRows={8}
          value={held.choices}
          onChange={({ currentTarget: { value } }) => change({ choices: value })}
        />
      ) : null}
    </>
  );
}

/** What the fields hold. */
interface Held {
  name: string;
  unit: string;
  description: string;
  item: NonNullable<GivenProperty['item_type']>;
  min: string;
  max: string;
  pattern: string;
  length: string | number;
  precision: string | number;
  scale: string | number;
  choices: string;
  unique: boolean;
  sensitive: boolean;
  isDeprecated: boolean;
}

const heldOf = ({
  name,
  unit,
  description,
  item_type,
  constraints = {},
  enum: values,
  ...facts
}: GivenProperty): Held => ({
  name: name ?? '',
  unit: unit ?? '',
  description: description ?? '',
  item: item_type ?? 'string',
  min: String(constraints.min ?? ''),
  max: String(constraints.max ?? ''),
  pattern: constraints.pattern ?? '',
  length: constraints.max_length ?? '',
  precision: constraints.precision ?? '',
  scale: constraints.scale ?? '',
  choices: (values ?? []).join('\n'),
  unique: facts.unique === true,
  sensitive: facts.sensitive === true,
  isDeprecated: facts.status === 'deprecated',
});

/** The property as the fields say it; what is empty is left out. */
export function propertyOf(
  { code, value_type, carrier_type, required, indexed, renamed_from }: GivenProperty,
  held: Held,
): GivenProperty {
  const bound = (value: string) => (value.trim() === '' ? undefined : carried(value_type, value));
  const constraints = given({
    min: bound(held.min),
    max: bound(held.max),
    pattern: held.pattern,
    max_length: held.length,
    precision: held.precision,
    scale: held.scale,
  });
  const choices = held.choices.split('\n').filter((line) => line.trim() !== '');
  return given({
    code,
    name: held.name.trim(),
    value_type,
    carrier_type,
    unit: held.unit.trim(),
    description: held.description.trim(),
    item_type: value_type === 'list' ? held.item : undefined,
    constraints: Object.keys(constraints).length === 0 ? undefined : constraints,
    enum: choices.length === 0 ? undefined : choices.map((line) => carried(value_type, line)),
    required,
    indexed,
    unique: held.unique || undefined,
    sensitive: held.sensitive || undefined,
    status: held.isDeprecated ? 'deprecated' : undefined,
    renamed_from,
  }) as GivenProperty;
}
