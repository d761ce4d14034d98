import { type Static, Type } from '@sinclair/typebox';
import { Closed } from '@weir/kernel/contract';
import { Ajv } from 'ajv';
import { compileSpec } from '../config/compile-spec.ts';
import { credentialFields, namedCredentials } from '../config/credential-fields.ts';
import { validationSchema } from '../config/validation-schema.ts';

const OpenObject = Type.Record(Type.String(), Type.Unknown());

/** `pattern.json` of a connector; unknown members are refused. */
export const patternFileSchema = Closed({
  id: Type.String({ pattern: '^[a-z][a-z0-9-]{0,62}$' }),
  version: Type.String({ pattern: '^[0-9]+\\.[0-9]+\\.[0-9]+$' }),
  display: Closed({
    name: Type.String({ minLength: 1 }),
    description: Type.Optional(Type.String()),
    icon: Type.Optional(Type.String()),
    category: Type.Optional(Type.String()),
  }),
  image: Type.String({ minLength: 1 }),
  source_name: Type.String({ minLength: 1 }),
  docs: Type.Optional(Type.String()),
  protocol: Type.Union([Type.Literal('airbyte'), Type.Literal('singer')]),
  fast_path: Type.Optional(Type.Array(Type.String())),
  manifest: Type.Optional(OpenObject),
  spec: OpenObject,
  fields: Type.Optional(
    Type.Array(Closed({ path: Type.String(), type: Type.String(), credential: Type.Optional(Type.Boolean()) })),
  ),
  stream_defaults: Type.Optional(OpenObject),
  resources: Type.Optional(
    Closed({
      memory_mib: Type.Optional(Type.Integer({ minimum: 1 })),
      cpus: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
      pids: Type.Optional(Type.Integer({ minimum: 1 })),
      tmp_mib: Type.Optional(Type.Integer({ minimum: 1 })),
    }),
  ),
  egress: Type.Optional(Type.Array(Type.String())),
  namespace_rule: Type.Optional(Type.String()),
});
export type PatternFile = Static<typeof patternFileSchema>;

/** A connector pattern as the service uses it. */
export interface Pattern extends PatternFile {
  /** Pointers of the fields that the pattern's own list calls credentials. */
  namedCredentials: readonly string[];
  /** Pointers of all credential fields, in any branch of the specification; `*` stands for any one segment. */
  credentialFields: readonly string[];
}

const validate = () => new Ajv({ allErrors: true }).compile<PatternFile>(patternFileSchema);

/** Reads the text of a `pattern.json`. Throws an Error that lists what is wrong with it. */
export function parsePattern(text: string): Pattern {
  const check = validate();
  const file = JSON.parse(text) as unknown;
  if (!check(file)) {
    const faults = (check.errors ?? []).map(({ instancePath, message }) => `${instancePath || '/'} ${message}`);
    throw new Error(faults.join('; '));
  }
  try {
    compileSpec(validationSchema(file.spec));
  } catch (cause) {
    throw new Error('/spec is not a JSON Schema', { cause });
  }
  const named = namedCredentials(file.fields);
  return { ...file, namedCredentials: named, credentialFields: credentialFields(file.spec, named) };
}
