import { Autocomplete, JsonInput, NumberInput, Select, Switch, TagsInput, Textarea, TextInput } from '@mantine/core';
import { Controller, type ControllerRenderProps, type RegisterOptions, useFormContext } from 'react-hook-form';
import { type FieldKind, isLongText, type SchemaNode } from './schema-node.ts';
import { SecretInput } from './secret-input.tsx';

/** Names that are offered at once. */
const MAX_OFFERED = 50;

/** Names that are offered while someone types. */
export interface Suggested {
  datasets: readonly string[];
  columns: readonly string[];
}

interface SchemaInputProps {
  label: string;
  kind: FieldKind;
  node: SchemaNode;
  path: string;
  isRequired: boolean;
  suggested?: Suggested | undefined;
  /** What the server says of the value. */
  fault?: string | undefined;
}

/** One input for one value of a schema. */
export function SchemaInput({ path, ...props }: SchemaInputProps) {
  const { control } = useFormContext();
  return (
    <Controller
      name={path}
      control={control}
      rules={rulesOf(props.node, props.kind, props.isRequired)}
      render={({ field, fieldState: { error } }) => (
        <KindInput {...props} field={field} error={error?.message ?? props.fault} />
      )}
    />
  );
}

interface KindInputProps extends Omit<SchemaInputProps, 'path'> {
  field: ControllerRenderProps;
  error: string | undefined;
}

/** The input of a kind; kinds that hold texts are apart. */
function KindInput(props: KindInputProps) {
  const { label, kind, node, isRequired, field } = props;
  const { ref, value, onChange, onBlur, name } = field;
  const common = { ref, name, label, onBlur, description: descriptionOf(node, kind), error: props.error };
  const input = { ...common, withAsterisk: isRequired };
  switch (kind) {
    case 'choice':
      return (
        <Select
          {...input}
          data={choices(node)}
          value={(value as string | undefined) ?? null}
          onChange={onChange}
          clearable={!isRequired}
          clearButtonProps={{ 'aria-label': `Clear ${label}` }}
          placeholder={defaultText(node)}
        />
      );
    case 'switch':
      return (
        <Switch
          {...common}
          checked={(value as boolean | undefined) ?? node.default === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      );
    case 'number':
      return (
        <NumberInput
          {...input}
          value={(value as number | undefined) ?? ''}
          onChange={(next) => onChange(next === '' ? undefined : Number(next))}
          min={node.minimum ?? Number.MIN_SAFE_INTEGER}
          max={node.maximum ?? Number.MAX_SAFE_INTEGER}
          allowDecimal={node.type === 'number'}
          placeholder={defaultText(node)}
        />
      );
    case 'dataset':
    case 'column':
    case 'columns':
      return <NamesInput {...props} input={input} />;
    default:
      return <WrittenInput {...props} input={input} />;
  }
}

/** An input of names that are offered and not the only ones: of one dataset, one column, or columns. */
function NamesInput({ kind, node, suggested, field: { value, onChange }, input }: WrittenInputProps) {
  const data = [...(kind === 'dataset' ? (suggested?.datasets ?? []) : (suggested?.columns ?? []))];
  const offer = { data, limit: MAX_OFFERED, placeholder: defaultText(node) };
  if (kind === 'columns')
    return (
      <TagsInput
        {...input}
        {...offer}
        value={Array.isArray(value) ? value : []}
        onChange={onChange}
        maxTags={node.maxItems ?? Number.MAX_SAFE_INTEGER}
        splitChars={[]}
        {...(Array.isArray(value) && value.length > 0 ? { placeholder: '' } : {})}
      />
    );
  return <Autocomplete {...input} {...offer} value={typeof value === 'string' ? value : ''} onChange={onChange} />;
}

interface WrittenInputProps extends KindInputProps {
  input: { ref: ControllerRenderProps['ref']; name: string; label: string; onBlur(): void; withAsterisk: boolean };
}

/** An input of texts: one, several, a secret one, or JSON. */
function WrittenInput({ kind, node, field: { value, onChange }, input }: WrittenInputProps) {
  const typed = {
    value: typeof value === 'string' ? value : '',
    onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value),
  };
  const area = { ...input, autosize: true, minRows: 2 };
  if (kind === 'json') {
    return <JsonInput {...area} formatOnBlur value={jsonText(value)} onChange={(next) => onChange(jsonValue(next))} />;
  }
  if (kind === 'lines') {
    return (
      <Textarea
        {...area}
        value={Array.isArray(value) ? value.join('\n') : ''}
        onChange={(event) => onChange(linesOf(event.currentTarget.value))}
        placeholder={defaultText(node)}
      />
    );
  }
  if (kind === 'secret') {
    return <SecretInput {...input} value={typed.value} onValue={onChange} />;
  }
  if (isLongText(node)) return <Textarea {...area} {...typed} />;
  return <TextInput {...input} {...typed} placeholder={defaultText(node)} />;
}

function rulesOf({ pattern, minLength, maxLength }: SchemaNode, kind: FieldKind, isRequired: boolean): RegisterOptions {
  const isText = kind === 'text' || kind === 'secret';
  return {
    ...(isRequired && kind !== 'switch' ? { required: 'This is required.' } : {}),
    ...(isText && maxLength !== undefined
      ? { maxLength: { value: maxLength, message: `At most ${maxLength} characters.` } }
      : {}),
    ...(isText && minLength !== undefined
      ? { minLength: { value: minLength, message: `At least ${minLength} characters.` } }
      : {}),
    ...(isText && pattern !== undefined
      ? { validate: (text) => !text || matches(pattern, String(text)) || `This must have the form ${pattern}` }
      : {}),
    ...(kind === 'json' ? { validate: (value) => !(value instanceof BadJson) || 'This is not JSON.' } : {}),
  };
}

/** A pattern that this browser does not understand is left to the server. */
function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return true;
  }
}

const descriptionOf = ({ description }: SchemaNode, kind: FieldKind) =>
  kind === 'lines' ? [description, 'One a line.'].filter(Boolean).join(' ') : description;

const defaultText = ({ default: value }: SchemaNode): string =>
  value === undefined ? '' : Array.isArray(value) ? value.join('\n') : String(value);

const VISIBLE: Readonly<Record<string, string>> = { '\t': 'tab', ' ': 'space' };
const choices = (node: SchemaNode) =>
  (node.enum ?? []).map((value) => ({ value: String(value), label: VISIBLE[String(value)] ?? String(value) }));

/** Empty lines stay while someone types; they are left out of what is sent. */
const linesOf = (text: string): string[] => (text === '' ? [] : text.split('\n'));

/** Text that is not JSON so far. */
class BadJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const jsonText = (value: unknown): string =>
  value instanceof BadJson ? value.text : value === undefined ? '' : JSON.stringify(value, null, 2);

function jsonValue(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return new BadJson(text);
  }
}
