import fc from 'fast-check';
import t from 'tap';
import { cases } from '../../../test/lane.ts';
import * as endpoints from '../src/contract.ts';
import { ORDERS, setUp, soundSelects, TYPO } from './kit.ts';

const RUNS = cases(25);
/** Longest sequence of steps. */
const MAX_STEPS = 12;

const SOUND = ['a', 'b', 'c'].map((name) => `select id as ${name} from ${ORDERS}`);
const FAULTY = [`select ${TYPO} from ${ORDERS}`];

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('save'), sql: fc.constantFrom(...SOUND, ...FAULTY) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('hydrate') }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('run') }) },
  fc.record({ kind: fc.constant('restore'), version: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ kind: fc.constantFrom('discard', 'rename') }),
);
type Step = { kind: string; sql?: string; version?: number };

/** What the transform must be: the statement in force, that of a draft, and those that were in force. */
interface Model {
  inForce: string | undefined;
  draft: string | undefined;
  versions: string[];
}

const isFaulty = (sql: string | undefined) => sql?.includes(TYPO) ?? false;

/** Puts a statement in force unless it has a fault; one that is in force already is no version. */
function put(model: Model, sql: string | undefined): boolean {
  if (sql === undefined || isFaulty(sql)) return false;
  if (sql !== model.inForce) model.versions.push(sql);
  model.inForce = sql;
  if (model.draft === sql) model.draft = undefined;
  return true;
}

t.test('any sequence of changes → a run carries out the definition that was hydrated last', async (t) => {
  const { acme, kernel, call, create } = await setUp(t, {}, soundSelects);
  let made = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: MAX_STEPS }), async (steps: Step[]) => {
      made += 1;
      const [first] = SOUND as [string];
      const params = { transform_id: (await create(`t_${made}`, { sql: first })).transform_id };
      const model: Model = { inForce: undefined, draft: first, versions: [] };

      /** The statement that a run carries out, or why it does not start. */
      const ran = async () => {
        const started = await call(endpoints.materializeTransform, { params, query: { queue: true } });
        if (!started.ok) return started.problem.code;
        const run = await call(endpoints.getTransformRun, { params: { run_id: started.body.run_id } });
        await kernel.runs.finish(acme, started.body.run_id, { status: 'succeeded' });
        const artifact_id = (run.ok && run.body.artifact_id) || '';
        const content = await call(endpoints.getArtifactContent, { params: { artifact_id } });
        return content.ok ? content.body.sql : content.problem.code;
      };
      const apply = async ({ kind, sql, version = 0 }: Step): Promise<[unknown, unknown]> => {
        if (kind === 'run') return [await ran(), model.inForce ?? 'transform_not_ready'];
        if (kind === 'hydrate') {
          const { ok } = await call(endpoints.hydrateTransform, { params });
          return [ok, put(model, model.draft ?? model.inForce)];
        }
        if (kind === 'restore') {
          const { ok } = await call(endpoints.restoreTransformVersion, { params: { ...params, version } });
          return [ok, put(model, model.versions[version - 1])];
        }
        if (kind === 'discard') {
          const { ok } = await call(endpoints.discardTransformDraft, { params });
          const isThere = model.inForce !== undefined && model.draft !== undefined;
          if (isThere) model.draft = undefined;
          return [ok, isThere];
        }
        const body = kind === 'save' ? { sql: sql ?? '' } : { name: `t_${made}_renamed` };
        const { ok } = await call(endpoints.changeTransform, { params, body });
        if (kind === 'save') model.draft = sql === model.inForce ? undefined : sql;
        return [ok, true];
      };
      for (const one of steps) {
        const [found, wanted] = await apply(one);
        if (found !== wanted) throw new Error(`${one.kind}: ${String(found)} in place of ${String(wanted)}`);
        const shown = await call(endpoints.getTransform, { params });
        const at = shown.ok ? [shown.body.sql, shown.body.draft?.sql, shown.body.version ?? 0] : shown.problem.code;
        const expected = [
          model.inForce ?? model.draft,
          model.draft,
          model.inForce === undefined ? 0 : model.versions.length,
        ];
        if (JSON.stringify(at) !== JSON.stringify(expected))
          throw new Error(`${one.kind}: ${JSON.stringify(at)} in place of ${JSON.stringify(expected)}`);
      }
      const listed = await call(endpoints.listTransformVersions, { params });
      const kept = listed.ok ? listed.body.items.length : listed.problem.code;
      if (kept !== model.versions.length) throw new Error(`${kept} versions in place of ${model.versions.length}`);
    }),
    { numRuns: RUNS },
  );
  t.ok(made >= RUNS);
});
