import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { linearPattern } from './linear-pattern.ts';
import type { Schema } from './schema-nodes.ts';

/** Patterns of a connector run in linear time; one that cannot is met by nothing. `code` is for schemas compiled to text. */
const LINEAR = Object.assign((source: string) => ({ test: linearPattern(source) ?? (() => false) }), { code: '' });

/**
 * The validator of a specification, as `validationSchema` gives it. Connector specifications come with keywords of their own,
 * so it is lenient about schemas, not data. Throws for what is no JSON Schema at all.
 */
export function compileSpec(schema: Schema): ValidateFunction {
  const code = { regExp: LINEAR };
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: true, logger: false, code });
  addFormats.default(ajv);
  return ajv.compile(schema);
}
