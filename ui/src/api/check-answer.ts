import { FormatRegistry, type TSchema, TypeRegistry } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

FormatRegistry.Set('uuid', (text) => UUID.test(text));
FormatRegistry.Set('date-time', (text) => !Number.isNaN(Date.parse(text)));
// `OneOf` of the kernel is an enum of texts that TypeBox itself does not know.
TypeRegistry.Set<{ enum?: unknown[] }>('Unsafe', ({ enum: values }, value) => values?.includes(value) ?? true);

/** Whether a value fits a schema. Interpreted: compiled checks would need `unsafe-eval`. */
export const fits = (schema: TSchema, value: unknown): boolean => Value.Check(schema, value);
