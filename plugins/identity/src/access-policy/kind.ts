import type { Kernel, PlatformService, TenantTransaction } from '@weir/kernel';
import type { AccessRule, FieldFault, KnownPrincipal, Tenant } from '@weir/kernel/contract';
import { ACCESS_SCHEMA, AccessDocument, type AccessDocumentBody, identityProblems } from '../contract.ts';
import { checkShape, refuseFaults } from '../policy/check-shape.ts';
import type { Candidate, PolicyKind } from '../policy/policy-kind.ts';
import { bindsAnything } from './bindings.ts';
import { textChecker } from './cedar/check-text.ts';
import { cedarEvaluator } from './cedar/evaluator.ts';
import { type Action, actionsOf } from './cedar/vocabulary.ts';
import { type Decider, decider } from './decide.ts';
import { dryRun } from './dry-run.ts';
import { knownAdmins, someAdmin } from './known-person.ts';
import { keepsPolicies } from './lockout.ts';
import { policiesInForce, readPolicies, readyPolicy, type StoredPolicy } from './policies-in-force.ts';
import { readTried } from './tried.ts';

/** Every call of a tenant is held against all of its policies. */
const MAX_IN_FORCE = 10;
const MAX_TEXT_IN_FORCE = 32_768;

export interface AccessDeps extends Pick<Kernel, 'db' | 'log'> {
  endpoints: PlatformService['endpoints'];
}

/** Policies of kind `access`, and the rule by which the kernel asks those in force. */
export function accessKind({ db, log, endpoints }: AccessDeps): { kind: PolicyKind; rule: AccessRule } {
  const texts = textChecker();
  const evaluator = cedarEvaluator();
  const inForce = policiesInForce({ db, evaluator, readText: texts.read });
  const shape = checkShape(AccessDocument);
  let known: ReadonlyMap<string, Action> | undefined;
  // Complete once all plugins are set up.
  const actions = () => (known ??= actionsOf(endpoints()));
  const decides = (policies: readonly StoredPolicy[]) =>
    decider(
      policies.map((policy) => readyPolicy(policy, texts.read)),
      evaluator,
    );
  const kind: PolicyKind = {
    kind: 'access',
    needsSuccessor: true,
    async validate(tenant, sent) {
      shape(sent);
      const { bindings = [], cedar = '' } = sent as AccessDocumentBody;
      refuseFaults(tenantFaults({ bindings }, tenant));
      const checked = texts.check(cedar, actions());
      if (!checked.ok) {
        const errors = checked.faults.map(({ code }) => ({ pointer: '/document/cedar', code }));
        refuseFaults(errors, { positions: checked.faults });
      }
      const forbids = checked.ok && checked.statements.length > 0;
      if (!forbids && !bindsAnything({ bindings })) refuseFaults([{ pointer: '/document', code: 'no_effect' }]);
      return { bindings, cedar, schema: ACCESS_SCHEMA };
    },
    async admit(tx, candidate, { caller, allowLockout }) {
      const policies = await withCandidate(tx, candidate);
      const text = policies.reduce((sum, { document }) => sum + (document.cedar ?? '').length, 0);
      if (policies.length > MAX_IN_FORCE || text > MAX_TEXT_IN_FORCE) throw identityProblems.policyLimit();
      if (allowLockout) return;
      const policyIds = policies.map(({ policyId }) => policyId);
      await using(decides(policies), async (decided) => {
        const keeps = (who: KnownPrincipal) =>
          keepsPolicies(who, tx.tenant, { decided, policyIds, actions: actions() });
        if (!(await askedAdmins(tx, caller)).some(keeps)) throw identityProblems.lastAdminPolicy();
      });
    },
    changed: (tenant) => inForce.forget(tenant),
    async dryRun(tenant, { candidate, body, signal }) {
      const { tried, standing, after } = await db(tenant).transaction(async (tx) => ({
        tried: await readTried(tx, body, actions()),
        standing: await readPolicies(tx),
        after: await withCandidate(tx, candidate),
      }));
      return using(decides(standing), (now) =>
        using(decides(after), (would) => dryRun(tenant, tried, { standing: now, tried: would, signal })),
      );
    },
  };
  const rule: AccessRule = async ({ endpoint, principal, tenant, params }) => {
    if (tenant === undefined) return;
    const policies = await inForce.of(tenant);
    if (policies.policies.length === 0) return;
    const action = actions().get(endpoint.id);
    if (action === undefined) throw identityProblems.accessPolicyUnevaluable();
    const { reasons, errors } = policies.decide({ principal, tenant, action, params });
    if (reasons.length + errors.length === 0) return;
    log.info({ action: endpoint.id, reasons, errors }, 'an access policy forbids a call');
    throw reasons.length > 0 ? identityProblems.accessPolicyForbids() : identityProblems.accessPolicyUnevaluable();
  };
  return { kind, rule };
}

/** The policies in force once the candidate is one of them, in the place of what it was before. */
async function withCandidate(tx: TenantTransaction, { policyId, name, document }: Candidate): Promise<StoredPolicy[]> {
  const others = (await readPolicies(tx)).filter((policy) => policy.policyId !== policyId);
  return [...others, { policyId, name, document: document as AccessDocumentBody }];
}

/** Of whom one must keep the policies: whoever changes them, or, when that is no person, the admins who are known. */
async function askedAdmins(tx: TenantTransaction, caller: KnownPrincipal): Promise<KnownPrincipal[]> {
  if (caller.kind === 'user') return [caller];
  const admins = await knownAdmins(tx);
  return admins.length > 0 ? admins : [someAdmin(tx.tenant.alias)];
}

function tenantFaults({ bindings = [] }: AccessDocumentBody, { alias }: Tenant): FieldFault[] {
  return bindings.flatMap(({ grant: { tenants } }, n) =>
    Array.isArray(tenants) && tenants.some((other) => other !== alias)
      ? [{ pointer: `/document/bindings/${n}/grant/tenants`, code: 'foreign_tenant' }]
      : [],
  );
}

async function using<T>(decided: Decider, work: (decided: Decider) => Promise<T>): Promise<T> {
  try {
    return await work(decided);
  } finally {
    decided.release();
  }
}
