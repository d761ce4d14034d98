import { canonicalSha256 } from '@weir/kernel';
import { Ajv, type ValidateFunction } from 'ajv';
import { compileSpec } from '../config/compile-spec.ts';
import { credentialFields, namedCredentials } from '../config/credential-fields.ts';
import { validationSchema } from '../config/validation-schema.ts';
import { PatternDocument, type PatternFile } from '../contract/pattern-file.ts';
import { withManifestSpec } from './with-manifest.ts';

export type { PatternFile } from '../contract/pattern-file.ts';

/** A connector pattern as the service uses it. */
export interface Pattern extends PatternFile {
  /** Pointers of the fields that the pattern's own list calls credentials. */
  namedCredentials: readonly string[];
  /** Pointers of all credential fields, in any branch of the specification; `*` stands for any one segment. */
  credentialFields: readonly string[];
}

let compiled: ValidateFunction<PatternFile> | undefined;
/** Made once, when first asked for: a start reads every pattern, and to make it takes longer than to read one. */
const validator = () => (compiled ??= new Ajv({ allErrors: true }).compile<PatternFile>(PatternDocument));

/** Reads the text of a `pattern.json`. Throws an Error that lists what is wrong with it. */
export function parsePattern(text: string): Pattern {
  const check = validator();
  const file = withManifestSpec(JSON.parse(text));
  if (!check(file)) {
    const faults = (check.errors ?? []).map(({ instancePath, message }) => `${instancePath || '/'} ${message}`);
    throw new Error(faults.join('; '));
  }
  if (!hasUsableSpec(file)) throw new Error('/spec is not a JSON Schema');
  return toPattern(file);
}

/** Whether the specification of a well-formed pattern is a JSON Schema. */
export function hasUsableSpec({ spec }: PatternFile): boolean {
  try {
    compileSpec(validationSchema(spec));
    return true;
  } catch {
    return false;
  }
}

/** A well-formed pattern with what follows from it. Pure. */
export function toPattern(file: PatternFile): Pattern {
  const named = namedCredentials(file.fields);
  return { ...file, namedCredentials: named, credentialFields: credentialFields(file.spec, named) };
}

/** The document of a pattern, as it is stored. Pure. */
export function documentOf({ namedCredentials: _named, credentialFields: _fields, ...document }: Pattern): PatternFile {
  return document;
}

/** What tells two documents of one version apart, whatever the order of members. Pure. */
export function patternHash(pattern: Pattern): string {
  return canonicalSha256(documentOf(pattern));
}
