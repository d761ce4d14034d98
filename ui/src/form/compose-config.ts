import { discriminator, fieldKind, members, type SchemaNode } from './schema-node.ts';

/** What a form holds: the chosen alternative of an object lies beside its members. */
export type FormValues = Record<string, unknown>;

/** The member that holds which of several members is given. */
export const CHOSEN = '~chosen';

export interface Composed {
  config: Record<string, unknown>;
  /** Credentials, nested as in the configuration; undefined when none is given. */
  credentials?: Record<string, unknown>;
}

/** What a form begins with: one entry in each list that must have one. */
export function initialValues({ properties = {}, required = [] }: SchemaNode): FormValues {
  const lists = Object.entries(properties).filter(
    ([name, node]) => required.includes(name) && fieldKind(node, false) === 'list',
  );
  return Object.fromEntries(lists.map(([name, { items = {} }]) => [name, [initialValues(items)]]));
}

/** Whether a JSON pointer is one of those of a pattern, in which `*` is any segment. */
export function isCredentialAt(pointer: string, credentialFields: readonly string[]): boolean {
  const parts = pointer.split('/');
  return credentialFields.some((field) => {
    const wanted = (field.startsWith('/') ? field : `/${field}`).split('/');
    return wanted.length === parts.length && wanted.every((part, i) => part === '*' || part === parts[i]);
  });
}

/** What is sent for what was typed: without what was left empty, and with credentials apart. */
export function composeConfig(schema: SchemaNode, values: FormValues, credentialFields: readonly string[]): Composed {
  const secrets: Record<string, unknown> = {};
  const config = composeObject(schema, values, { at: '', credentialFields, secrets });
  return Object.keys(secrets).length === 0 ? { config } : { config, credentials: secrets };
}

interface Composing {
  at: string;
  credentialFields: readonly string[];
  /** Credentials by JSON pointer, which the API takes as they are. */
  secrets: Record<string, unknown>;
}

function composeObject(schema: SchemaNode, values: FormValues, composing: Composing): Record<string, unknown> {
  const { oneOf } = members(schema);
  const chosen = values[CHOSEN] ?? oneOf[0];
  const made: Record<string, unknown> = {};
  for (const [name, node] of Object.entries(schema.properties ?? {})) {
    if (oneOf.includes(name) && name !== chosen) continue;
    const at = `${composing.at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const value = composeValue(node, values[name], { ...composing, at });
    if (value === undefined) continue;
    if (isCredentialAt(at, composing.credentialFields)) composing.secrets[at] = value;
    else made[name] = value;
  }
  return made;
}

function composeValue(node: SchemaNode, value: unknown, composing: Composing): unknown {
  if (value === undefined || value === null || value === '') return undefined;
  const tag = discriminator(node);
  if (node.oneOf !== undefined && tag !== undefined) {
    const branch = node.oneOf.find(({ properties }) => properties?.[tag]?.const === (value as FormValues)[tag]);
    return branch === undefined ? undefined : composeObject(branch, value as FormValues, composing);
  }
  if (node.type === 'array' && Array.isArray(value)) {
    const items = value.flatMap((item, i) => {
      const one = composeValue(node.items ?? {}, item, { ...composing, at: `${composing.at}/${i}` });
      return one === undefined ? [] : [one];
    });
    return items.length === 0 ? undefined : items;
  }
  if (node.type === 'object' && node.properties !== undefined) {
    const made = composeObject(node, value as FormValues, composing);
    return Object.keys(made).length === 0 ? undefined : made;
  }
  return value;
}
