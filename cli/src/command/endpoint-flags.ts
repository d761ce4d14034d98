import type { TSchema } from '@sinclair/typebox';
import type { Endpoint } from '@weir/kernel/contract';
import { Option } from 'clipanion';
import { CliError } from '../cli-error.ts';
import { withWords } from './choice.ts';
import { cliOf } from './cli-of.ts';

/** One member of a query or body that a flag gives. */
export interface Member {
  place: 'query' | 'body';
  name: string;
  flag: string;
  /** Of the value, or of each when it is a list; without null. */
  schema: TSchema;
  isList: boolean;
  isNullable: boolean;
  isRequired: boolean;
}

/** What no flag of an endpoint may be: the options of every command, and of those with a body or a run. */
export const GLOBAL_FLAGS = [
  ...['--url', '--tenant', '--profile', '--output', '--query', '--no-color', '--quiet', '--verbose', '--debug'],
  ...['--no-input', '--yes', '--timeout', '--file', '--set', '--wait', '--help'],
];
const SCALARS = ['string', 'integer', 'number', 'boolean'];
/** Every process of the machine can read a command line: texts of these names come in documents. */
const SECRET = /(^|_)(token|password|secret|key)$/;

/** The endpoints among the exports of a contract. */
export const endpointsOf = (contract: Readonly<Record<string, unknown>>): Endpoint[] =>
  Object.values(contract).filter((value): value is Endpoint => {
    const { id, method, path, access } = (value ?? {}) as Partial<Endpoint>;
    return [id, method, path].every((part) => typeof part === 'string') && access !== undefined;
  });

/** The scalar members of query and body, and the lists of such, with a flag each that no other option has. */
export function membersOf(endpoint: Endpoint): Member[] {
  const { words = '', flags = {} } = cliOf(endpoint) ?? {};
  const taken = new Set(GLOBAL_FLAGS);
  const found: Member[] = [];
  for (const place of ['query', 'body'] as const) {
    const { properties = {}, required = [] } = (endpoint[place] ?? {}) as TSchema;
    for (const [name, declared] of Object.entries(properties as Record<string, TSchema>)) {
      const { schema: given, isNullable } = withoutNull(declared);
      const isList = given.type === 'array';
      const schema = isList ? ((given.items ?? {}) as TSchema) : given;
      if (!isFlagged(place, name, schema)) continue;
      const own = `--${(flags[name] ?? name).replaceAll('_', '-')}`;
      const flag = taken.has(own) ? own.replace('--', `--${nounOf(words)}-`) : own;
      taken.add(flag);
      found.push({ place, name, flag, schema, isList, isNullable, isRequired: (required as string[]).includes(name) });
    }
  }
  return found;
}

function isFlagged(place: Member['place'], name: string, schema: TSchema): boolean {
  if (place === 'query') return true;
  return SCALARS.includes(typeOf(schema)) && !(typeOf(schema) === 'string' && SECRET.test(name));
}

/** `webhook` of `webhooks create`. */
const nounOf = (words: string) => (words.split(' ')[0] ?? '').replace(/ies$/, 'y').replace(/s$/, '');

function withoutNull(schema: TSchema): { schema: TSchema; isNullable: boolean } {
  if (Array.isArray(schema.type)) {
    const types = (schema.type as string[]).filter((type) => type !== 'null');
    return { schema: { ...schema, type: types[0] } as TSchema, isNullable: types.length < schema.type.length };
  }
  const others = ((schema.anyOf ?? []) as TSchema[]).filter(({ type }) => type !== 'null');
  const [only] = others;
  if (others.length !== 1 || only === undefined) return { schema, isNullable: false };
  return { schema: { ...only, description: schema.description ?? only.description } as TSchema, isNullable: true };
}

/** The words that a text may be, where the schema lists them. */
const wordsOf = (schema: TSchema): unknown[] =>
  (schema.enum as unknown[] | undefined) ??
  ((schema.anyOf ?? []) as TSchema[]).flatMap(({ const: word }) => word ?? []);

/** The type of a value; that of texts for a union of literals. */
function typeOf(schema: TSchema): string {
  if (schema.type !== undefined) return String(schema.type);
  if (schema.const !== undefined) return typeof schema.const;
  return schema.enum !== undefined || wordsOf(schema).length > 0 ? 'string' : 'unknown';
}

/** A flag as clipanion wants it. */
export function optionOf(member: Member): unknown {
  const { flag, schema, isList } = member;
  const description = describe(member);
  if (typeOf(schema) === 'boolean' && !isList) return Option.Boolean(flag, { description });
  const option = isList ? Option.Array(flag, { description }) : Option.String(flag, { description });
  return withWords(option, wordsOf(schema));
}

function describe({ place, name, schema, isList, isNullable, isRequired }: Member): string {
  const plain = place === 'query' ? `Only where ${name} is this` : capital(name.replaceAll('_', ' '));
  const said = (schema.description as string | undefined) ?? plain;
  const words = wordsOf(schema);
  const byDefault = place === 'body' && schema.default !== undefined ? `${schema.default} unless given` : undefined;
  const remarks = [
    words.length > 0 ? words.join(' | ') : undefined,
    ...(place === 'query' ? [] : [isRequired ? 'required' : undefined, byDefault]),
    isList ? 'may be repeated' : undefined,
    isNullable ? "'' for none" : undefined,
  ].filter((remark) => remark !== undefined);
  return remarks.length === 0 ? said : `${said} (${remarks.join('; ')})`;
}

export const capital = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1);

/** What was typed for a member of a body, as JSON has it; a usage error where the type cannot be meant. */
export function typedValue(member: Member, given: unknown): unknown {
  if (Array.isArray(given)) return given.map((one) => typedValue({ ...member, isList: false }, one));
  if (typeof given !== 'string') return given;
  if (given === '' && member.isNullable) return null;
  const { flag, schema } = member;
  const words = wordsOf(schema);
  const type = typeOf(schema);
  if (words.length > 0 && !words.includes(given)) {
    throw new CliError('usage', `${flag} must be one of: ${words.join(', ')}.`, { code: 'usage' });
  }
  if (type !== 'integer' && type !== 'number') return given;
  const number = Number(given);
  const isGood = given.trim() !== '' && Number.isFinite(number) && (type === 'number' || Number.isInteger(number));
  if (!isGood) {
    const wanted = type === 'integer' ? 'a whole number' : 'a number';
    throw new CliError('usage', `${flag} must be ${wanted}.`, { code: 'usage' });
  }
  return Number.isSafeInteger(number) || type === 'number' ? number : given;
}
