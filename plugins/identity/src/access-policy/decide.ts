import { authorize } from '@weir/kernel';
import { type KnownPrincipal, rolesIn, type Tenant } from '@weir/kernel/contract';
import type { AccessDocumentBody } from '../contract.ts';
import { narrowed } from './bindings.ts';
import type { Statement } from './cedar/check-text.ts';
import type { Evaluator } from './cedar/evaluator.ts';
import { type Action, actionEntity, callerEntity, resourceEntity } from './cedar/vocabulary.ts';

/** An access policy that is in force, or tried as if it were. */
export interface AccessPolicy {
  name: string;
  document: AccessDocumentBody;
  /** Undefined when its text could not be read any more: then nothing passes. */
  statements: readonly Statement[] | undefined;
}

/** A call as policies see it. */
export interface DecidedCall {
  principal: KnownPrincipal;
  tenant: Tenant;
  action: Action;
  params: Readonly<Record<string, string>>;
}

/** What policies say of a call that table and roles allow; allowed when both lists are empty. */
export interface PolicyVerdict {
  /** What forbids it, as `policy/statement`, or `policy/bindings`. */
  reasons: string[];
  /** What could not be evaluated; that forbids it too. */
  errors: string[];
}

/** A set of access policies, ready to decide. Decisions depend on the call alone. */
export interface Decider {
  readonly policies: readonly AccessPolicy[];
  decide(call: DecidedCall): PolicyVerdict;
  release(): void;
}

/**
 * Each policy may forbid, none can allow. Its bindings narrow what the caller holds, and the table is asked again; its
 * statements see the caller as all bindings together leave it. An admin may always look after policies while one of them
 * cannot be evaluated, so that a fault never locks a tenant out.
 */
export function decider(policies: readonly AccessPolicy[], evaluator: Evaluator): Decider {
  const all = policies.flatMap(({ name, statements = [] }) =>
    statements.map((statement) => ({ ...statement, id: `${name}/${statement.id}` })),
  );
  const broken = policies.filter(({ statements }) => statements === undefined).map(({ name }) => name);
  const set =
    all.length === 0 ? undefined : evaluator.prepare(Object.fromEntries(all.map(({ id, text }) => [id, text])));
  return {
    policies,
    decide(call) {
      const { principal, tenant, action, params } = call;
      const binding = policies.filter(
        ({ document }) =>
          authorize(action.endpoint.access, narrowed(principal, document, tenant), tenant) !== undefined,
      );
      const caller = policies.reduce((left, { document }) => narrowed(left, document, tenant, principal), principal);
      const concerned = all.some(({ actions }) => actions === undefined || actions.some((id) => names(action, id)));
      const { reasons, errors } =
        set === undefined || !concerned
          ? { reasons: [], errors: [] }
          : set.evaluate({
              principal: callerEntity(caller, tenant),
              action: actionEntity(action),
              resource: resourceEntity(action, params, tenant),
            });
      return {
        reasons: [...binding.map(({ name }) => `${name}/bindings`), ...reasons],
        errors: looksAfterPolicies(call) ? [] : [...broken, ...errors],
      };
    },
    release: () => set?.release(),
  };
}

const names = ({ id, groups }: Action, named: string) => id === named || groups.includes(named);

function looksAfterPolicies({ principal, tenant, action }: DecidedCall): boolean {
  return /^policies:/.test(action.groups[1] ?? '') && rolesIn(principal, tenant).includes('admin');
}
