import { type Static, Type } from '@sinclair/typebox';
import { Closed, endpoint, kernelProblems, listQuery, Nullable, Page } from '@weir/kernel/contract';
import { readSources } from './access.ts';

/** The id of a connector pattern, which is also the name of its folder. */
export const PatternId = Type.String({ pattern: '^[a-z][a-z0-9-]{0,62}$', description: 'Id of a connector pattern' });

/** One field of a connector's configuration that has a meaning of its own. */
export const PatternField = Type.Object({
  path: Type.String({ description: 'JSON pointer into source_config' }),
  type: Type.String(),
  credential: Type.Boolean(),
});

/** A connector pattern in a list. */
export const PatternSummary = Type.Object({
  pattern_id: PatternId,
  version: Type.String(),
  name: Type.String({ description: 'Display name' }),
  description: Nullable(Type.String()),
  image: Type.String(),
  source_name: Type.String(),
  docs: Nullable(Type.String()),
  needs_credentials: Type.Boolean({ description: 'Whether any of its fields is a credential' }),
});

/** A connector pattern with the specification of its configuration. */
export const Pattern = Type.Composite([
  PatternSummary,
  Type.Object({
    spec: Type.Record(Type.String(), Type.Unknown(), { description: 'JSON Schema of source_config' }),
    fields: Type.Array(PatternField),
    credential_fields: Type.Array(Type.String(), {
      description: 'JSON pointers into source_config of all fields that are credentials; * stands for any one segment',
    }),
  }),
]);
export type PatternView = Static<typeof Pattern>;

/** `GET /patterns/discover` */
export const discoverPatterns = endpoint({
  id: 'sources.list_patterns',
  method: 'GET',
  path: '/patterns/discover',
  summary: 'List the connector patterns',
  access: readSources,
  query: listQuery(['pattern_id'], {}),
  response: Page(PatternSummary),
  errors: [kernelProblems.invalidPageToken],
  cli: 'patterns list',
});

/** `GET /patterns/{pattern_id}` */
export const getPattern = endpoint({
  id: 'sources.get_pattern',
  method: 'GET',
  path: '/patterns/:pattern_id',
  summary: 'Read one connector pattern',
  access: readSources,
  params: Closed({ pattern_id: PatternId }),
  response: Pattern,
  errors: [kernelProblems.notFound],
  cli: 'patterns get',
});
