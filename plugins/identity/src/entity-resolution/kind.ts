import type { FieldFault, Tenant } from '@weir/kernel/contract';
import { Problem } from '@weir/kernel/contract';
import { datasetProblems, type SamplesService } from '@weir/plugin-datasets/contract';
import {
  DEFAULT_DRY_RUN_ROWS,
  type EntityResolutionDocumentBody,
  type EntitySampleBody,
  MAX_DRY_RUN_ROWS,
} from '../contract/entity-resolution.ts';
import { identityProblems, type PolicyTrialBody } from '../contract.ts';
import { refuseFaults } from '../policy/check-shape.ts';
import type { PolicyKind } from '../policy/policy-kind.ts';
import { documentFaults } from './document-faults.ts';
import { documentShape } from './document-shape.ts';
import { dryRunView } from './dry-run-view.ts';
import { readProperties } from './properties.ts';
import { type AskSample, type Resolution, resolve, type TooBroad } from './resolve.ts';

/** Pairs that a dry run compares, and of those it is told; what it may look at of a sample. */
const BOUNDS = { records: MAX_DRY_RUN_ROWS, candidates: 5_000_000, pairs: 100_000 } as const;
const ROOT = '/document';
/** Another policy in force for the same entity type. */
const OTHER = `
select 1 from identity.policy p
join identity.policy_version v on v.tenant_id = p.tenant_id and v.policy_id = p.policy_id and v.version = p.version
where p.tenant_id = $1 and p.kind = 'entity_resolution' and p.status = 'active' and p.deleted_at is null
  and p.policy_id <> $2 and v.document->>'entity_type' = $3 limit 1`;
/** Types of columns, nested or of bytes, whose values are no text that could be compared. */
const NOT_COMPARABLE = /^(struct|list|map)<|^(binary$|fixed\[)/;

/** Identity policies that say which records of a dataset are of one entity. */
export function entityResolutionKind({ samples }: { samples: SamplesService }): PolicyKind {
  const shapeOf = documentShape();
  const checked = (sent: unknown): EntityResolutionDocumentBody => {
    const document = shapeOf(sent);
    refuse(Array.isArray(document) ? document : documentFaults(document));
    return document as EntityResolutionDocumentBody;
  };
  return {
    kind: 'entity_resolution',
    needsSuccessor: false,
    validate: async (_tenant, document) => checked(document),
    async admit(tx, { policyId, document }) {
      const { entity_type } = document as EntityResolutionDocumentBody;
      const { rows } = await tx.sql(OTHER, [tx.tenant.tenantId, policyId, entity_type]);
      if (rows.length > 0) throw identityProblems.entityTypeTaken();
    },
    async dryRun(tenant, { candidate, standing, body, signal }) {
      const { sample } = body;
      if (sample === undefined || body.principals !== undefined || body.requests !== undefined) throw notTried(body);
      const document = checked(candidate.document);
      const { dataset_id: datasetId } = sample;
      const { snapshotId, columns } = await samples.describe(tenant, datasetId);
      refuse(columnFaults(document, columns));
      const ask = askOf(samples, tenant, { sample, snapshotId, signal });
      const found = await resolve(document, ask, BOUNDS);
      if ('tooBroad' in found) throw tooBroad(found);
      const active = standing.status === 'active' ? (standing.document as EntityResolutionDocumentBody) : undefined;
      const applies = active !== undefined && columnFaults(active, columns).length === 0;
      const inForce = applies ? await resolve(active, ask, BOUNDS).catch(unlessTooBroad) : undefined;
      return dryRunView({ datasetId, snapshotId, document, found, inForce: narrow(inForce) });
    },
  };
}

function refuse(faults: readonly FieldFault[]): void {
  refuseFaults(faults.map(({ pointer, code }) => ({ pointer: `${ROOT}${pointer}`, code })));
}

/** A trial without a sample, or with what another kind is tried on. */
function notTried(body: PolicyTrialBody): Problem {
  const errors = [
    ...(body.sample === undefined ? [{ pointer: '/sample', code: 'required' }] : []),
    ...(body.principals === undefined ? [] : [{ pointer: '/principals', code: 'not_of_kind' }]),
    ...(body.requests === undefined ? [] : [{ pointer: '/requests', code: 'not_of_kind' }]),
  ];
  return identityProblems.trialInvalid({ errors });
}

const narrow = (found: Resolution | TooBroad | undefined): Resolution | undefined =>
  found === undefined || 'tooBroad' in found ? undefined : found;

/** What is in force may be too broad for the sample; what is tried is told all the same. */
function unlessTooBroad(error: unknown): undefined {
  if (!(error instanceof Problem && error.code === identityProblems.policyTooBroad.entry.code)) throw error;
  return undefined;
}

/** The rules that bring too many pairs together, the worst first. */
function tooBroad({ candidates }: TooBroad): Problem {
  const worst = candidates.map((count, at) => ({ count, pointer: `${ROOT}/blocking/${at}` }));
  const errors = worst
    .toSorted((a, b) => b.count - a.count)
    .map(({ pointer }) => ({ pointer, code: 'too_many_pairs' }));
  return identityProblems.policyTooBroad({ errors: errors.slice(0, 1) });
}

/** Where a document reads what the dataset does not have, or has in a form that cannot be compared. */
function columnFaults(
  document: EntityResolutionDocumentBody,
  columns: readonly { readonly name: string; readonly type: string }[],
): FieldFault[] {
  return readProperties(document).flatMap(({ property, pointer }) => {
    const column = columns.find(({ name }) => name === property);
    if (column === undefined) return [{ pointer, code: 'unknown_property' }];
    return NOT_COMPARABLE.test(column.type) ? [{ pointer, code: 'type_not_comparable' }] : [];
  });
}

function askOf(
  samples: SamplesService,
  tenant: Tenant,
  on: { sample: EntitySampleBody; snapshotId: string | null; signal: AbortSignal },
): AskSample {
  const { sample, snapshotId, signal } = on;
  const rows = sample.rows ?? DEFAULT_DRY_RUN_ROWS;
  return async (columns, statements) => {
    try {
      return await samples.ask(tenant, sample.dataset_id, { snapshotId, columns, rows, statements, signal });
    } catch (error) {
      const large = error instanceof Problem && error.code === datasetProblems.previewTooLarge.entry.code;
      throw large ? identityProblems.policyTooBroad({ cause: error }) : error;
    }
  };
}
