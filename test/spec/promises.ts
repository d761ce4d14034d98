import { ontologyPromises } from './ontology-promises.ts';
import type { Owner, PromiseRow, Proof } from './rows.ts';

const proof = (file: string, test: string): Proof => ({ file, test });

/** The commands that the specification names, as their words. */
const commandsOf = (owner: Owner, ...words: string[]): PromiseRow[] =>
  words.map((name) => ({ area: 'CLI commands', name, owner, command: name }));

const LIMITS_OF_CONTAINERS = proof(
  'connectors/runtime/test/create-options.test.ts',
  'the engine is told exactly this, and nothing else',
);
const CHECKLIST = proof(
  'plugins/sources/test/readiness-rules.test.ts',
  'each part of the checklist is a check of its own',
);
const TRANSFORM_CHECKLIST = proof(
  'plugins/transforms/test/reads.test.ts',
  'the checklist of a transform says of each item what to do',
);
const TRANSFORM_LINES = proof(
  'plugins/transforms/test/runs.test.ts',
  'the lines of a run in both logs → found by each of its keys',
);
const TRACE_LINES = proof(
  'test/test/tracing.test.ts',
  'OTEL_EXPORTER_OTLP_ENDPOINT unset: nobody is told, and the worker still logs the trace of the request',
);
const SYNC_LINES = proof(
  'test/test/tracing.test.ts',
  'OTEL_EXPORTER_OTLP_ENDPOINT: a sync is one trace from the request to the child process',
);
const TWINS = 'plugins/datasets/test/twins.test.ts';
const READINESS_OF_THE_ENGINE = 'connectors/runtime/test/container-readiness.test.ts';
const STORED = 'plugins/sources/test/credentials-stored.test.ts';

const all = (area: string, owner: Owner, rows: Record<string, Proof | undefined>): PromiseRow[] =>
  Object.entries(rows).map(([name, found]) => ({
    area,
    name,
    owner,
    ...(found === undefined ? {} : { proof: found }),
  }));

/** What the specification promises beside routes, variables, metrics and limits; a row without proof is absent. */
export const promises: readonly PromiseRow[] = [
  ...commandsOf('cli', 'sources get', 'sources create', 'sources streams list', 'sources history', 'sources sync'),
  ...commandsOf(
    'cli',
    'sources logs',
    'sources credentials set',
    'sources credentials rotate',
    'runs get',
    'runs wait',
  ),
  ...commandsOf('transforms', 'transforms get', 'transforms trigger', 'transforms runs', 'transforms logs'),
  ...commandsOf('pipelines', 'pipelines get', 'pipelines validate'),
  ...all('Source sync readiness', 'sources', {
    'source is ready or active': CHECKLIST,
    'discovery schema current': proof(
      'plugins/sources/test/readiness.test.ts',
      'what a discovery has seen is compared with what the source has',
    ),
    'streams enabled and configured': CHECKLIST,
    'incremental streams have cursor fields': CHECKLIST,
    'merge streams have primary keys': CHECKLIST,
    'target matches the bronze convention': CHECKLIST,
    'sync history shows successful runs': proof(
      'plugins/sources/test/readiness-rules.test.ts',
      'history and discovery warn and never refuse',
    ),
  }),
  ...all('Transform run readiness', 'transforms', {
    'transform hydrated': TRANSFORM_CHECKLIST,
    'can_run_now is true': TRANSFORM_CHECKLIST,
    'artifact runtime matches the engine': TRANSFORM_CHECKLIST,
    'code location has loaded the asset': undefined,
    'last run is not running': TRANSFORM_CHECKLIST,
    'logs available': TRANSFORM_CHECKLIST,
    'output table and lineage as expected': TRANSFORM_CHECKLIST,
  }),
  ...all('Log keys', 'kernel', {
    'workflow id': SYNC_LINES,
    'orchestrator run id': TRANSFORM_LINES,
    'transform id': TRANSFORM_LINES,
    'source id': SYNC_LINES,
    'trace id': TRACE_LINES,
  }),
  ...all('Connector execution', 'connectors', {
    'the worker builds the whole command': LIMITS_OF_CONTAINERS,
    'images are pulled on demand by the daemon': proof(
      'connectors/runtime/test/image-reference.test.ts',
      'what a registry says has a name of its own',
    ),
    'workers get the socket folder and their workspace alone': proof(
      'test/test/worker-units.test.ts',
      'the units of the workers are sound, and as little is open to a worker as it can do with',
    ),
    'containers are bounded, unprivileged and labelled': LIMITS_OF_CONTAINERS,
    'one explicit socket, no fallback': proof(
      READINESS_OF_THE_ENGINE,
      'an engine is reached through exactly one reviewed socket',
    ),
    'an engine that enforces no limit is refused': proof(
      READINESS_OF_THE_ENGINE,
      'an engine that enforces no limit is refused, whatever it says of itself',
    ),
    'acceptance is proved by real work': proof(
      'cli/test/connectors-prove.test.ts',
      'what could not be seen is not proved, and a report says what it is not about',
    ),
  }),
  ...all('Errors', 'datasets', {
    'characters of a dataset id: 400': proof(
      'plugins/datasets/test/datasets.test.ts',
      'charset is 400, not produced is 403 whether it exists or not, absent in a readable namespace is 404',
    ),
    'a dataset that the tenant does not produce: 403': proof(
      'plugins/datasets/test/datasets.test.ts',
      'charset is 400, not produced is 403 whether it exists or not, absent in a readable namespace is 404',
    ),
  }),
  ...all('Errors', 'sources', {
    'YAML that JSON cannot hold: 400 without echo': proof(
      'test/test/hostile.test.ts',
      'every hostile YAML document is refused by its code, without an echo',
    ),
    'credential lifecycle in legacy_inline: a clear error': proof(
      'plugins/sources/test/credentials-inline.test.ts',
      'what only the secret store has is refused after authorisation and before existence',
    ),
    'credential values and a reference together: refused': proof(
      STORED,
      'what is given twice, without a name, or under a name that is taken is refused',
    ),
    'errors never hold credential values': proof(
      'plugins/sources/test/credentials-inline.test.ts',
      'nothing that is read of it has a credential, and what is visible is all there',
    ),
  }),
  ...all('Errors', 'workers', {
    'a probe fails on a queue that nobody polls': proof(
      'workers/test/probe-table.test.ts',
      'a worker that nobody sees polling for workflows is not well, however busy it is',
    ),
    'a missing activity poller is diagnostic while slots are busy': proof(
      'workers/test/probe-table.test.ts',
      'a worker whose slots are all busy polls for no activity, and is well; with a free one it is not',
    ),
    'a watchdog that cannot run ends the worker': proof(
      'workers/test/watchdog.test.ts',
      'a loop that does not turn is ended, and the reason is told',
    ),
  }),
  ...all('Errors', 'apply', {
    'a dry-run item that conflicts: would-409': proof(
      'plugins/apply/test/dry-run.test.ts',
      'an active policy taken out of force → would-409 unless allowed',
    ),
    'a dry-run item that fails validation: error': proof(
      'plugins/apply/test/dry-run.test.ts',
      'faulty documents → an error each, by code and place',
    ),
  }),
  ...ontologyPromises,
  ...all('Errors', 'ontology', {
    'a live preflight that fails: invalid': proof(
      'plugins/ontology/test/backing-documents.test.ts',
      'each fault of network and authentication → the preflight is invalid, by GET alone',
    ),
  }),
  ...all('Credentials', 'sources', {
    'safe metadata alone is returned': proof(STORED, 'what is told of it is its safe metadata alone'),
    'an ordinary update keeps stored credentials': proof(
      STORED,
      'an ordinary update keeps it, and credentials in the configuration are refused',
    ),
    'revoke only without references': proof(
      STORED,
      'another source of the pattern may use it; it is revoked only when none does',
    ),
  }),
  ...all('Versioning', 'datasets', {
    'numeric snapshot ids have exact twins': proof(
      TWINS,
      'a thousand snapshot ids of 64 bits are the same digits as a number and as text, on every list',
    ),
    'numeric snapshot ids are deprecated': proof(
      TWINS,
      'every numeric id of a snapshot is marked as deprecated, and its exact twin is not',
    ),
    'table-format routes are deprecated': proof(
      TWINS,
      'the deprecated routes follow the rules of the new ones, with tokens of their own',
    ),
  }),
  ...all('Versioning', 'kernel', {
    'a prior manifest starts on an additive schema': proof(
      'kernel/test/persistence.test.ts',
      'a release starts on a ledger that is ahead only by steps that are additive for its head',
    ),
  }),
];
