import { Button, CloseButton, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { EntityTypeView } from '@weir/plugin-ontology/contract';
import { useState } from 'react';
import { type Condition, filterText } from './filter.ts';

type Property = EntityTypeView['properties'][number];

interface EntityFilterProps {
  indexed: readonly Property[];
  conditions: readonly Condition[];
}

/** Finds entities by the values of indexed properties; the address holds the values. */
export function EntityFilter({ indexed, conditions }: EntityFilterProps) {
  const navigate = useNavigate({ from: '/ontology/types/$code' });
  const [property, setProperty] = useState(indexed[0]?.code ?? '');
  const [value, setValue] = useState('');
  const chosen = indexed.find((one) => one.code === property) ?? indexed[0];
  if (chosen === undefined)
    return (
      <Text size="sm" c="dimmed">
        No property is indexed, so entities are listed by their keys only. A new version can index one.
      </Text>
    );
  const choices = valuesOf(chosen);
  const put = (next: readonly Condition[]) =>
    void navigate({ search: (before) => ({ ...before, filter: filterText(next) }) });
  const wanted = value === '' && choices !== undefined ? (choices[0] ?? '') : value;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (wanted === '') return;
        put([...conditions.filter((one) => one.property !== chosen.code), { property: chosen.code, value: wanted }]);
        setValue('');
      }}
    >
      <Group gap="sm">
        <NativeSelect
          aria-label="Property"
          size="sm"
          data={indexed.map(({ code, name }) => ({ value: code, label: name }))}
          value={chosen.code}
          onChange={({ currentTarget: { value: code } }) => {
            setProperty(code);
            setValue('');
          }}
        />
        <Text size="sm">is</Text>
        {choices === undefined ? (
          <TextInput
            aria-label={`Value of ${chosen.name}`}
            placeholder="The exact value  /"
            data-filter
            size="sm"
            value={value}
            onChange={({ currentTarget: { value: text } }) => setValue(text)}
          />
        ) : (
          <NativeSelect
            aria-label={`Value of ${chosen.name}`}
            data-filter
            size="sm"
            data={choices}
            value={wanted}
            onChange={({ currentTarget: { value: text } }) => setValue(text)}
          />
        )}
        <Button type="submit" size="sm" variant="default">
          Find
        </Button>
        {conditions.map(({ property: code, value: held }) => (
          <Group key={code} gap={2} className="status" data-tone="busy" wrap="nowrap">
            <span className="type-text">
              {indexed.find((one) => one.code === code)?.name ?? code} is {held}
            </span>
            <CloseButton
              size="xs"
              aria-label={`Leave out ${code}`}
              onClick={() => put(conditions.filter((one) => one.property !== code))}
            />
          </Group>
        ))}
      </Group>
    </form>
  );
}

/** The values that a property can have, where they are few. */
const valuesOf = ({ value_type: type, enum: values }: Property): string[] | undefined =>
  type === 'boolean' ? ['true', 'false'] : values?.map(String);
