import { didYouMean, schemaFaults } from '@weir/documents';
import { pointerBelow, pointerSegments } from '@weir/json-schemas';
import { Name } from '@weir/kernel/contract';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { API_VERSION, type ApplyKind, type ItemFault, type Json } from '../contract.ts';

/** A document with what is wrong in it; what its faults leave unknown is undefined. */
export interface ReadDocument {
  readonly kind: ApplyKind | undefined;
  readonly name: string | undefined;
  readonly spec: Json | undefined;
  readonly faults: readonly ItemFault[];
}

const UNREAD = { kind: undefined, name: undefined, spec: undefined };
const MEMBERS = ['apiVersion', 'kind', 'metadata', 'spec'];
const NAME = new RegExp(Name.pattern as string);
const NAME_FORM = 'The name must begin with a letter from a to z and hold at most 63 of a to z, 0 to 9, _ and -.';

/** Makes a reader of sent documents. `scope` fills the place of the scope in dataset ids before a spec is checked. */
export function documentReader(kinds: readonly ApplyKind[]) {
  const ajv = new Ajv({ strict: false, allErrors: true, verbose: true, useDefaults: false });
  addFormats.default(ajv);
  const validators = new Map<string, ValidateFunction>();
  const validatorOf = ({ kind, spec }: ApplyKind): ValidateFunction => {
    const known = validators.get(kind) ?? ajv.compile(spec);
    validators.set(kind, known);
    return known;
  };
  const names = kinds.map(({ kind }) => kind);
  return (sent: unknown, scope: string): ReadDocument => {
    if (!isObject(sent)) return { ...UNREAD, faults: [fault('spec_invalid', '', 'The document must be an object.')] };
    const faults = Object.keys(sent)
      .filter((member) => !MEMBERS.includes(member))
      .map(() => fault('spec_invalid', '', `A document has the members ${MEMBERS.join(', ')} and no other.`));
    const { apiVersion, kind: word, metadata, spec: given } = sent;
    if (apiVersion !== API_VERSION)
      faults.push(fault('api_version_unknown', '/apiVersion', `\`apiVersion\` must be ${API_VERSION}.`));
    const kind = kinds.find((one) => one.kind === word);
    if (kind === undefined) faults.push(fault('kind_unknown', '/kind', kindSentence(word, names)));
    const name = isObject(metadata) ? metadata.name : undefined;
    const isNamed = typeof name === 'string' && NAME.test(name);
    if (!isNamed) faults.push(fault('name_invalid', '/metadata/name', NAME_FORM));
    if (isObject(metadata) && Object.keys(metadata).some((member) => member !== 'name'))
      faults.push(fault('spec_invalid', '/metadata', '`metadata` has the member `name` and no other.'));
    const spec = isObject(given) ? (kind?.scoped?.(given, PLACE, scope) ?? given) : undefined;
    if (spec === undefined) faults.push(fault('spec_invalid', '/spec', '`spec` must be an object.'));
    if (kind !== undefined && spec !== undefined) faults.push(...specFaults(validatorOf(kind), spec));
    return { kind, name: isNamed ? name : undefined, spec, faults };
  };
}

/** The place of the scope of the tenant in exported dataset ids. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text itself
export const PLACE = '${scope}';

function specFaults(validate: ValidateFunction, spec: Json): ItemFault[] {
  if (validate(spec)) return [];
  const errors = validate.errors ?? [];
  return schemaFaults(errors, '/spec').map(({ pointer, message }) => {
    const names = errors.flatMap(({ instancePath, params }) =>
      `/spec${instancePath}` === pointer ? String(params.additionalProperty) : [],
    );
    // A name that the sentence leaves out may be a secret in the wrong place.
    const unknown = names.find((name) => message.includes(`\`${name}\``));
    const member = `\`${pointerSegments(pointer).slice(1).join('.') || 'spec'}\``;
    const end = message.endsWith('?') ? '' : '.';
    const place = unknown === undefined ? pointer : pointerBelow(pointer, unknown);
    return fault('spec_invalid', place, `${member} ${message}${end}`);
  });
}

function kindSentence(word: unknown, names: readonly string[]): string {
  const near = typeof word === 'string' ? didYouMean(word, names) : undefined;
  const known = `Kinds are ${names.join(', ')}.`;
  return near === undefined ? `The kind is not known. ${known}` : `The kind is not known; did you mean \`${near}\`?`;
}

const fault = (code: string, pointer: string, detail: string): ItemFault => ({ code, pointer, detail });

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
