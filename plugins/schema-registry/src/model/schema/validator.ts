import { type Dialect, dialectOf, type Schema, validatorOf } from '@weir/json-schemas';
import type { Node } from './places.ts';

/** What is wrong with a value, in the words of the validator. */
export interface ValueFault {
  pointer: string;
  keyword: string;
  message: string;
  /** The member that is missing, or that is there and may not. */
  member?: string;
}

/** Validates values by a schema, or by a part of it. */
export interface Validator {
  readonly dialect: Dialect;
  accepts(pointer: string, value: unknown): boolean;
  faults(value: unknown): ValueFault[];
}

const ROOT = 'weir:schema';

/** Compiles a schema that `lintSchema` has let pass; parts of it are compiled when they are asked for. */
export function schemaValidator(schema: Node): Validator {
  const dialect = dialectOf(schema) ?? '2020-12';
  const ajv = validatorOf(dialect);
  ajv.addSchema(withoutNames(schema), ROOT);
  const compiled = new Map<string, ReturnType<typeof ajv.compile>>();
  const at = (pointer: string) => {
    const known = compiled.get(pointer);
    if (known !== undefined) return known;
    const fragment = pointer.split('/').map(encodeURIComponent).join('/');
    const made = ajv.compile({ $ref: `${ROOT}#${fragment}` });
    compiled.set(pointer, made);
    return made;
  };
  return {
    dialect,
    accepts: (pointer, value) => at(pointer)(value) === true,
    faults(value) {
      const validate = at('');
      if (validate(value) === true) return [];
      return (validate.errors ?? []).map(({ instancePath, keyword, message = '', params }) => ({
        pointer: instancePath,
        keyword,
        message,
        ...memberOf(params),
      }));
    },
  };
}

function memberOf(params: Record<string, unknown>): { member?: string } {
  const member = params.missingProperty ?? params.additionalProperty;
  return typeof member === 'string' ? { member } : {};
}

/** References are by pointer, so the document needs no name; two may have the same one. */
function withoutNames(schema: Node): Schema | boolean {
  if (typeof schema === 'boolean') return schema;
  const { $id: _id, id, $schema: _dialect, ...rest } = schema;
  return typeof id === 'string' || id === undefined ? rest : { id, ...rest };
}
