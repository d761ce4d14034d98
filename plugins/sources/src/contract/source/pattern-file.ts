import { type Static, Type } from '@sinclair/typebox';
import { Closed, OneOf } from '@weir/kernel/contract';
import { SCHEMA_CHANGE_POLICIES, SYNC_MODES, WRITE_MODES } from '../stream/streams.ts';

/** The id of a connector pattern, which is also the name of its file or folder. */
export const PatternId = Type.String({ pattern: '^[a-z][a-z0-9-]{0,62}$', description: 'Id of a connector pattern' });

const MAX_FIELDS = 1_000;
/** How many places one may name. */
export const MAX_EGRESS = 100;

/** What one connector may be given at most; less than the least no engine takes, or nothing starts in. */
export const RESOURCE_BOUNDS = {
  memory_mib: { minimum: 16, maximum: 32_768 },
  cpus: { minimum: 0.01, maximum: 64 },
  pids: { minimum: 4, maximum: 32_768 },
  tmp_mib: { minimum: 1, maximum: 32_768 },
} as const;

/** The one protocol that connectors are spoken to in. */
export const PATTERN_PROTOCOL = 'airbyte';

/** What streams are set to when a discovery or a refresh first sees them, each where it can be. */
export const StreamDefaults = Closed(
  {
    sync_mode: Type.Optional(OneOf(SYNC_MODES, { description: 'Goes with write_mode: a stream has both or neither' })),
    write_mode: Type.Optional(
      OneOf(WRITE_MODES, { description: 'overwrite unless given, which incremental streams cannot have' }),
    ),
    schema_change_policy: Type.Optional(
      OneOf(SCHEMA_CHANGE_POLICIES, { description: 'What a sync does with fields that no column holds' }),
    ),
  },
  {
    description:
      'What streams are set to when a discovery or a refresh first sees them, each where it can be; known streams keep what they have',
  },
);
export type StreamDefaultsView = Static<typeof StreamDefaults>;

const MEMBER = '\\{[A-Za-z0-9_-]{1,100}\\}';
const HOST = '(\\*\\.)?[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?|\\[[0-9A-Fa-f:.]{2,45}\\]';
const PORT = '[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]';

/** A place that a connector must reach. */
export const EgressHint = Type.String({
  pattern: `^(${MEMBER}|${HOST}):(${MEMBER}|${PORT})$`,
  description: 'host:port; {name} in place of either is that member of source_config',
});

const MAX_EXCLUSIVE = 10;
const MAX_EXCLUSIVE_FIELDS = 10;
const FieldName = Type.String({ pattern: '^[A-Za-z0-9_-]{1,100}$' });

/** A connector pattern as it may be given, in `pattern.json` too; unknown members are refused. */
export const GivenPattern = Closed({
  id: PatternId,
  version: Type.String({
    pattern: '^(0|[1-9][0-9]{0,8})(\\.(0|[1-9][0-9]{0,8})){2}$',
    description: 'As 1.2.3; one document for ever, so that other content is another version',
  }),
  display: Closed(
    {
      name: Type.String({ minLength: 1, description: 'What people call it' }),
      description: Type.Optional(Type.String({ description: 'What it reads, in a line' })),
      icon: Type.Optional(Type.String({ description: 'Address of a picture for pages that show it' })),
      category: Type.Optional(Type.String({ description: 'A word to group patterns by, such as database' })),
    },
    { description: 'How it is shown to people' },
  ),
  image: Type.String({
    minLength: 1,
    description: 'The container image of the connector: registry/path:tag or registry/path@sha256:…',
  }),
  source_name: Type.String({ minLength: 1, description: 'What the makers of the connector call it' }),
  docs: Type.Optional(Type.String({ description: 'Where its own documentation is' })),
  protocol: Type.String({
    description: `What the image speaks: ${PATTERN_PROTOCOL}, and nothing else. A Singer tap speaks it in an image with the Singer bridge as its entrypoint`,
  }),
  fast_path: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Ways of handing over rows that it knows beside lines; segment-file/1 is offered to it then',
    }),
  ),
  manifest: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'The manifest that a declarative connector gets beside the configuration',
    }),
  ),
  spec: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'JSON Schema of source_config; that of the manifest where there is one and this is left out',
    }),
  ),
  fields: Type.Optional(
    Type.Array(
      Closed({
        path: Type.String({ description: 'JSON pointer into source_config, or names with full stops between them' }),
        type: Type.String({ description: 'password makes it a credential; any other word is only shown' }),
        credential: Type.Optional(Type.Boolean({ description: 'Makes it a credential' })),
        place: Type.Optional(
          Type.Boolean({
            description:
              'Says where the connector goes: a change needs the credentials again. Where no field has it, members that egress names and names such as host, port or url decide',
          }),
        ),
      }),
      { description: 'Fields with a meaning beyond the specification; credentials that it marks itself need no entry' },
    ),
  ),
  removes_credential_fields: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: MAX_FIELDS,
      description: 'Pointers of fields that were credentials in the version before and are none any more',
    }),
  ),
  stream_defaults: Type.Optional(StreamDefaults),
  resources: Type.Optional(
    Closed(
      {
        memory_mib: Type.Optional(Type.Integer({ ...RESOURCE_BOUNDS.memory_mib, description: 'MiB of memory' })),
        cpus: Type.Optional(Type.Number({ ...RESOURCE_BOUNDS.cpus, description: 'CPUs' })),
        pids: Type.Optional(Type.Integer({ ...RESOURCE_BOUNDS.pids, description: 'Processes and threads' })),
        tmp_mib: Type.Optional(Type.Integer({ ...RESOURCE_BOUNDS.tmp_mib, description: 'MiB of temporary files' })),
      },
      { description: 'What a container of it may use at most' },
    ),
  ),
  exclusive: Type.Optional(
    Type.Array(
      Closed({
        fields: Type.Array(FieldName, {
          minItems: 1,
          maxItems: MAX_EXCLUSIVE_FIELDS,
          description: 'Members of source_config that together name the thing, the one to change last',
        }),
        when: Type.Optional(
          Type.Record(FieldName, Type.String(), { description: 'Members with the value for which the thing is used' }),
        ),
      }),
      {
        maxItems: MAX_EXCLUSIVE,
        description: 'What one source alone may use; readiness names other sources of the tenant that use the same',
      },
    ),
  ),
  egress: Type.Optional(
    Type.Array(EgressHint, {
      maxItems: MAX_EGRESS,
      description: 'What it must reach. It is shown and opens nothing: the operator opens the fence',
    }),
  ),
});
export type GivenPatternFile = Static<typeof GivenPattern>;

/** A pattern with its specification, be it that of its manifest. */
export type PatternFile = GivenPatternFile & Required<Pick<GivenPatternFile, 'spec'>>;
