import fc from 'fast-check';
import t from 'tap';
import {
  applyUpdates,
  createScanner,
  findSnapshot,
  LakehouseError,
  meetsRequirement,
  type PreparedRewrite,
  planMaintenance,
  prepareRewrite,
  rowsSince,
  sequenceOf,
} from '../src/index.ts';
import { openLake } from './lake.ts';
import {
  attached,
  expected,
  type Model,
  newModel,
  ROWS_EACH,
  samePart,
  scanned,
  stagedIn,
  steps,
  takeStep,
} from './table-model.ts';

const rowsOf = (model: Model) => model.data.reduce((sum, { rows = ROWS_EACH }) => sum + rows, 0);

/** The live files of a model by partition, as bins with one new file each. */
function binsOf({ at: { metadata }, data, deletes }: Model, pick: (at: number) => boolean) {
  const left = [...data];
  const bins: { files: Model['data']; bin: Parameters<typeof prepareRewrite>[0]['bins'][number]; rows: number }[] = [];
  for (let first = left.shift(), at = 0; first !== undefined; first = left.shift(), at += 1) {
    const found = first;
    const files = [found, ...left.filter((one) => samePart(metadata, one, found))];
    for (const one of files) if (left.includes(one)) left.splice(left.indexOf(one), 1);
    if (!pick(at)) continue;
    const deletedRows = deletes.filter(({ about }) => files.some(({ location }) => location === about)).length;
    const rows = files.reduce((sum, one) => sum + (one.rows ?? ROWS_EACH), 0) - deletedRows;
    const spec = { ...metadata, 'default-spec-id': found.specId };
    const placed = { ...stagedIn(spec, found.part, { record_count: String(rows) }), spec_id: found.specId };
    const removed = files.map(({ location }) => location.replace('file:///', 'file:/'));
    bins.push({ files, rows, bin: { removed, files: [placed], deletedRows: BigInt(deletedRows) } });
  }
  return bins;
}

t.test(
  'a rewrite after any history and any commits since → the bins that nothing touched, and the same rows',
  async (t) => {
    const lake = await openLake();
    t.teardown(() => lake.close());
    const { io } = lake;
    let made = 0;
    let [rewritten, left] = [0, 0];
    const races = steps.map((all) => all.slice(0, 3));
    const property = fc.asyncProperty(steps, races, fc.nat({ max: 3 }), async (history, since, every) => {
      let model = await newModel(io, `file://${lake.root}/rewritten-${made++}`);
      for (const step of history) model = (await takeStep(io, model, step)).next;
      const readAt = sequenceOf(model.at.metadata);
      const planned = binsOf(model, (at) => at % 4 !== every);
      for (const step of since) model = (await takeStep(io, model, step)).next;
      const { metadata } = model.at;
      const commit: PreparedRewrite = await prepareRewrite({
        io,
        ...model.at,
        bins: planned.map(({ bin }) => bin),
        readAt,
      });
      const isKept = ({ files }: (typeof planned)[number]) =>
        files.every(
          (one) =>
            model.data.includes(one) &&
            !model.deletes.some((gone) => gone.about === one.location && gone.sequence > readAt),
        );
      t.strictSame(
        commit.dropped,
        planned.flatMap((one, at) => (isKept(one) ? [] : [at])),
      );
      const kept = planned.filter(isKept);
      const gone = kept.flatMap(({ files }) => files);
      const data = [
        ...model.data.filter((one) => !gone.includes(one)),
        ...kept.map(({ files: [first], bin, rows }) => ({
          location: bin.files[0]!.location,
          ...{ specId: first!.specId, part: first!.part, sequence: readAt, rows },
        })),
      ];
      const at = { metadata: commit.metadata, metadataLocation: commit.newMetadataLocation };
      const after: Model = { at, data, deletes: attached(data, model.deletes) };
      t.ok(commit.requirements.every((one) => meetsRequirement(metadata, one)));
      const { 'metadata-log': _log, 'last-updated-ms': _u, ...applied } = applyUpdates(metadata, commit.updates);
      const { 'metadata-log': _newLog, 'last-updated-ms': _newU, ...said } = commit.metadata;
      t.strictSame(applied, said);
      const byFile = (files: readonly string[]) => files.map((one) => one.split(' ').slice(0, 3).join(' '));
      t.strictSame(byFile(await scanned(io, commit.metadata)), byFile(expected(after)));
      [rewritten, left] = [rewritten + kept.length, left + planned.length - kept.length];
      if (kept.length === 0) {
        const isTidied = planned.length === 0 && findSnapshot(metadata) !== undefined;
        t.equal(commit.snapshotId !== undefined, isTidied);
        return;
      }
      const { summary } = findSnapshot(commit.metadata)!;
      t.match(summary, {
        operation: 'replace',
        'total-data-files': String(data.length),
        'total-records': String(rowsOf(after)),
      });
      const from = String(findSnapshot(metadata)!['snapshot-id']);
      const to = String(commit.snapshotId);
      const isRead = findSnapshot(metadata)!['schema-id'] === metadata['current-schema-id'];
      const changed = await rowsSince(createScanner({ io }), commit.metadata, { from, to });
      if (isRead) t.strictSame(changed, { kind: 'none' });
    });
    await fc.assert(property, { numRuns: 80 });
    t.ok(rewritten > 20 && left > 5, `${rewritten} bins rewritten, ${left} dropped`);
  },
);

t.test('counts that do not match → rewrite_changed_rows, and nothing is written', async (t) => {
  const lake = await openLake();
  t.teardown(() => lake.close());
  const { io } = lake;
  let model = await newModel(io, `file://${lake.root}/counted`);
  model = (await takeStep(io, model, { step: 'append', parts: [0, 0] })).next;
  const [{ bin }] = binsOf(model, () => true) as [ReturnType<typeof binsOf>[number]];
  const input = { io, ...model.at, readAt: sequenceOf(model.at.metadata) };
  for (const deletedRows of [1n, -1n]) {
    const error = await prepareRewrite({ ...input, bins: [{ ...bin, deletedRows }] }).catch((one) => one);
    t.ok(error instanceof LakehouseError && error.code === 'rewrite_changed_rows');
  }
  t.strictSame(await scanned(io, model.at.metadata), expected(model));
});

t.test('no bins → small manifests become one, with every file and number that they had', async (t) => {
  const lake = await openLake();
  t.teardown(() => lake.close());
  const { io } = lake;
  let model = await newModel(io, `file://${lake.root}/manifests`);
  for (let at = 0; at < 2; at += 1) model = (await takeStep(io, model, { step: 'append', parts: [0] })).next;
  const commit = await prepareRewrite({ io, ...model.at, bins: [], readAt: sequenceOf(model.at.metadata) });
  const scanner = createScanner({ io });
  t.ok((await scanner.manifests(model.at.metadata)).length > 1);
  t.equal((await scanner.manifests(commit.metadata)).length, 1);
  t.strictSame(await scanned(io, commit.metadata), expected(model));
});

t.test('any history, planned and rewritten until nothing is due → it ends, and each plan says why', async (t) => {
  const lake = await openLake();
  t.teardown(() => lake.close());
  const { io } = lake;
  let made = 0;
  const property = fc.asyncProperty(
    fc.array(
      fc.record({ step: fc.constant('append' as const), parts: fc.array(fc.nat({ max: 2 }), { maxLength: 12 }) }),
      { maxLength: 8 },
    ),
    fc.nat({ max: 2 }),
    async (history, kind) => {
      let model = await newModel(io, `file://${lake.root}/planned-${made++}`);
      model = (await takeStep(io, model, { step: 'spec', kind })).next;
      for (const step of history) model = (await takeStep(io, model, step)).next;
      let { metadata, metadataLocation } = model.at;
      const scanner = createScanner({ io });
      const rule = {
        now: Date.now() + 3_600_000,
        targetBytes: 128 * 2 ** 20,
        keepSince: undefined,
        keepAtLeast: 1,
        held: new Set<string>(),
        lost: new Set<string>(),
      };
      for (let round = 0; ; round += 1) {
        const files = await scanner.files(metadata);
        const plan = planMaintenance({ metadata, files, manifests: await scanner.manifests(metadata) }, rule);
        t.equal(plan.reasons.length > 0, plan.compact.length > 0 || plan.manifests);
        const byPart = Map.groupBy(files, ({ partitionKey }) => partitionKey);
        t.equal(plan.compact.length, [...byPart.values()].filter((one) => one.length >= 5).length);
        if (plan.compact.length === 0) break;
        t.ok(round < 2);
        const bins = plan.compact.map(({ files: of }) => {
          const rows = of.reduce((sum, one) => sum + one.recordCount, 0n);
          const file = {
            ...stagedIn(metadata, 0, { record_count: String(rows) }),
            spec_id: of[0]!.specId,
            partition: Object.fromEntries(
              Object.entries(of[0]!.partition).map(([id, value]) => [id, value?.toString('base64') ?? null]),
            ),
          };
          return { removed: of.map(({ location }) => location), files: [file], deletedRows: 0n };
        });
        const commit = await prepareRewrite({ io, metadata, metadataLocation, bins, readAt: sequenceOf(metadata) });
        t.strictSame(commit.dropped, []);
        ({ metadata } = commit);
        metadataLocation = commit.newMetadataLocation;
      }
    },
  );
  await fc.assert(property, { numRuns: 25 });
});
