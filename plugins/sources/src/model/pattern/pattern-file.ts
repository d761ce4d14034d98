import { canonicalSha256 } from '@weir/kernel';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import {
  GivenPattern,
  type GivenPatternFile,
  MAX_EGRESS,
  type PatternFile,
} from '../../contract/source/pattern-file.ts';
import { credentialFields, namedCredentials } from '../config/credential-fields.ts';
import { patternFaults } from './pattern-faults.ts';
import { withManifestSpec } from './with-manifest.ts';

export type { PatternFile } from '../../contract/source/pattern-file.ts';

/** A connector pattern as the service uses it. */
export interface Pattern extends PatternFile {
  /** Pointers of the fields that the pattern's own list calls credentials. */
  namedCredentials: readonly string[];
  /** Pointers of all credential fields, in any branch of the specification; `*` stands for any one segment. */
  credentialFields: readonly string[];
}

let compiled: ValidateFunction<GivenPatternFile> | undefined;
/** Made once, when first asked for: a start reads every pattern, and to make it takes longer than to read one. */
const validator = () =>
  (compiled ??= new Ajv({ allErrors: true, validateSchema: false }).compile<GivenPatternFile>(GivenPattern));

/** Reads the text of a `pattern.json`. Throws an Error that lists what is wrong with it. */
export function parsePattern(text: string): Pattern {
  const check = validator();
  const file = withManifestSpec(JSON.parse(text));
  const faults = check(file)
    ? patternFaults(file).map(({ pointer, message, hint }) =>
        [`${pointer} ${message}`, hint].filter(Boolean).join('. '),
      )
    : (check.errors ?? []).map(wordsOf);
  if (faults.length > 0) throw new Error(faults.join('; '));
  return toPattern(file as PatternFile);
}

/** What the schema of patterns refuses; an unknown member is named. */
function wordsOf({ instancePath, message, params }: ErrorObject): string {
  const { additionalProperty: name } = params as { additionalProperty?: string };
  return `${instancePath || '/'} ${message}${name === undefined ? '' : `: ${name}`}`;
}

/** A well-formed pattern with what follows from it. Pure. */
export function toPattern(file: PatternFile): Pattern {
  const named = namedCredentials(file.fields);
  return { ...file, namedCredentials: named, credentialFields: credentialFields(file.spec, named) };
}

/**
 * The pattern of a stored document, which may be of a release before stream defaults and places to reach had a form: defaults that
 * are none are left out, and so is each place that is none. All else is as it was. Pure.
 */
export function storedPattern(document: unknown): Pattern {
  const { stream_defaults, egress, ...rest } = document as PatternFile;
  const check = validator();
  const faults = check(document) ? [] : (check.errors ?? []).map(({ instancePath }) => instancePath);
  const isFormed = (place: string) => faults.every((fault) => fault !== place && !fault.startsWith(`${place}/`));
  const places = Array.isArray(egress) ? egress.filter((_, at) => isFormed(`/egress/${at}`)) : [];
  return toPattern({
    ...rest,
    ...(stream_defaults !== undefined && isFormed('/stream_defaults') ? { stream_defaults } : {}),
    ...(places.length === 0 ? {} : { egress: places.slice(0, MAX_EGRESS) }),
  });
}

/** A pattern whose image has called more fields credentials than it does itself. Pure. */
export function withToldCredentials(pattern: Pattern, told: readonly string[]): Pattern {
  if (told.length === 0) return pattern;
  const named = [...new Set([...pattern.namedCredentials, ...told])];
  return { ...pattern, namedCredentials: named, credentialFields: credentialFields(pattern.spec, named) };
}

/** The document of a pattern, as it is stored. Pure. */
export function documentOf({ namedCredentials: _named, credentialFields: _fields, ...document }: Pattern): PatternFile {
  return document;
}

/** What tells two documents of one version apart, whatever the order of members. Pure. */
export function patternHash(pattern: Pattern): string {
  return canonicalSha256(documentOf(pattern));
}
