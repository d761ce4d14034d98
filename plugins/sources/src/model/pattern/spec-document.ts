import { compileSchema, isSchema, type Schema, validationSchema } from '@weir/json-schemas';

/** What is kept of a specification: a SPEC of the protocol beyond its schema is of no use here. */
export interface SpecDocument {
  spec: Schema;
  docs: string | null;
}

export type SpecFault = 'not_a_spec' | 'destination' | 'too_large' | 'not_a_schema';

/** The largest that is known of published connectors is a tenth of it. */
const MAX_SPEC_BYTES = 512 * 1024;
/** Members of a SPEC that only a destination has. */
const OF_DESTINATIONS = ['supported_destination_sync_modes', 'supportsDBT', 'supportsNormalization'];

/**
 * Reads a specification as a connector prints it: the whole SPEC message, its `spec`, or the JSON Schema in its
 * `connectionSpecification`. Pure.
 */
export function readSpecDocument(given: unknown): SpecDocument | SpecFault {
  const message = isSchema(given) && isSchema(given.spec) && given.properties === undefined ? given.spec : given;
  if (!isSchema(message)) return 'not_a_spec';
  const isBare = message.connectionSpecification === undefined;
  if (isBare && (message.type !== 'object' || !isSchema(message.properties))) return 'not_a_spec';
  if (!isBare && OF_DESTINATIONS.some((name) => isTold(message[name]))) return 'destination';
  const spec: unknown = isBare ? message : message.connectionSpecification;
  if (!isSchema(spec) || !describesObject(spec)) return 'not_a_spec';
  if (isTooLarge(spec)) return 'too_large';
  if (!isUsable(spec)) return 'not_a_schema';
  return { spec, docs: isBare ? null : webAddress(message.documentationUrl) };
}

/** What is nested too deep to be written is too large as well. */
function isTooLarge(spec: Schema): boolean {
  try {
    return Buffer.byteLength(JSON.stringify(spec)) > MAX_SPEC_BYTES;
  } catch {
    return true;
  }
}

/** Whether a specification is a JSON Schema. */
export function isUsable(spec: Schema): boolean {
  try {
    compileSchema(validationSchema(spec));
    return true;
  } catch {
    return false;
  }
}

const isTold = (value: unknown) => (Array.isArray(value) ? value.length > 0 : value === true);

function describesObject({ type = 'object', properties = {} }: Schema): boolean {
  const isObject = type === 'object' || (Array.isArray(type) && type.includes('object'));
  return isObject && isSchema(properties);
}

/** An address that a page may link to; what a connector says may be anything. */
function webAddress(said: unknown): string | null {
  if (typeof said !== 'string') return null;
  const url = URL.parse(said);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
}
