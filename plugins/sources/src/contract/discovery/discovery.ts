import { type Static, Type } from '@sinclair/typebox';
import {
  Accepted,
  Closed,
  EXAMPLE_ID,
  endpoint,
  Id,
  kernelProblems,
  Nullable,
  OneOf,
  RunWorker,
  runFacts,
  runProblems,
} from '@weir/kernel/contract';
import { readSources, runSources } from '../access.ts';
import { credentialProblems } from '../credential-problems.ts';
import { sourceProblems } from '../problems.ts';
import { credentialInput } from '../source/credentials.ts';
import { PatternId } from '../source/patterns.ts';
import { SourceConfig } from '../source/sources.ts';
import { DiscoveryWarning } from '../stream/discovery-warning.ts';
import { DiscoveredStream } from '../stream/streams.ts';
import { Pull, startQuery } from '../sync/syncs.ts';

const MAX_WORKFLOW_ID = 200;

/** A discovery by its workflow id; a run id is taken too. */
export const discoveryParams = Closed({
  workflow_id: Type.String({
    minLength: 1,
    maxLength: MAX_WORKFLOW_ID,
    description: 'Workflow id or run id of the discovery',
  }),
});

/** Where a discovery is at the moment. */
export const DISCOVERY_PHASES = ['waiting', 'preparing', 'pulling', 'checking', 'describing', 'ended'] as const;
export type DiscoveryPhase = (typeof DISCOVERY_PHASES)[number];

/** How a discovery stands, and what it found. */
export const DiscoveryStatus = Type.Object({
  ...runFacts,
  phase: OneOf(DISCOVERY_PHASES, {
    description:
      'pulling: the image of the connector is not here yet, see pull; checking: the connector tries the configuration; describing: it looks at the source',
  }),
  waits_for: Nullable(
    Type.String({
      description: 'What an open discovery waits for, and how long at most; the newest line of its log says more',
    }),
  ),
  pull: Nullable(Pull),
  source_id: Nullable(Id),
  pattern_id: PatternId,
  streams: Nullable(Type.Array(DiscoveredStream)),
  warnings: Type.Array(DiscoveryWarning, {
    description: 'Streams that could not be described, and enabled streams that the source does not have now',
  }),
  worker: Nullable(RunWorker),
  apply: Type.Boolean({ description: 'Whether its end brings the streams of the source in line with it' }),
});
export type DiscoveryStatusView = Static<typeof DiscoveryStatus>;

/** `POST /sources/discover` with either a source or a pattern and its configuration. */
export const startDiscovery = endpoint({
  id: 'sources.start_discovery',
  method: 'POST',
  path: '/sources/discover',
  summary: 'Start a discovery of a source, or of a configuration before a source is made of it',
  description:
    'With a source, source_config is a merge patch and credential_values are new values, as in PATCH /sources/{source_id}: the discovery looks at the source as that change would leave it, and nothing of the source changes.',
  access: runSources,
  query: startQuery,
  declarative: true,
  body: Closed(
    {
      source_id: Type.Optional(Id),
      apply: Type.Optional(
        Type.Boolean({
          description:
            'Whether the streams of the source follow at once, as they do unless this is false; false only looks, for a reviewed refresh',
        }),
      ),
      pattern_id: Type.Optional(PatternId),
      source_config: Type.Optional(SourceConfig),
      credential_values: credentialInput.credential_values,
      credential_ref: credentialInput.credential_ref,
    },
    {
      oneOf: [
        {
          type: 'object',
          required: ['source_id'],
          properties: { pattern_id: false, source_config: false, credential_values: false, credential_ref: false },
        },
        {
          type: 'object',
          required: ['source_id', 'source_config'],
          properties: { pattern_id: false, credential_ref: false, apply: false },
        },
        { type: 'object', required: ['pattern_id', 'source_config'], properties: { source_id: false, apply: false } },
      ],
    },
  ),
  example: { source_id: EXAMPLE_ID },
  response: Accepted,
  status: 202,
  location: '/sources/discover/status/:workflow_id',
  errors: [
    kernelProblems.notFound,
    runProblems.runAlreadyActive,
    runProblems.noWorker,
    sourceProblems.patternNotFound,
    sourceProblems.sourceConfigInvalid,
    credentialProblems.credentialNotAttached,
    credentialProblems.credentialsRequired,
    credentialProblems.undeclaredCredentialField,
    credentialProblems.credentialInputConflict,
    credentialProblems.credentialModeUnsupported,
    credentialProblems.credentialNotUsable,
    credentialProblems.credentialKeyMissing,
    credentialProblems.credentialsUnreadable,
    credentialProblems.secretStoreUnavailable,
  ],
  cli: 'sources discover',
});

/** `GET /sources/discover/status/{workflow_id}`; a run id is taken too. */
export const getDiscoveryStatus = endpoint({
  id: 'sources.get_discovery_status',
  method: 'GET',
  path: '/sources/discover/status/:workflow_id',
  summary: 'Read the status of a discovery and what it found',
  access: readSources,
  params: discoveryParams,
  response: DiscoveryStatus,
  errors: [kernelProblems.notFound],
  cli: 'sources discovery get',
});
