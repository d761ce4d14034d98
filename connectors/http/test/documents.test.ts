import { readFile } from 'node:fs/promises';
import { createEgress } from '@weir/egress';
import t from 'tap';
import { loadManifest } from '../src/manifest/load-manifest.ts';
import { maskerOf, secretTexts } from '../src/mask.ts';
import { reportText, testRead } from '../src/test-read.ts';
import { configOf, dataOf, errorOf, manifest, read, retriever, run, serve } from './kit.ts';
import { supportedTable } from './supported-table.ts';

const file = (name: string) => readFile(new URL(`../${name}`, import.meta.url), 'utf8');
const server = await serve();
const { port, url } = server;

t.test('the table of the README is that of the manifests that are taken', async (t) => {
  const plain = (text: string) => text.replace(/ +/g, ' ').replace(/-+/g, '-');
  t.ok(plain(await file('README.md')).includes(plain(supportedTable())), 'the table is written anew');
});

t.test('the pattern of this connector reads a list, or the member of an object, and follows its pages', async (t) => {
  const { manifest: given } = JSON.parse(await file('pattern.json'));
  t.ok(loadManifest(given));
  server.api = ({ query, headers }) => {
    if (headers.authorization !== undefined) return { status: 400 };
    const next = query.has('page') ? {} : { headers: { link: `<${url}/?page=2>; rel="next"` } };
    return { json: [{ id: query.get('page') ?? '1' }], ...next };
  };
  const listed = await read(configOf(url, given), port, { names: ['records'] });
  t.strictSame([dataOf(listed), errorOf(listed)], [[{ id: '1' }, { id: '2' }], undefined]);
  server.api = ({ query, headers }) => {
    if (headers.authorization !== 'Bearer t0ken') return { status: 401 };
    return { json: { items: [{ id: query.get('from') ?? '1' }], next: query.has('from') ? null : `${url}/?from=2` } };
  };
  const config = configOf(url, given, { records: 'items', token: 't0ken', stream: 'people' });
  const named = await read(config, port, { names: ['people'] });
  t.strictSame([dataOf(named), errorOf(named)], [[{ id: '1' }, { id: '2' }], undefined]);
  const { messages } = await run('discover', { config }, [port]);
  t.match(messages[0].catalog.streams, [
    { name: 'people', json_schema: { properties: { id: { type: ['null', 'string'] } } } },
  ]);
});

t.test('a test read shows requests, records and faults, and no secret in any form', async (t) => {
  const secret = 'cnry secret/+"ü';
  const spec = {
    type: 'Spec',
    connection_specification: { oneOf: [{ properties: { key: { airbyte_secret: true } } }] },
  };
  const given = manifest(
    {
      retriever: retriever({
        authenticator: { type: 'BasicHttpAuthenticator', username: 'me', password: "{{ config['key'] }}" },
        request_parameters: { k: "{{ config['key'] }}" },
      }),
    },
    { spec },
  );
  server.api = ({ headers, query }) => ({
    json: { data: Array.from({ length: 12 }, (_, id) => ({ id, echo: `${headers.authorization} ${query.get('k')}` })) },
  });
  const egress = () => createEgress({ allowPrivate: ['127.0.0.0/8'], ports: [port] });
  const { report, text } = await testRead({ manifest: given, config: { url, key: secret } }, egress);
  t.match(report, { stream: 'items', streams: ['items'], requests: [{ method: 'GET', status: 200 }], fault: null });
  t.equal(report.records.length, 10);
  for (const form of [secret, 'cnry', encodeURIComponent(secret), Buffer.from(secret).toString('base64')])
    t.notOk(text.includes(form), form);
  const bad = await testRead({ manifest: { ...given, streams: [{}] }, config: { url, key: secret } }, egress);
  t.match(bad.report.fault, { code: 'manifest_invalid', pointer: '/streams/0' });
  const idle = manifest({ retriever: retriever({ use_cache: true }) });
  const warned = await testRead({ manifest: idle, config: { url, key: secret } }, egress);
  t.match(warned.report.warnings, [{ pointer: /\/use_cache$/, message: /^use_cache does nothing here: / }]);
  t.match(reportText(warned.text), /\nwarnings\n {2}\/streams\/0\S+use_cache: use_cache does nothing/);
  t.strictSame(report.warnings, []);
  const grouped = manifest({ retriever: { ...retriever({}), partition_router: { type: 'GroupingPartitionRouter' } } });
  t.match((await testRead({ manifest: grouped, config: { url } }, egress)).report.fault, {
    ...{
      code: 'manifest_unsupported',
      pointer: /partition_router$/,
      hint: /GroupingPartitionRouter is not interpreted/,
    },
  });
  t.strictSame(secretTexts(spec, { key: 'a', other: 'b', deep: { key: ['c'] } }), ['a', 'c']);
  t.equal(maskerOf(['abcd', 'abc'])('abcd abc'), '**** abc', 'short ones are everywhere');
});
