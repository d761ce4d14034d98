import { Group, Input, MultiSelect, Select, Stack, Text } from '@mantine/core';
import {
  SCHEMA_CHANGE_POLICIES,
  type StreamView,
  type SYNC_MODES,
  type WRITE_MODES,
} from '@weir/plugin-sources/contract';
import {
  type Choice,
  cursorFields,
  cursorOrigin,
  type DraftField,
  keyFields,
  keyOrigin,
  type StreamDraft,
  syncChoices,
  withSyncMode,
  writeChoices,
} from './legal.ts';
import { POLICY_WORDS, SYNC_WORDS, WRITE_WORDS } from './mode-words.ts';
import { pathText, type SchemaField } from './schema-fields.ts';

interface SettingFieldsProps {
  stream: StreamView;
  draft: StreamDraft;
  faults: Partial<Record<DraftField, string>>;
  change(next: Partial<StreamDraft>): void;
}

/** The settings of one stream; one that another choice needs is asked for beside it. */
export function SettingFields(props: SettingFieldsProps) {
  const { stream, draft, faults, change } = props;
  const sync = syncChoices(stream);
  const write = writeChoices(stream, draft);
  const next = (mode: (typeof SYNC_MODES)[number]) => change(withSyncMode(stream, draft, mode));
  return (
    <Stack gap="md">
      <ModeSelect
        id="setting-sync_mode"
        label="Sync mode"
        choices={sync}
        words={SYNC_WORDS}
        value={draft.sync_mode}
        error={faults.sync_mode}
        onChange={next}
      />
      <CursorField {...props} />
      <ModeSelect
        id="setting-write_mode"
        label="Write mode"
        choices={write}
        words={WRITE_WORDS}
        value={draft.write_mode}
        error={faults.write_mode}
        onChange={(write_mode: (typeof WRITE_MODES)[number]) => change({ write_mode })}
      />
      <KeyField {...props} />
      <ModeSelect
        id="setting-schema_change_policy"
        label="When the schema changes"
        choices={SCHEMA_CHANGE_POLICIES.map((value) => ({ value }))}
        words={POLICY_WORDS}
        value={draft.schema_change_policy}
        onChange={(schema_change_policy) => change({ schema_change_policy })}
      />
    </Stack>
  );
}

interface ModeSelectProps<V extends string> {
  id: string;
  label: string;
  choices: readonly Choice<V>[];
  words: Readonly<Record<V, { label: string; what: string }>>;
  value: V;
  error?: string | undefined;
  onChange(value: V): void;
}

/** A choice of modes; what cannot be chosen says why. */
export function ModeSelect<V extends string>({
  id,
  label,
  choices,
  words,
  value,
  error,
  onChange,
}: ModeSelectProps<V>) {
  const refused = choices.filter(({ why }) => why !== undefined);
  return (
    <Select
      id={id}
      label={label}
      description={words[value].what}
      data={choices.map((one) => ({
        value: one.value,
        label: words[one.value].label,
        disabled: one.why !== undefined,
      }))}
      value={value}
      error={error}
      allowDeselect={false}
      onChange={(chosen) => {
        const known = choices.find((one) => one.value === chosen && one.why === undefined);
        if (known !== undefined) onChange(known.value);
      }}
      inputWrapperOrder={['label', 'description', 'input', 'error']}
      renderOption={({ option }) => {
        const why = refused.find((one) => one.value === option.value)?.why;
        return (
          <Stack gap={0}>
            <Text size="sm">{option.label}</Text>
            <Text size="xs" c="dimmed">
              {why ?? words[option.value as V].what}
            </Text>
          </Stack>
        );
      }}
    />
  );
}

const keyOf = (path: readonly string[]) => JSON.stringify(path);
const pathOf = (key: string) => JSON.parse(key) as string[];

/** The fields that may be chosen, and one that is set and cannot be, so that it is seen. */
function optionsOf(fields: readonly SchemaField[], set: readonly (readonly string[])[]) {
  const options = fields.map(({ path }) => ({ value: keyOf(path), label: pathText(path) }));
  const known = new Set(options.map(({ value }) => value));
  const gone = set.filter((path) => !known.has(keyOf(path)));
  return [...options, ...gone.map((path) => ({ value: keyOf(path), label: `${pathText(path)} · not usable` }))];
}

/** A field with its type; only the name is searched. */
function fieldOption(fields: readonly SchemaField[]) {
  const types = new Map(fields.map(({ path, type }) => [keyOf(path), type]));
  return ({ option }: { option: { value: string; label: string } }) => (
    <Group justify="space-between" gap="sm" flex={1} wrap="nowrap">
      <Text size="sm" className="cell-text">
        {option.label}
      </Text>
      <Text size="xs" c="dimmed" ff="monospace">
        {types.get(option.value)}
      </Text>
    </Group>
  );
}

function CursorField({ stream, draft, faults, change }: SettingFieldsProps) {
  const origin = cursorOrigin(stream, draft);
  if (origin === 'not_needed') return null;
  if (stream.source_defined_cursor)
    return <Decided label="Cursor">The source itself keeps track of what is new.</Decided>;
  const { default_cursor_field: usual } = stream;
  return (
    <Select
      id="setting-cursor_field"
      label="Cursor"
      description="The field that grows with every new or changed row, such as a time of change or a number"
      placeholder={usual === null ? 'Choose a field' : `${pathText(usual)}, as the source proposes`}
      withAsterisk={usual === null}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'Clear Cursor' }}
      nothingFoundMessage="No field has this name"
      renderOption={fieldOption(cursorFields(stream))}
      data={optionsOf(cursorFields(stream), draft.cursor_field === null ? [] : [draft.cursor_field])}
      value={draft.cursor_field === null ? null : keyOf(draft.cursor_field)}
      error={faults.cursor_field}
      onChange={(key) => change({ cursor_field: key === null ? null : pathOf(key) })}
    />
  );
}

function KeyField({ stream, draft, faults, change }: SettingFieldsProps) {
  if (keyOrigin(stream, draft) === 'not_needed' && draft.primary_key === null) return null;
  const { source_defined_primary_key: own } = stream;
  const ownText = own?.map(pathText).join(', ');
  const chosen = draft.primary_key ?? [];
  return (
    <MultiSelect
      id="setting-primary_key"
      label="Primary key"
      description={
        ownText === undefined
          ? 'The fields that together identify a row'
          : `The source has the key ${ownText}; other fields take its place`
      }
      placeholder={chosen.length > 0 ? '' : (ownText ?? 'Choose fields')}
      withAsterisk={own === null}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'Clear Primary key' }}
      nothingFoundMessage="No field of this name can be part of a key"
      renderOption={fieldOption(keyFields(stream))}
      data={optionsOf(keyFields(stream), chosen)}
      value={chosen.map(keyOf)}
      error={faults.primary_key}
      onChange={(keys) => change({ primary_key: keys.length === 0 ? null : keys.map(pathOf) })}
    />
  );
}

/** A setting that is no choice here. */
function Decided({ label, children }: { label: string; children: string }) {
  return (
    <div>
      <Input.Label component="div">{label}</Input.Label>
      <Text size="sm">{children}</Text>
    </div>
  );
}
