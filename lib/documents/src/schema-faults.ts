import { didYouMean } from './did-you-mean.ts';

/** What a validator of JSON Schemas says of one fault; with `parentSchema`, both bounds and known names can be said. */
export interface SchemaError {
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly keyword: string;
  readonly params: object;
  readonly schema?: unknown;
  readonly parentSchema?: unknown;
}

/** Where a document breaks its schema: the rule, as a sentence too, and the words or names that the schema knows. */
export interface SchemaFault {
  pointer: string;
  code: string;
  message: string;
  known?: string[];
}

interface Node {
  readonly [keyword: string]: unknown;
  readonly properties?: Readonly<Record<string, unknown>>;
}

const CHOICES = ['anyOf', 'oneOf'];
const MAX_KNOWN = 40;
/** Known names that a sentence lists. */
const MAX_SAID = 12;

/**
 * The faults as sentences that hold words of the schema and none of the document. Of a choice between forms, only the
 * form that fits best is spoken of. Pointers begin with `root`.
 */
export function schemaFaults(errors: readonly SchemaError[], root = ''): SchemaFault[] {
  const choices = errors.filter(({ keyword }) => CHOICES.includes(keyword));
  const faults = new Map(errors.map((error) => [error, [faultOf(error)]]));
  for (const choice of choices.toSorted((a, b) => b.schemaPath.length - a.schemaPath.length)) {
    const inner = [...faults.keys()].filter(({ schemaPath }) => schemaPath.startsWith(`${choice.schemaPath}/`));
    if (inner.length === 0) continue;
    faults.set(choice, ofChoice(choice, inner, faults));
    for (const error of inner) faults.delete(error);
  }
  return [...faults.values()].flat().map((fault) => ({ ...fault, pointer: `${root}${fault.pointer}` }));
}

type Faults = ReadonlyMap<SchemaError, readonly SchemaFault[]>;

function ofChoice(choice: SchemaError, inner: readonly SchemaError[], faults: Faults): SchemaFault[] {
  const forms = ((choice.parentSchema as Node | undefined)?.[choice.keyword] ?? choice.schema) as Node[] | undefined;
  if (forms?.every((form) => form.const !== undefined || form.type === 'null')) {
    const words = forms.flatMap((form) => form.const ?? []);
    return [faultOf({ ...choice, keyword: 'enum', params: { allowedValues: words } })];
  }
  const branches = Map.groupBy(inner, ({ schemaPath }) => schemaPath.slice(choice.schemaPath.length + 1).split('/')[0]);
  const scored = [...branches.values()].map((branch) => ({ branch, score: scoreOf(branch, choice) }));
  const best = Math.min(...scored.map(({ score }) => score));
  const tied = scored.filter(({ score }) => score === best).map(({ branch }) => branch);
  const missing = tied.map((branch) => (branch.length === 1 ? missingOf(branch[0]) : undefined));
  const names = missing.filter((name) => name !== undefined);
  if (names.length > 1 && names.length === tied.length) {
    const message = `needs ${names.map((name) => `\`${name}\``).join(' or ')}`;
    return [{ pointer: choice.instancePath, code: 'required', message, known: names }];
  }
  return (tied[0] ?? []).flatMap((error) => faults.get(error) ?? []);
}

/** Another type, or another word where forms differ by one, is further away than a member that is missing. */
function scoreOf(branch: readonly SchemaError[], { instancePath }: SchemaError): number {
  const isOther = ({ keyword, instancePath: at }: SchemaError) =>
    (keyword === 'type' && at === instancePath) || keyword === 'const';
  return branch.reduce((sum, error) => sum + (isOther(error) ? 100 : 1), 0);
}

const missingOf = (error: SchemaError | undefined) =>
  (error?.params as { missingProperty?: string } | undefined)?.missingProperty;

function faultOf(error: SchemaError): SchemaFault {
  const missing = missingOf(error);
  const pointer = `${error.instancePath}${missing === undefined ? '' : `/${missing}`}`;
  const node = (error.parentSchema ?? {}) as Node;
  const { allowedValues, allowedValue, additionalProperty } = error.params as Record<string, unknown>;
  if (additionalProperty !== undefined) {
    const known = Object.keys(node.properties ?? {});
    return { pointer, code: error.keyword, ...unknownMember(String(additionalProperty), known) };
  }
  const words = allowedValues ?? (allowedValue === undefined ? undefined : [allowedValue]);
  if (!Array.isArray(words)) return { pointer, code: error.keyword, message: sentenceOf(error, node) };
  const known = words.map(String).slice(0, MAX_KNOWN);
  return { pointer, code: error.keyword, message: `must be ${orText(known)}`, known };
}

/** A name that is plainly a name: what else is sent as one may be a secret in the wrong place. */
const PLAIN_NAME = /^(?=.{1,32}$)[a-z]+(?:_[a-z]+)*$/i;
/** Shorter ones begin too many names. */
const MIN_BEGINNING = 3;

/** What is said of a member that a schema does not know: its name, the nearest that it knows, and all of them. */
export function unknownMember(name: string, known: readonly string[]): Pick<SchemaFault, 'message' | 'known'> {
  const near = didYouMean(name, known) ?? begunBy(name, known);
  const said = PLAIN_NAME.test(name) ? `has an unknown member \`${name}\`` : 'has an unknown member';
  const message =
    near !== undefined
      ? `${said}; did you mean \`${near}\`?`
      : known.length > 0 && known.length <= MAX_SAID
        ? `${said}; it may have ${known.map((each) => `\`${each}\``).join(', ')}`
        : said;
  return { message, known: known.slice(0, MAX_KNOWN) };
}

/** The one name that begins with what was typed. */
function begunBy(name: string, known: readonly string[]): string | undefined {
  const begun = name.length < MIN_BEGINNING ? [] : known.filter((each) => each.startsWith(name));
  return begun.length === 1 ? begun[0] : undefined;
}

const orText = (words: readonly string[]) =>
  words.length > 1 ? `one of ${words.slice(0, MAX_SAID).join(', ')}${words.length > MAX_SAID ? ', …' : ''}` : words[0];

const TYPES: Readonly<Record<string, string>> = {
  ...{ integer: 'a whole number', number: 'a number', string: 'a text', boolean: 'true or false' },
  ...{ object: 'an object', array: 'a list', null: 'null' },
};
const FORMATS: Readonly<Record<string, string>> = {
  ...{ uuid: 'a UUID', uri: 'an address such as https://example.org', email: 'an e-mail address' },
  ...{ 'date-time': 'a time such as 2026-01-31T08:00:00Z', date: 'a day such as 2026-01-31' },
};
/** What a bound counts, by the end of its keyword. */
const COUNTED: Readonly<Record<string, string>> = { Length: 'characters', Items: 'items', Properties: 'members' };

function sentenceOf({ keyword, params }: SchemaError, node: Node): string {
  const { type, limit, comparison, format, pattern } = params as Record<string, unknown>;
  const counted = COUNTED[/(Length|Items|Properties)$/.exec(keyword)?.[1] ?? ''];
  if (keyword === 'required') return 'is required';
  if (keyword === 'type') {
    const types = [type].flat().map((each) => TYPES[String(each)] ?? String(each));
    return `must be ${types.join(' or ')}${types.length === 1 ? rangeOf(node) : ''}`;
  }
  if (counted !== undefined) return `must have at ${keyword.startsWith('max') ? 'most' : 'least'} ${limit} ${counted}`;
  if (comparison !== undefined) {
    const range = rangeOf(node);
    if (range.startsWith(' from')) return `must be${range}`;
    return `must be ${BOUNDS[String(comparison)] ?? comparison} ${limit}`;
  }
  if (keyword === 'format') return `must be ${FORMATS[String(format)] ?? `of the format ${format}`}`;
  if (keyword === 'pattern') return `must match ${pattern}`;
  if (keyword === 'uniqueItems') return 'must not hold one value twice';
  return `breaks the rule ${keyword} of its schema`;
}

const BOUNDS: Readonly<Record<string, string>> = { '>=': 'at least', '<=': 'at most', '>': 'above', '<': 'below' };

function rangeOf({ minimum, maximum }: Node): string {
  if (typeof minimum === 'number' && typeof maximum === 'number') return ` from ${minimum} to ${maximum}`;
  if (typeof minimum === 'number') return ` of at least ${minimum}`;
  return typeof maximum === 'number' ? ` of at most ${maximum}` : '';
}
