import { type Cedar, loadCedar } from './load-cedar.ts';
import type { EntityJson } from './vocabulary.ts';

/** What the platform has allowed already: statements of policies only forbid. */
const BASE = { platform: 'permit (principal, action, resource);' };

/** The three sides of one call. */
export interface CedarCall {
  principal: EntityJson;
  action: EntityJson;
  resource: EntityJson;
}

/** Which statements forbid a call, and which could not be evaluated for it. */
export interface Forbidding {
  reasons: string[];
  errors: string[];
}

/** Statements that are parsed once. */
export interface StatementSet {
  evaluate(call: CedarCall): Forbidding;
  /** Gives its place back; whoever still asks it is answered as before. */
  release(): void;
}

/** Keeps sets of statements, by name, in one instance of Cedar. */
export interface Evaluator {
  prepare(statements: Readonly<Record<string, string>>): StatementSet;
}

/**
 * Places of released sets are used again, as Cedar has no way to drop one. When a call breaks the instance, that call has
 * every statement as its error, and sets are parsed anew in another instance.
 */
export function cedarEvaluator(): Evaluator {
  let instance: { cedar: Cedar } | undefined;
  const free: string[] = [];
  let places = 0;
  const take = () => free.pop() ?? `set${places++}`;
  return {
    prepare(statements) {
      let place: string | undefined = take();
      let preparedIn: object | undefined;
      const release = () => {
        if (place !== undefined) free.push(place);
        place = preparedIn = undefined;
      };
      const prepared = (at: string): Cedar => {
        instance ??= { cedar: loadCedar() };
        if (preparedIn === instance) return instance.cedar;
        const parsed = instance.cedar.preparsePolicySet(at, { staticPolicies: { ...statements, ...BASE } });
        if (parsed.type === 'failure') throw new Error('statements that were accepted cannot be parsed any more');
        preparedIn = instance;
        return instance.cedar;
      };
      const evaluate = ({ principal, action, resource }: CedarCall, at: string): Forbidding => {
        const answer = prepared(at).statefulIsAuthorized({
          ...{ principal: principal.uid, action: action.uid, resource: resource.uid, context: {} },
          ...{ preparsedPolicySetId: at, entities: [principal, action, resource] },
        });
        if (answer.type === 'failure') return { reasons: [], errors: Object.keys(statements) };
        const { decision, diagnostics } = answer.response;
        const errors = diagnostics.errors.map(({ policyId }) => policyId);
        return { reasons: decision === 'deny' ? diagnostics.reason : [], errors };
      };
      return {
        release,
        evaluate(call) {
          const released = place === undefined;
          place ??= take();
          try {
            return evaluate(call, place);
          } catch {
            instance = undefined;
            return { reasons: [], errors: Object.keys(statements) };
          } finally {
            if (released) release();
          }
        },
      };
    },
  };
}
