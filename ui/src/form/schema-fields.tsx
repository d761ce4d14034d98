import { Button, Collapse, Fieldset, Group, Stack, Text } from '@mantine/core';
import { useDisclosure, useId } from '@mantine/hooks';
import { ChevronDown, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { useFieldArray, useFormContext, useFormState, useWatch } from 'react-hook-form';
import { Choice } from './choice.tsx';
import { CHOSEN } from './compose-config.ts';
import { SchemaInput, type Suggested } from './schema-input.tsx';
import { discriminator, fieldKind, members, type SchemaNode, titleOf } from './schema-node.ts';
import { ReplacedSecret, StoredSecret } from './stored-secret.tsx';

export interface FieldPlace {
  /** In the form, such as `config.path`. */
  path: string;
  /** In the configuration, such as `/path`. */
  pointer: string;
}

export interface FieldContext {
  isCredential(pointer: string): boolean;
  /** Offered for members of the formats `dataset` and `column`; other names are taken too. */
  suggested?: Suggested;
  /** What the server says of what is typed, by JSON pointer. */
  faults?: ReadonlyMap<string, string>;
  /** What is known of a secret that is stored already; it is kept unless it is replaced. */
  stored?(pointer: string): string | undefined;
  /** The JSON pointer of a field that must be in sight. */
  shown?: string | undefined;
}

const within = ({ path, pointer }: FieldPlace, name: string): FieldPlace => ({
  path: `${path}.${name}`,
  pointer: `${pointer}/${name}`,
});

interface SchemaFieldsProps {
  node: SchemaNode;
  place: FieldPlace;
  context: FieldContext;
  /** Folds nothing but what the schema calls advanced. */
  isOpen?: boolean;
}

/** The fields of an object schema: what is required, the alternatives, and the rest behind a fold. */
export function SchemaFields({ node, place, context, isOpen = false }: SchemaFieldsProps) {
  const { plain, advanced, oneOf } = members(node, isOpen);
  const { getValues } = useFormContext();
  /** A field that has a value already, or must be in sight, is not folded away. */
  const isWanted = ([name]: [string, SchemaNode]) => {
    const { path, pointer } = within(place, name);
    return getValues(path) !== undefined || `${context.shown}/`.startsWith(`${pointer}/`);
  };
  const [opened, { toggle }] = useDisclosure(advanced.some(isWanted));
  const id = useId();
  const one = ([name, field]: [string, SchemaNode]) => (
    <SchemaField
      key={name}
      name={name}
      node={field}
      place={within(place, name)}
      context={context}
      isRequired={node.required?.includes(name) === true}
    />
  );
  return (
    <Stack gap="md">
      {oneOf.length === 0 ? null : <Alternatives node={node} names={oneOf} place={place} context={context} />}
      {plain.map(one)}
      {advanced.length === 0 ? null : (
        <div>
          <Button
            variant="subtle"
            size="compact-sm"
            onClick={toggle}
            aria-expanded={opened}
            aria-controls={id}
            leftSection={opened ? <ChevronDown size={14} aria-hidden /> : <ChevronRight size={14} aria-hidden />}
          >
            More settings
          </Button>
          <Collapse id={id} expanded={opened}>
            <Stack gap="md" pt="sm">
              {advanced.map(one)}
            </Stack>
          </Collapse>
        </div>
      )}
    </Stack>
  );
}

/** Members of which exactly one is given. */
function Alternatives({
  node,
  names,
  place,
  context,
}: {
  node: SchemaNode;
  names: string[];
  place: FieldPlace;
  context: FieldContext;
}) {
  const { setValue } = useFormContext();
  const chosenPath = `${place.path}.${CHOSEN}`;
  const chosen = (useWatch({ name: chosenPath }) as string | undefined) ?? names[0] ?? '';
  const data = names.map((name) => ({ value: name, label: titleOf(name, node.properties?.[name] ?? {}) }));
  const field = node.properties?.[chosen];
  return (
    <Stack gap="xs">
      <Choice label="What to give" data={data} value={chosen} onChange={(value) => setValue(chosenPath, value)} />
      {field === undefined ? null : (
        <SchemaField
          key={chosen}
          name={chosen}
          node={field}
          place={within(place, chosen)}
          context={context}
          isRequired
        />
      )}
    </Stack>
  );
}

interface SchemaFieldProps {
  name: string;
  node: SchemaNode;
  place: FieldPlace;
  context: FieldContext;
  isRequired: boolean;
}

function SchemaField(props: SchemaFieldProps) {
  const { name, node, place, context, isRequired } = props;
  const kind = fieldKind(node, context.isCredential(place.pointer));
  if (kind === 'list') return <ListField {...props} />;
  if (kind === 'variants') return <VariantField {...props} />;
  if (kind === 'group') {
    return (
      <Fieldset legend={titleOf(name, node)}>
        <SchemaFields node={node} place={place} context={context} />
      </Fieldset>
    );
  }
  const known = kind === 'secret' ? context.stored?.(place.pointer) : undefined;
  const label = titleOf(name, node);
  const input = (
    <SchemaInput
      label={label}
      kind={kind}
      node={node}
      path={place.path}
      isRequired={isRequired}
      suggested={context.suggested}
      fault={context.faults?.get(place.pointer)}
    />
  );
  if (known === undefined) return input;
  return (
    <SecretField label={label} known={known} path={place.path}>
      {input}
    </SecretField>
  );
}

/** A secret that is stored, or its replacement while one is typed. */
function SecretField({
  label,
  known,
  path,
  children,
}: {
  label: string;
  known: string;
  path: string;
  children: ReactNode;
}) {
  const { setValue, unregister } = useFormContext();
  const [isReplacing, { open, close }] = useDisclosure(false);
  if (!isReplacing) return <StoredSecret label={label} known={known} replace={open} />;
  const keep = () => {
    setValue(path, undefined);
    unregister(path);
    close();
  };
  return (
    <ReplacedSecret label={label} keep={keep}>
      {children}
    </ReplacedSecret>
  );
}

/** Alternatives that a constant member tells apart. */
function VariantField({ name, node, place, context }: SchemaFieldProps) {
  const { setValue } = useFormContext();
  const tag = discriminator(node) ?? '';
  const tagPath = `${place.path}.${tag}`;
  const branches = node.oneOf ?? [];
  const constant = (branch: SchemaNode) => String(branch.properties?.[tag]?.const);
  const chosen = useWatch({ name: tagPath }) as string | undefined;
  const branch = branches.find((one) => constant(one) === chosen);
  const data = branches.map((one) => ({ value: constant(one), label: one.title ?? constant(one) }));
  const { [tag]: _tag, ...rest } = branch?.properties ?? {};
  return (
    <Fieldset legend={titleOf(name, node)}>
      <Stack>
        {node.description === undefined ? null : (
          <Text size="sm" c="dimmed">
            {node.description}
          </Text>
        )}
        <Choice
          label={titleOf(name, node)}
          data={data}
          value={chosen ?? ''}
          onChange={(value) => setValue(tagPath, value)}
        />
        {branch === undefined ? null : (
          <SchemaFields key={chosen ?? ''} node={{ ...branch, properties: rest }} place={place} context={context} />
        )}
      </Stack>
    </Fieldset>
  );
}

/** A list of objects. */
function ListField({ name, node, place, context }: SchemaFieldProps) {
  const { fields, append, remove } = useFieldArray({ name: place.path });
  const { error } = useFormContext().getFieldState(place.path, useFormState({ name: place.path }));
  const fault = error?.message ?? context.faults?.get(place.pointer);
  const title = titleOf(name, node);
  return (
    <Fieldset legend={title}>
      <Stack>
        {node.description === undefined ? null : (
          <Text size="sm" c="dimmed">
            {node.description}
          </Text>
        )}
        {fault === undefined ? null : (
          <Text size="sm" c="var(--mantine-color-error)">
            {fault}
          </Text>
        )}
        {fields.map(({ id }, i) => (
          <Fieldset key={id} legend={`${title} ${i + 1}`}>
            <SchemaFields node={node.items ?? {}} place={within(place, String(i))} context={context} isOpen />
            <Button mt="sm" size="xs" variant="default" onClick={() => remove(i)}>
              Remove {title} {i + 1}
            </Button>
          </Fieldset>
        ))}
        <Group>
          <Button size="xs" variant="default" onClick={() => append({})}>
            Add to {title}
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  );
}
