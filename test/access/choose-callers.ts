import { idsAt } from '../deployed-examples.ts';
import type { Ids } from '../examples.ts';
import { inLane } from '../lane.ts';
import type { MatrixCaller } from './callers.ts';
import { decideAt } from './decision.ts';
import type { MatrixRoute } from './matrix-platform.ts';

/** A caller of a route, and which ids they name there. */
export interface Chosen {
  caller: MatrixCaller;
  /** Whether they name ids of another tenant and malformed ones, too. */
  isCurious: boolean;
}

/** The decisions after which a foreign id is tried too: whoever is let in, and whoever lacks the role. */
const CURIOUS_AT: ReadonlySet<string> = new Set(['allowed', '403 forbidden_role']);

/** Clients that a changing route has to refuse without a capability: each is asked there. */
const CLIENTS: ReadonlySet<string> = new Set([
  ...['delegation of a admin', 'delegation without capabilities', 'service robot', 'service idler'],
]);

/**
 * Chooses the callers of each route: all who are curious in the lane. Otherwise everybody asks the first route of each
 * sort of access, and at any other route one caller asks for each decision, by turns.
 */
export function chooseCallers(callers: readonly MatrixCaller[], own: Ids): (route: MatrixRoute) => readonly Chosen[] {
  return inLane('matrix-all') ? everybody(callers) : byTurns(callers, own);
}

function everybody(callers: readonly MatrixCaller[]) {
  const seen = new Set<string>();
  return ({ access }: MatrixRoute): readonly Chosen[] => {
    const isFirst = !seen.has(JSON.stringify(access));
    seen.add(JSON.stringify(access));
    const chosen = callers.map((caller) => ({ caller, isCurious: caller.curious }));
    return chosen.filter(({ isCurious }) => isCurious || isFirst);
  };
}

function byTurns(callers: readonly MatrixCaller[], own: Ids) {
  const turns = new Map<string, number>();
  return (route: MatrixRoute): readonly Chosen[] => {
    const { access, label } = route;
    // Everything that a decision looks at, except for the words of permission and capability.
    const sort = JSON.stringify({ ...access, permission: '', capability: 'capability' in access });
    const turn = turns.get(sort) ?? 0;
    turns.set(sort, turn + 1);
    const byDecision = Map.groupBy(callers, ({ facts }) => decideAt(route, facts, idsAt(label, own)));
    const chosen = [...byDecision].map(([decision, group]) => {
      const caller = group[turn % group.length] as MatrixCaller;
      return { caller, isCurious: CURIOUS_AT.has(decision) };
    });
    const admin = callers.find(({ name }) => name === 'admin');
    if (admin !== undefined && chosen.every(({ caller }) => caller !== admin))
      chosen.push({ caller: admin, isCurious: true });
    if (route.method !== 'GET')
      for (const [decision, group] of byDecision)
        for (const caller of group.filter(({ name }) => CLIENTS.has(name)))
          if (decision !== 'allowed' && chosen.every((one) => one.caller !== caller))
            chosen.push({ caller, isCurious: false });
    const missing = turn > 0 ? [] : callers.filter((one) => chosen.every(({ caller }) => caller !== one));
    return [...chosen, ...missing.map((caller) => ({ caller, isCurious: false }))];
  };
}
