import { type AnyRoute, type CallContext, handle, type Kernel, raw } from '@weir/kernel';
import { stringify } from 'yaml';
import { applyPlan, applyProblems, dryRunDocuments, exportDocuments, NDJSON_TYPE, YAML_TYPE } from '../contract.ts';
import { differenceFaults, fingerprintOf, movedSince } from '../model/fingerprint.ts';
import { APPLY_MS, carryOut } from '../service/carry-out.ts';
import { exportService } from '../service/export.ts';
import { type PlannedDocument, planService } from '../service/plan.ts';
import { apiReader } from '../service/reader.ts';
import { resultLines } from '../service/stream-results.ts';

type Sent = {
  readonly docs: readonly unknown[];
  readonly allow_deprecate?: boolean | undefined;
  readonly live_ontology?: boolean | undefined;
};
type Caller = Pick<CallContext, 'tenant' | 'principal' | 'call' | 'signal'>;

/** Every endpoint of the plugin. `now` is the clock of the time that an apply may take. */
export function routes(kernel: Pick<Kernel, 'contributionsFor'>, now: () => number): AnyRoute[] {
  const plan = planService(kernel);
  const exported = exportService(kernel);
  const planned = ({ tenant, principal, call, signal }: Caller, body: Sent) => {
    const { docs, allow_deprecate: allowDeprecate = false, live_ontology: liveOntology = false } = body;
    return plan({ tenant, principal, signal, reader: apiReader(call), docs, allowDeprecate, liveOntology });
  };
  return [
    handle(dryRunDocuments, async ({ body, mediaType, ...caller }) => {
      const { tenant } = caller;
      const found = await planned(caller, body);
      const fingerprint = fingerprintOf(tenant, printedOf(found));
      const results = found.map(({ view }) => view);
      return inForm(mediaType, { fingerprint, summary: summaryOf(found), results });
    }),
    handle(applyPlan, async ({ body, mediaType, ...caller }) => {
      const { tenant, call, log } = caller;
      const { fingerprint, ...sent } = body;
      if (fingerprint === undefined) throw applyProblems.fingerprintMissing();
      const found = await planned(caller, sent);
      const differences = movedSince(fingerprint, tenant, printedOf(found));
      if (differences.length > 0)
        throw applyProblems.planStale({ members: { differences }, errors: differenceFaults(differences) });
      refuseFaulty(found);
      if (mediaType !== NDJSON_TYPE)
        return inForm(mediaType, await carryOut(found, { call, now, within: APPLY_MS.whole }));
      const lines = resultLines(
        (ended) => carryOut(found, { call, now, within: APPLY_MS.lines, ended }),
        (error) => {
          log.error({ err: error }, 'applying a plan broke off');
          return { status: 'stopped', code: 'internal' };
        },
      );
      return raw({ type: NDJSON_TYPE, body: lines });
    }),
    handle(exportDocuments, async ({ tenant, call, query, mediaType }) =>
      inForm(mediaType, await exported({ tenant, reader: apiReader(call), query: query ?? {} })),
    ),
  ];
}

const printedOf = (found: readonly PlannedDocument[]) => found.map(({ printed }) => printed);

function summaryOf(found: readonly PlannedDocument[]) {
  const summary = { create: 0, patch: 0, noop: 0, 'would-409': 0, error: 0 };
  for (const { view } of found) summary[view.action] += 1;
  return summary;
}

/** Throws `plan_refused` where a document has a fault. */
function refuseFaulty(found: readonly PlannedDocument[]): void {
  const results = found.map(({ view }) => view).filter(({ action }) => action === 'error' || action === 'would-409');
  if (results.length > 0) throw applyProblems.planRefused({ members: { results } });
}

const inForm = <T extends object>(mediaType: string, answer: T) =>
  mediaType === YAML_TYPE ? raw({ type: YAML_TYPE, body: stringify(answer, { lineWidth: 0 }) }) : answer;
