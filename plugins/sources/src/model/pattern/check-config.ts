import { schemaFaults } from '@weir/documents';
import { compileSchema, validationSchema } from '@weir/json-schemas';
import type { FieldFault } from '@weir/kernel/contract';
import type { ValidateFunction } from 'ajv';
import { sourceProblems } from '../../contract.ts';
import { walkConfig } from '../config/walk-config.ts';
import type { Pattern } from './pattern-file.ts';
import { MANIFEST_MEMBER } from './with-manifest.ts';

const MAX_FAULTS = 20;
const ROOT = '/source_config';

export interface CheckOptions {
  /** The configuration has no credentials yet, so none of them is required. */
  withoutCredentials?: boolean;
}

/**
 * Checks a configuration with its credentials against the specification of its pattern. Throws `source_config_invalid` with
 * the place and the rule of every fault, never a value.
 */
export function checkConfig(pattern: Pattern, config: Record<string, unknown>, options: CheckOptions = {}): void {
  const errors = configFaults(pattern, config, options);
  if (errors.length > 0) throw sourceProblems.sourceConfigInvalid({ errors: errors.slice(0, MAX_FAULTS) });
}

/** Where a configuration breaks its specification, and which rule. */
export function configFaults(
  pattern: Pattern,
  config: Record<string, unknown>,
  { withoutCredentials = false }: CheckOptions = {},
): FieldFault[] {
  const { near } = walkConfig(config, pattern.spec, pattern.namedCredentials);
  const reserved = Object.hasOwn(config, MANIFEST_MEMBER)
    ? [{ pointer: `${ROOT}/${MANIFEST_MEMBER}`, code: 'reserved' }]
    : [];
  return [
    ...reserved,
    ...[...near].map(([pointer, said]) => ({ pointer: `${ROOT}${pointer}`, code: 'undeclared_field', ...said })),
    ...brokenRules(validatorOf(pattern, withoutCredentials), config),
  ];
}

/** Compiling a specification takes milliseconds, and lists of sources ask for the same one again and again. */
const validators = { whole: new WeakMap<Pattern, ValidateFunction>(), open: new WeakMap<Pattern, ValidateFunction>() };

function validatorOf(pattern: Pattern, withoutCredentials: boolean): ValidateFunction {
  const known = withoutCredentials ? validators.open : validators.whole;
  const found =
    known.get(pattern) ??
    compileSchema(validationSchema(pattern.spec, withoutCredentials ? { named: pattern.credentialFields } : undefined));
  known.set(pattern, found);
  return found;
}

function brokenRules(validate: ValidateFunction, config: Record<string, unknown>): FieldFault[] {
  if (validate(config)) return [];
  const errors = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'additionalProperties');
  return schemaFaults(errors, ROOT);
}
