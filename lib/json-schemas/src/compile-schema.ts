import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { linearPattern } from './linear-pattern.ts';
import type { Schema } from './schema-nodes.ts';

/**
 * Patterns run in linear time; one that cannot is met by nothing. The validator tells patterns apart by their text.
 * `code` is for schemas compiled to text.
 */
export const LINEAR = Object.assign(
  (source: string) => ({ test: linearPattern(source) ?? (() => false), toString: () => source }),
  { code: '' },
);

/** Lenient about schemas, not data: connector specifications come with keywords of their own. */
function lenientAjv(): Ajv {
  const code = { regExp: LINEAR };
  const own = {
    strict: false,
    allErrors: true,
    verbose: true,
    validateFormats: true,
    validateSchema: false,
    logger: false,
    code,
  } as const;
  return addFormats.default(new Ajv(own));
}

let schemas: Ajv | undefined;
/** Knows what a schema is. That takes longer to compile than a specification does, and is the same for all. */
const ofSchemas = () => (schemas ??= lenientAjv());

/** The validator of a specification, as `validationSchema` gives it. Throws for what is no JSON Schema at all. */
export function compileSchema(schema: Schema): ValidateFunction {
  ofSchemas().validateSchema(schema, true);
  // One of its own, as two specifications may give themselves the same id.
  return lenientAjv().compile(schema);
}
