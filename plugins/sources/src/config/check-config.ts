import type { FieldFault } from '@weir/kernel/contract';
import { Ajv, type ErrorObject } from 'ajv';
import addFormats from 'ajv-formats';
import { sourceProblems } from '../contract.ts';
import type { Pattern } from '../pattern/pattern-file.ts';
import { walkConfig } from './walk-config.ts';

const MAX_FAULTS = 20;
const ROOT = '/source_config';

/**
 * Checks a configuration against the specification of its pattern. Throws `pattern_needs_credentials` for a pattern
 * with credential fields, and `source_config_invalid` with the place and the rule of every fault, never a value.
 */
export function checkConfig(pattern: Pattern, config: Record<string, unknown>): void {
  if (pattern.needsCredentials) {
    throw sourceProblems.patternNeedsCredentials({ values: { pattern_id: pattern.id } });
  }
  const { undeclared } = walkConfig(config, pattern.spec);
  const errors: FieldFault[] = [
    ...undeclared.map((pointer) => ({ pointer: `${ROOT}${pointer}`, code: 'undeclared_field' })),
    ...schemaFaults(pattern.spec, config),
  ];
  if (errors.length > 0) throw sourceProblems.sourceConfigInvalid({ errors: errors.slice(0, MAX_FAULTS) });
}

/** Connector specifications come with keywords of their own, so the validator is lenient about schemas, not data. */
function schemaFaults(spec: Record<string, unknown>, config: Record<string, unknown>): FieldFault[] {
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: true, logger: false });
  addFormats.default(ajv);
  // The dialect is named for readers; the validator knows the common keywords of all of them.
  const { $schema: _dialect, ...schema } = spec;
  const validate = ajv.compile(schema);
  if (validate(config)) return [];
  return (validate.errors ?? []).filter(({ keyword }) => keyword !== 'additionalProperties').map(faultOf);
}

function faultOf({ instancePath, keyword, params }: ErrorObject): FieldFault {
  const missing = (params as { missingProperty?: string }).missingProperty;
  return { pointer: `${ROOT}${instancePath}${missing === undefined ? '' : `/${missing}`}`, code: keyword };
}
