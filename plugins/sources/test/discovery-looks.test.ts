import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { until } from '../../../test/until.ts';
import { getDiscoveryStatus, readDiscoveryLooks, startDiscovery } from '../src/contract.ts';
import { shownLooks } from '../src/model/discovery/shown-looks.ts';
import { filesSource, ok, refusal } from './platform.ts';
import { sharedPlatform } from './shared-platform.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const LOOK = {
  ...{ name: 's', records: 1, is_whole: true, rejected: 0, columns: ['a'], rows: [['x']] },
  files: [{ name: 's.csv', format: 'csv' }],
  notes: [
    { kind: 'kept_as_text', column: 'a', count: 1, places: [{ file: 's.csv', line: 2, text: 'a pass-word-12345' }] },
  ],
};

t.test('what a connector shows → its credentials masked, and nothing of another shape', async (t) => {
  const mask = (text: string) => text.replaceAll('pass-word-12345', '***');
  const [look] = shownLooks([LOOK], mask);
  t.match(look, { notes: [{ column: 'a', reason: null, fits: null, places: [{ line: 2, text: 'a ***' }] }] });
  t.strictSame(look?.files, [{ name: 's.csv', format: 'csv', encoding: null, delimiter: null, header_line: null }]);
  for (const said of [undefined, {}, [null], [{}], [{ ...LOOK, rows: [[1]] }], [{ ...LOOK, notes: [{}] }]]) {
    t.strictSame(shownLooks(said, mask), [], JSON.stringify(said));
  }
  const [odd] = shownLooks([{ ...LOOK, rows: [['\0 \ud800']] }], mask);
  t.strictSame(odd?.rows, [['\ufffd \ufffd']], 'the database keeps it');
  t.equal(shownLooks(Array(60).fill(LOOK), mask).length, 50);
});

t.test('a configuration that is no source yet → its first rows for a day, for those who may make it', async (t) => {
  const platform = await sharedPlatform(t);
  const api = await platform.as('demo');
  const data = join(platform.folder, 'looks');
  await mkdir(data);
  await writeFile(join(data, 'Müller & Söhne.csv'), 'id,amount\n1,2.50\n2,n/a\n3,3.50\n');
  const looked = async (body: object) => {
    const { workflow_id } = ok(await api(startDiscovery, { body }));
    const params = { workflow_id };
    await until('the discovery ends', async () => ok(await api(getDiscoveryStatus, { params })).is_terminal);
    return params;
  };
  const params = await looked({ pattern_id: 'files', source_config: { path: data } });
  const { streams, expires_at } = ok(await api(readDiscoveryLooks, { params }));
  t.match(streams, [
    {
      ...{ name: 'Müller & Söhne', records: 3, rejected: 0, columns: ['id', 'amount'] },
      rows: [
        ['1', '2.50'],
        ['2', 'n/a'],
        ['3', '3.50'],
      ],
      notes: [{ kind: 'kept_as_text', column: 'amount', places: [{ line: 3, text: 'n/a' }] }],
    },
  ]);
  const { created_at } = ok(await api(getDiscoveryStatus, { params }));
  t.ok(Date.parse(expires_at ?? '') >= Date.parse(created_at) + DAY_MS);

  const { source_id } = await filesSource(api, 'looked', data);
  const ofSource = await looked({ source_id });
  t.strictSame(ok(await api(readDiscoveryLooks, { params: ofSource })), { streams: [], expires_at: null });

  t.equal(refusal(await (await platform.as('other'))(readDiscoveryLooks, { params })), '404 not_found');
});
