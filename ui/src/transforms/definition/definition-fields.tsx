import { NativeSelect, SimpleGrid, TagsInput, TextInput } from '@mantine/core';
import { MATERIALIZATIONS, type Materialization } from '@weir/plugin-transforms/contract';
import { faultsByField } from '../../faults/problem-faults.ts';
import { kindOfOutput } from '../../statement/materialization-words.ts';
import type { Definition } from '../draft/definition.ts';

interface DefinitionFieldsProps {
  value: Definition;
  change(change: Partial<Definition>): void;
  error: Error | null;
  /** The tables that the statement names. */
  inputs: readonly string[];
}

/** What a transform is beside its statement. */
export function DefinitionFields({ value, change, error, inputs }: DefinitionFieldsProps) {
  const faults = faultsByField(error);
  const faultOf = (name: string) => faults.get(`/${name}`);
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} verticalSpacing="sm">
      <TextInput
        label="Name"
        description="Lower-case letters, digits, _ and -"
        required
        value={value.name}
        error={faultOf('name')}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      <TextInput
        label="Output table"
        description="<layer>.<scope>.<table>, of layer silver or gold"
        required
        classNames={{ input: 'mono-id' }}
        value={value.output}
        error={faultOf('output')}
        onChange={(event) => change({ output: event.currentTarget.value })}
      />
      <NativeSelect
        label="A run"
        data={MATERIALIZATIONS.map((one) => ({ value: one, label: `${kindOfOutput(one)} (${one})` }))}
        value={value.materialization}
        error={faultOf('materialization')}
        onChange={(event) => change({ materialization: event.currentTarget.value as Materialization })}
      />
      <RowFields value={value} change={change} faultOf={faultOf} inputs={inputs} />
      <TagsInput label="Tags" value={value.tags} error={faultOf('tags')} onChange={(tags) => change({ tags })} />
      <TextInput
        label="What it is for"
        value={value.description}
        error={faultOf('description')}
        onChange={(event) => change({ description: event.currentTarget.value })}
      />
    </SimpleGrid>
  );
}

interface RowFieldsProps extends Omit<DefinitionFieldsProps, 'error'> {
  faultOf(name: string): string | undefined;
}

/** What a materialization wants beside its name. */
function RowFields({ value, change, faultOf, inputs }: RowFieldsProps) {
  return (
    <>
      {value.materialization === 'merge' ? (
        <TagsInput
          label="Key"
          description="Columns of the result that name a row"
          required={value.key.length === 0}
          value={value.key}
          error={faultOf('key')}
          onChange={(key) => change({ key })}
        />
      ) : null}
      {value.materialization === 'partition_overwrite' ? (
        <TagsInput
          label="Partitions"
          description="Columns of the result that divide the table"
          required={value.partition_by.length === 0}
          value={value.partition_by}
          error={faultOf('partition_by')}
          onChange={(partition_by) => change({ partition_by })}
        />
      ) : null}
      {value.materialization === 'full' ? null : (
        <NativeSelect
          label="Only new rows of"
          description="A run reads what this input got since the last run"
          data={[
            { value: '', label: 'none: a run reads all rows' },
            ...new Set([...inputs, ...(value.incremental === '' ? [] : [value.incremental])]),
          ]}
          value={value.incremental}
          error={faultOf('incremental')}
          onChange={(event) => change({ incremental: event.currentTarget.value })}
        />
      )}
    </>
  );
}
