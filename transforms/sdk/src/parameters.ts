import { compileSchema, isSchema, type Schema, validationSchema } from '@weir/json-schemas';
import type { ErrorObject, ValidateFunction } from 'ajv';

/** A fault in a document or in the parameters of a call: where, a code, and words without values. */
export interface Fault {
  pointer: string;
  code: string;
  message: string;
}

const MAX_FAULTS = 20;

/** What a schema of parameters declares, and how values are read by it. */
export interface ParameterReader {
  readonly names: readonly string[];
  /** The values with defaults filled in, or what is wrong with them. */
  read(values: Readonly<Record<string, unknown>>): { values: Record<string, unknown> } | { faults: Fault[] };
}

/** Reads parameters by a schema; throws an Error that says why the schema cannot be used. */
export function parameterReader(schema: Schema): ParameterReader {
  const { type, additionalProperties, properties } = schema;
  if (type !== 'object' || additionalProperties !== false || !isSchema(properties)) {
    throw new Error('must be a schema of type object with properties and additionalProperties false');
  }
  const validate = compiled(schema);
  const defaults = Object.entries(properties).flatMap(([name, one]) =>
    isSchema(one) && Object.hasOwn(one, 'default') ? [[name, one.default] as const] : [],
  );
  return {
    names: Object.keys(properties),
    read(given) {
      const values = { ...Object.fromEntries(defaults), ...given };
      return validate(values) ? { values } : { faults: faultsOf(validate.errors) };
    },
  };
}

function compiled(schema: Schema): ValidateFunction {
  try {
    return compileSchema(validationSchema(schema));
  } catch {
    throw new Error('is not a JSON Schema');
  }
}

/** The faults that a validator found. */
export function faultsOf(errors: readonly ErrorObject[] | null | undefined): Fault[] {
  return (errors ?? []).slice(0, MAX_FAULTS).map(({ instancePath, keyword, message, params }) => {
    const { missingProperty } = params as { missingProperty?: string };
    const pointer = missingProperty === undefined ? instancePath : `${instancePath}/${missingProperty}`;
    return { pointer, code: keyword, message: missingProperty === undefined ? (message ?? keyword) : 'is missing' };
  });
}
