import { type Static, Type } from '@sinclair/typebox';
import type { Kernel } from '@weir/kernel';
import { Closed, OneOf } from '@weir/kernel/contract';
import type { ApplyKind, Asked, ItemFault, Json, PlannedCall } from '@weir/plugin-apply/contract';
import { SentDocument } from '../contract/policies.ts';
import {
  createPolicy,
  listPolicies,
  POLICY_KINDS,
  POLICY_STATUSES,
  type PolicyKindName,
  type PolicyView,
  updatePolicy,
} from '../contract.ts';
import type { PolicyKind } from './policy-kind.ts';

const Spec = Closed({
  kind: OneOf(POLICY_KINDS),
  document: SentDocument,
  status: Type.Optional(OneOf(POLICY_STATUSES, { description: 'draft unless given' })),
});
type PolicySpec = Static<typeof Spec>;

/** An id that no policy has, for one that is not made yet. */
const UNMADE = '00000000-0000-0000-0000-000000000000';
const FIRST_VERSION = 1;

interface Deps {
  kernel: Pick<Kernel, 'db'>;
  kinds: ReadonlyMap<PolicyKindName, PolicyKind>;
}

/** Documents of identity policies. */
export const policyDocuments = ({ kernel, kinds }: Deps): ApplyKind => ({
  kind: 'IdentityPolicy',
  order: 40,
  spec: Spec,
  list: listPolicies,
  async stored(item) {
    const { name, policy_id: id, etag, kind, document, status } = item as unknown as PolicyView;
    return { name, id, etag, spec: { kind, document, status } };
  },
  async plan(asked) {
    const { name, stored, self, reader } = asked;
    const { kind, document: sent, status = 'draft' } = asked.spec as PolicySpec;
    const document = await (kinds.get(kind) as PolicyKind).validate(asked.tenant, sent);
    const after: Json = { kind, document, status };
    const faults = faultsOf(asked, after);
    if (status === 'active' && faults.length === 0) await admit({ kernel, kinds }, asked, { kind, document });
    const view = (await reader.all<PolicyView>(listPolicies, { query: { name } }))[0];
    const put = (expected_version: number, ifMatch?: string): PlannedCall => ({
      endpoint: updatePolicy,
      params: { policy_id: self },
      body: { document, expected_version, status },
      ifMatch,
    });
    return {
      faults,
      before: stored?.spec,
      after,
      calls() {
        if (stored !== undefined) return [put(view?.version ?? FIRST_VERSION, stored.etag)];
        const first = status === 'active' ? 'active' : 'draft';
        const body = { name, kind, document, status: first };
        const made: PlannedCall = { endpoint: createPolicy, body, id: 'policy_id' };
        return status === 'archived' ? [made, put(FIRST_VERSION)] : [made];
      },
    };
  },
});

function faultsOf({ stored, allowDeprecate }: Asked, after: Json): ItemFault[] {
  const faults: ItemFault[] = [];
  if (stored !== undefined && stored.spec.kind !== after.kind)
    faults.push({ code: 'immutable', pointer: '/spec/kind', detail: 'The kind of a policy cannot be changed.' });
  const isRetired = stored?.spec.status === 'active' && after.status !== 'active';
  if (isRetired && !allowDeprecate)
    faults.push({
      code: 'would_retire',
      pointer: '/spec/status',
      conflict: true,
      detail: 'The policy would be taken out of force; allow it with `allow_deprecate`.',
    });
  return faults;
}

/** Throws what putting the document in force would throw: a policy must not lock out its caller. */
async function admit(
  { kernel, kinds }: Deps,
  { tenant, principal, name, stored }: Asked,
  { kind, document }: { kind: PolicyKindName; document: Json },
): Promise<void> {
  if (principal.kind === 'anonymous' || principal.kind === 'webhook') return;
  const candidate = { policyId: stored?.id ?? UNMADE, name, document };
  const by = { caller: principal, allowLockout: false };
  await kernel.db(tenant).transaction(async (tx) => kinds.get(kind)?.admit?.(tx, candidate, by));
}
