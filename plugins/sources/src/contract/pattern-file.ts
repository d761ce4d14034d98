import { type Static, Type } from '@sinclair/typebox';
import { Closed } from '@weir/kernel/contract';

/** The id of a connector pattern, which is also the name of its file or folder. */
export const PatternId = Type.String({ pattern: '^[a-z][a-z0-9-]{0,62}$', description: 'Id of a connector pattern' });

const OpenObject = Type.Record(Type.String(), Type.Unknown());
const MAX_FIELDS = 1_000;

/** What one connector may be given at most; less than the least no engine takes, or nothing starts in. */
export const RESOURCE_BOUNDS = {
  memory_mib: { minimum: 16, maximum: 32_768 },
  cpus: { minimum: 0.01, maximum: 64 },
  pids: { minimum: 4, maximum: 32_768 },
  tmp_mib: { minimum: 1, maximum: 32_768 },
} as const;

/** A connector pattern as its file says it, `pattern.json`; unknown members are refused. */
export const PatternDocument = Closed({
  id: PatternId,
  version: Type.String({ pattern: '^(0|[1-9][0-9]{0,8})(\\.(0|[1-9][0-9]{0,8})){2}$', description: 'As 1.2.3' }),
  display: Closed({
    name: Type.String({ minLength: 1 }),
    description: Type.Optional(Type.String()),
    icon: Type.Optional(Type.String()),
    category: Type.Optional(Type.String()),
  }),
  image: Type.String({ minLength: 1, description: 'The container image of the connector' }),
  source_name: Type.String({ minLength: 1 }),
  docs: Type.Optional(Type.String()),
  protocol: Type.Union([Type.Literal('airbyte'), Type.Literal('singer')]),
  fast_path: Type.Optional(Type.Array(Type.String())),
  manifest: Type.Optional(OpenObject),
  spec: Type.Record(Type.String(), Type.Unknown(), { description: 'JSON Schema of source_config' }),
  fields: Type.Optional(
    Type.Array(Closed({ path: Type.String(), type: Type.String(), credential: Type.Optional(Type.Boolean()) })),
  ),
  removes_credential_fields: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: MAX_FIELDS,
      description: 'Pointers of fields that were credentials in the version before and are none any more',
    }),
  ),
  stream_defaults: Type.Optional(OpenObject),
  resources: Type.Optional(
    Closed({
      memory_mib: Type.Optional(Type.Integer(RESOURCE_BOUNDS.memory_mib)),
      cpus: Type.Optional(Type.Number(RESOURCE_BOUNDS.cpus)),
      pids: Type.Optional(Type.Integer(RESOURCE_BOUNDS.pids)),
      tmp_mib: Type.Optional(Type.Integer(RESOURCE_BOUNDS.tmp_mib)),
    }),
  ),
  egress: Type.Optional(Type.Array(Type.String())),
  namespace_rule: Type.Optional(Type.String()),
});
export type PatternFile = Static<typeof PatternDocument>;

/** A pattern as it may be given: its specification may be that of its manifest. */
export const GivenPattern = Closed({
  ...PatternDocument.properties,
  spec: Type.Optional(PatternDocument.properties.spec),
});
export type GivenPatternFile = Static<typeof GivenPattern>;
