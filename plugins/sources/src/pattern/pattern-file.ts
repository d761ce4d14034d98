import { canonicalSha256 } from '@weir/kernel';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { credentialFields, namedCredentials } from '../config/credential-fields.ts';
import {
  EgressHint,
  GivenPattern,
  type GivenPatternFile,
  MAX_EGRESS,
  type PatternFile,
  StreamDefaults,
  type StreamDefaultsView,
} from '../contract/pattern-file.ts';
import { patternFaults } from './pattern-faults.ts';
import { withManifestSpec } from './with-manifest.ts';

export type { PatternFile } from '../contract/pattern-file.ts';

/** A connector pattern as the service uses it. */
export interface Pattern extends PatternFile {
  /** Pointers of the fields that the pattern's own list calls credentials. */
  namedCredentials: readonly string[];
  /** Pointers of all credential fields, in any branch of the specification; `*` stands for any one segment. */
  credentialFields: readonly string[];
}

let compiled: ValidateFunction<GivenPatternFile> | undefined;
/** Made once, when first asked for: a start reads every pattern, and to make it takes longer than to read one. */
const validator = () => (compiled ??= new Ajv({ allErrors: true }).compile<GivenPatternFile>(GivenPattern));

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

let compiledDefaults: ValidateFunction<StreamDefaultsView> | undefined;
const defaultsValidator = () => (compiledDefaults ??= new Ajv().compile<StreamDefaultsView>(StreamDefaults));

/**
 * What the pattern of a source wants new streams to be. One that is stored from before that had a meaning may hold
 * anything there, and wants nothing then.
 */
export function streamDefaultsOf(pattern: Pick<Pattern, 'stream_defaults'> | undefined): StreamDefaultsView {
  const wanted: unknown = pattern?.stream_defaults;
  return defaultsValidator()(wanted) ? wanted : {};
}

let compiledEgress: ValidateFunction<string> | undefined;
const egressValidator = () => (compiledEgress ??= new Ajv().compile<string>(EgressHint));

/**
 * The places that a pattern says its connector must reach. One that is stored from before they had a form may hold anything
 * there: what is no place is left out.
 */
export function egressOf({ egress }: Pick<Pattern, 'egress'>): string[] {
  const stored: unknown = egress;
  const isPlace = egressValidator();
  return Array.isArray(stored) ? stored.filter((place) => isPlace(place)).slice(0, MAX_EGRESS) : [];
}

/** The document of a pattern, as it is stored. Pure. */
export function documentOf({ namedCredentials: _named, credentialFields: _fields, ...document }: Pattern): PatternFile {
  return document;
}

/** What tells two documents of one version apart, whatever the order of members. Pure. */
export function patternHash(pattern: Pattern): string {
  return canonicalSha256(documentOf(pattern));
}
