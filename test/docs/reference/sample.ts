import type { TSchema } from '@sinclair/typebox';

/** What stands for a value of this name in an example; everything else is made from its schema. */
const SAMPLES: Readonly<Record<string, unknown>> = {
  name: 'shop',
  pattern_id: 'files',
  source_config: { path: '/data/shop' },
  table: 'shop__orders',
  reason: 'deploy',
  protocol: 'airbyte',
};
const SAMPLE_ID = '01980000-0000-7000-8000-000000000000';

/** A small value that shows the form of a schema: what is required, or one member where nothing is. */
export function sampleOf(schema: TSchema | undefined, name = ''): unknown {
  if (schema === undefined) return {};
  if (Object.hasOwn(SAMPLES, name)) return SAMPLES[name];
  const { anyOf, type, format, items, pattern } = schema as TSchema & { anyOf?: TSchema[]; items?: TSchema };
  if (schema.enum !== undefined) return (schema.enum as unknown[])[0];
  if (schema.const !== undefined) return schema.const;
  if (anyOf !== undefined) return sampleOf(anyOf[0], name);
  if (type === 'object') return sampleObject(schema);
  if (type === 'array') return [sampleOf(items, name)];
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return schema.default ?? schema.minimum ?? 1;
  if (format === 'uuid') return SAMPLE_ID;
  return pattern === undefined ? 'text' : (schema.default ?? 'name');
}

function sampleObject(schema: TSchema): Record<string, unknown> {
  const {
    properties = {},
    required = [],
    oneOf,
  } = schema as unknown as {
    properties?: Record<string, TSchema>;
    required?: string[];
    oneOf?: { required?: string[] }[];
  };
  const wanted = [...required, ...(oneOf?.[0]?.required ?? [])];
  const names = wanted.length > 0 ? wanted : Object.keys(properties).slice(0, 1);
  return Object.fromEntries(names.map((name) => [name, sampleOf(properties[name], name)]));
}
