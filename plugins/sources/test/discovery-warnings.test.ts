import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { until } from '../../../test/until.ts';
import {
  getDiscoveryStatus,
  getSource,
  getSourceReadiness,
  getStreamState,
  refreshSchema,
  startDiscovery,
  updateSource,
} from '../src/contract.ts';
import { attemptScrubbers } from '../src/model/scrub/attempt-scrubbers.ts';
import { absentStreams, undescribedStreams } from '../src/model/stream/discovery-warnings.ts';
import { type Api, discovered, enableAll, filesSource, ok, refusal, streamsOf, synced } from './platform.ts';
import { sharedPlatform } from './shared-platform.ts';

const APPEND = { sync_mode: 'incremental', write_mode: 'append' } as const;
const BAD = 'Ümsätze "2026".q1';

t.test('streams of a source that cannot be described, or are gone', async (t) => {
  const platform = await sharedPlatform(t);
  const api = await platform.as('demo');
  const data = join(platform.folder, 'data');
  await mkdir(data);
  await writeFile(join(data, 'good.csv'), 'id\n1\n2\n');
  await writeFile(join(data, `${BAD}.csv`), 'id\n1\n');
  const { source_id } = await filesSource(api, 'shop', data);
  t.match(await discovered(api, source_id), { status: 'succeeded', warnings: [] });
  await enableAll(api, source_id, APPEND);
  const checks = async () => {
    const { checks } = ok(await api(getSourceReadiness, { params: { source_id } }));
    return new Map(checks.map((check) => [check.check, check]));
  };

  await t.test(
    'a known file is torn → the discovery, readiness and the review name it, and it is not removed',
    async (t) => {
      await writeFile(join(data, `${BAD}.csv`), '\n1\n');
      const found = await looked(api, { source_id, apply: false });
      t.match(found.warnings, [
        { name: BAD, code: 'csv_header_missing', detail: /no header line/, hint: /first line/ },
      ]);
      const body = { workflow_id: found.workflow_id };
      const diff = ok(await api(refreshSchema, { params: { source_id }, body, query: { dry_run: true } }));
      t.match(diff, { removed: [], warnings: [{ name: BAD, code: 'csv_header_missing' }] });
      ok(await api(refreshSchema, { params: { source_id }, body }));
      t.ok((await streamsOf(api, source_id)).has(BAD), 'it stays');
      t.match((await checks()).get('discovery'), {
        ...{ status: 'warning', detail: RegExp(`${BAD} cannot be described: .*no header line`) },
        items: [{ name: BAD, code: 'csv_header_missing' }],
      });
    },
  );

  await t.test('an enabled stream is gone → the discovery says so, and the review removes it', async (t) => {
    await rm(join(data, `${BAD}.csv`));
    const found = await looked(api, { source_id, apply: false });
    t.match(found.warnings, [{ name: BAD, code: 'stream_not_found', detail: /does not have this stream/ }]);
    t.match((await checks()).get('discovery'), { status: 'pass' });
    t.match((await checks()).get('schema_current'), { status: 'warning', items: [{ name: BAD }] });
    const body = { workflow_id: found.workflow_id };
    t.match(ok(await api(refreshSchema, { params: { source_id }, body })), { removed: [{ name: BAD }], warnings: [] });
  });

  await t.test('the state of a stream is read as its sync stored it, by those who may change it', async (t) => {
    const stream_id = (await streamsOf(api, source_id)).get('good')?.stream_id ?? '';
    const params = { source_id, stream_id };
    const dataset_id = platform.bronze('shop__good');
    t.strictSame(ok(await api(getStreamState, { params })), { stream_id, dataset_id, state: null, run_id: null });
    const { run_id } = await synced(api, source_id);
    const state = ok(await api(getStreamState, { params }));
    t.match(state, { dataset_id, run_id, state: String });
    t.match(JSON.parse(state.state ?? ''), { type: 'STREAM' });
    t.equal(refusal(await (await platform.as('demo', 'viewer'))(getStreamState, { params })), '403 forbidden_role');
  });

  await t.test(
    'a changed configuration is tried → the source stays as it is, and the change can then be made',
    async (t) => {
      const before = ok(await api(getSource, { params: { source_id } }));
      const tried = async (path: string) => looked(api, { source_id, source_config: { path } });
      t.match(await tried(join(data, 'nowhere')), { status: 'failed', failure: { code: 'folder_unreadable' } });
      const other = join(platform.folder, 'other');
      await mkdir(other);
      await writeFile(join(other, 'new.csv'), 'a,b\n1,2\n');
      t.match(await tried(other), { status: 'succeeded', source_id: null, streams: [{ name: 'new' }] });
      t.strictSame(ok(await api(getSource, { params: { source_id } })), before);
      t.match((await checks()).get('schema_current'), { status: 'pass' }, 'it counts as no discovery of the source');
      const unfit = await api(startDiscovery, { body: { source_id, source_config: { path: 7 } } });
      t.match(unfit, { problem: { code: 'source_config_invalid', errors: [{ pointer: '/source_config/path' }] } });
      const applied = await api(startDiscovery, { body: { source_id, source_config: {}, apply: true } });
      t.equal(refusal(applied), '400 validation_failed');
      ok(await api(updateSource, { params: { source_id }, body: { source_config: { path: other } } }));
      t.match(await discovered(api, source_id), { status: 'succeeded', streams: [{ name: 'new' }] });
    },
  );
});

/** Starts a discovery and waits for its end. */
async function looked(api: Api, body: object) {
  const { workflow_id } = ok(await api(startDiscovery, { body: body as never }));
  return until('a discovery', async () => {
    const status = ok(await api(getDiscoveryStatus, { params: { workflow_id } }));
    return status.is_terminal ? status : undefined;
  });
}

t.test('what a connector says of streams that it cannot describe → known shapes, masked', async (t) => {
  const secret = 'S3cret-that-nobody-sees';
  const scrubbers = attemptScrubbers([secret]);
  const one = (more: object) => ({ name: 'a', code: 'torn_file', message: 'It is torn', ...more });
  const WRONG = [undefined, null, 7, 'text', {}, [null], [7], [{}], [one({ name: '' })], [one({ name: 'a\u0000' })]];
  for (const said of [...WRONG, [one({ name: secret })]]) t.strictSame(undescribedStreams(said, scrubbers), []);
  t.strictSame(undescribedStreams([one({ namespace: 'a' }), one({ name: 'b', namespace: 'n' })], scrubbers), [
    { name: 'a', namespace: null, code: 'torn_file', detail: 'It is torn.', hint: null },
    { name: 'b', namespace: 'n', code: 'torn_file', detail: 'It is torn.', hint: null },
  ]);
  const [bare] = undescribedStreams([one({ code: 'Not A Code', message: '', hint: `see ${secret}` })], scrubbers);
  t.match(bare, { code: 'stream_undescribed', detail: 'The stream cannot be described.' });
  t.notMatch(JSON.stringify(bare), secret);
  const many = Array.from({ length: 1_000 }, (_, i) => one({ name: `s${i}` }));
  t.equal(undescribedStreams(many, scrubbers).length, 200);
  absent(t);
});

function absent(t: Test): void {
  const known = ['a', 'b', 'c'].map((name) => ({ name }));
  const found = { streams: [{ name: 'a', namespace: null }], warnings: [{ name: 'b', namespace: null }] };
  t.match(absentStreams(known, found), [{ name: 'c', code: 'stream_not_found' }]);
}
