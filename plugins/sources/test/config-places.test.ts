import { readFile } from 'node:fs/promises';
import t from 'tap';
import { changedPlaces, configPlaces, placeDigest } from '../src/model/config/config-places.ts';
import { toPattern } from '../src/model/pattern/pattern-file.ts';

const string = { type: 'string' };
const properties = {
  ...{ host: string, databaseUrl: string, ssl_mode: string, report: string, hosted: string },
  ...{ token: { ...string, airbyte_secret: true }, url: { ...string, airbyte_secret: true } },
  servers: { type: 'array', items: string },
  nested: { type: 'object', properties: { base_url: string, name: string } },
};
const config = {
  ...{ host: 'a', databaseUrl: 'b', ssl_mode: 'c', report: 'd', hosted: 'e', token: 'f', url: 'g' },
  ...{ servers: ['h'], nested: { base_url: 'i', name: 'j' } },
};
const pattern = (more: object) => ({ spec: { type: 'object', properties }, namedCredentials: [], ...more });

t.test('a pattern that marks no place → names decide, and no credential is one', async (t) => {
  t.strictSame(Object.keys(configPlaces(config, pattern({}))).sort(), [
    ...['/databaseUrl', '/host', '/nested/base_url', '/servers', '/ssl_mode'],
  ]);
});

t.test('a pattern that marks places → these and what egress names', async (t) => {
  const fields = [
    { path: 'report', place: true },
    { path: '/nested/name', place: true },
    { path: 'host', place: false },
  ];
  t.strictSame(configPlaces(config, pattern({ fields, egress: ['{hosted}:443'] })), {
    ...{ '/report': 'd', '/hosted': 'e', '/nested/name': 'j' },
  });
});

t.test('places that differ → named, whatever the order of members', async (t) => {
  const { host: _host, ...less } = config;
  const other = { ...less, nested: { name: 'x', base_url: 'y' }, report: 'x' };
  t.strictSame(changedPlaces(config, other, pattern({})), ['/host', '/nested/base_url']);
  const turned = Object.fromEntries(Object.entries(config).reverse());
  t.equal(placeDigest(turned, pattern({})), placeDigest(config, pattern({})));
  t.not(placeDigest(other, pattern({})), placeDigest(config, pattern({})));
});

t.test('our connectors → mark where they go', async (t) => {
  const marked = async (name: string, config: object) => {
    const file = new URL(`../../../connectors/${name}/pattern.json`, import.meta.url);
    return Object.keys(configPlaces({ ...config }, toPattern(JSON.parse(await readFile(file, 'utf8')))));
  };
  const postgres = { host: 'h', port: 1, database: 'd', username: 'u', password: 'p', ssl_mode: 'm', ssl_ca: 'c' };
  t.strictSame(await marked('postgres', postgres), ['/host', '/port', '/ssl_mode', '/ssl_ca']);
  t.strictSame(await marked('http', { url: 'u', token: 't', records: 'r', stream: 's' }), ['/url']);
});
