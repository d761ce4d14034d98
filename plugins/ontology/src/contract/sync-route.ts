import { type Static, type TSchema, Type } from '@sinclair/typebox';
import {
  Closed,
  endpoint,
  kernelProblems,
  Nullable,
  OneOf,
  platformPermission,
  problem,
  Timestamp,
} from '@weir/kernel/contract';
import { ontologyOff } from './entity-types.ts';

const operate = platformPermission('ontology:operate', { capability: 'ontology:operate' });

/** What a proof may lack. */
export const PROOF_FAULTS = ['workflow_poller_missing', 'activity_poller_missing', 'probe_not_ended'] as const;
export type ProofFault = (typeof PROOF_FAULTS)[number];

const Contract = Type.Integer({ minimum: 1, maximum: 2, description: 'Version of the contract of syncs' });
const maybe = <T extends TSchema>(schema: T) => Nullable(schema);

const Pollers = Type.Array(
  Type.Object({
    release: maybe(
      Type.String({ description: 'As its workers name it; null for programs that are not workers of ours' }),
    ),
    workers: Type.Integer(),
    last_seen_at: Timestamp,
  }),
);

const QueueEvidence = Type.Object({
  contract: Contract,
  task_queue: Type.String(),
  workflow_pollers: Pollers,
  activity_pollers: Pollers,
  probe: maybe(
    Type.Object(
      {
        workflow_type: Type.String(),
        workflow_id: Type.String(),
        status: OneOf(['running', 'completed', 'failed', 'cancelled', 'terminated', 'timed_out']),
        workflow_release: maybe(Type.String({ description: 'Release of the worker that carried it out' })),
        activity_release: maybe(Type.String({ description: 'Release of the worker that carried out its activity' })),
        ended_at: maybe(Timestamp),
      },
      { description: 'A workflow that was started to be carried out; null where no worker was there to do it' },
    ),
  ),
  faults: Type.Array(OneOf(PROOF_FAULTS)),
});
export type QueueEvidenceView = Static<typeof QueueEvidence>;

const RouteEvidence = Type.Object({
  release: Type.String({ description: 'The release that was looked for' }),
  looked_at: Timestamp,
  queues: Type.Array(QueueEvidence),
});
export type RouteEvidenceView = Static<typeof RouteEvidence>;

const OpenWork = Type.Object({
  contract: Contract,
  workflow_type: Type.String(),
  task_queue: Type.String(),
  runs: Type.Integer({ description: 'Runs that have not ended, whether their workflows have begun or not' }),
  executions: Type.Integer({ description: 'Open executions, as the workflow engine counts them' }),
});

const SyncRoute = Type.Object({
  contract: Contract,
  changed_by: Type.String(),
  changed_at: Timestamp,
  evidence: maybe(RouteEvidence),
});
const SyncRouteWithWork = Type.Object({ ...SyncRoute.properties, open: Type.Array(OpenWork) });
export type SyncRouteView = Static<typeof SyncRouteWithWork>;

export const routeProblems = {
  routeNotProven: problem({
    code: 'sync_route_not_proven',
    status: 409,
    title: 'The route is not proven',
    detail: 'New syncs stay with the contract that they follow: a queue lacks a proof. `evidence` has what was seen.',
    hint: 'Start the workers of both contracts with this release, and ask again.',
    faults: {
      workflow_poller_missing: 'is polled for workflows by no worker of this release',
      activity_poller_missing: 'is polled for activities by no worker of this release, as while all slots are busy',
      probe_not_ended: 'carried out no probe by a worker of this release',
    },
  }),
};

/** `GET /ontology/sync-route` */
export const getSyncRoute = endpoint({
  id: 'ontology.get_sync_route',
  method: 'GET',
  path: '/ontology/sync-route',
  summary: 'Show which contract new syncs follow, the proof of that, and what is open of each',
  access: operate,
  response: SyncRouteWithWork,
  errors: [kernelProblems.dependencyUnavailable, ontologyOff],
  cli: { words: 'ontology route show', columns: ['contract', 'changed_by', 'changed_at'] },
});

/** `PUT /ontology/sync-route` */
export const setSyncRoute = endpoint({
  id: 'ontology.set_sync_route',
  method: 'PUT',
  path: '/ontology/sync-route',
  summary: 'Send new syncs to contract 1 or 2, once both queues are proven',
  description:
    'On both queues there must be live pollers of this release, for workflows and for activities, and a workflow that was started there must end. What was seen is kept with the route. Runs that have begun end by their own contract.',
  access: operate,
  body: Closed({ contract: Contract }),
  example: { contract: 2 },
  response: SyncRoute,
  errors: [routeProblems.routeNotProven, kernelProblems.dependencyUnavailable, ontologyOff],
});
