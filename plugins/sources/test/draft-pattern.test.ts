import { parseImageReference } from '@weir/connector-runtime';
import t from 'tap';
import { isAllowedRegistry } from '../src/model/inspection/allowed-registry.ts';
import { idOf, nameOf, nextVersion } from '../src/model/inspection/draft-pattern.ts';
import { foundFields } from '../src/model/inspection/found-fields.ts';
import { patternFaults } from '../src/model/pattern/pattern-faults.ts';
import { readSpecDocument } from '../src/model/pattern/spec-document.ts';

const text = { type: 'string' };
const object = (properties: object) => ({ type: 'object', properties });

t.test('fields named as secrets are asked about, also in branches; what is said about a secret is not', async (t) => {
  const spec = object({
    password: { ...text, airbyte_secret: true },
    clientSecret: text,
    'private-key': text,
    key: text,
    primary_key: text,
    token_url: { ...text, format: 'uri' },
    password_expiry: text,
    token_type: { ...text, enum: ['bearer', 'basic'] },
    secret_size: { type: 'integer' },
    auth: {
      oneOf: [
        object({ auth_type: { const: 'token' }, access_token: { type: ['null', 'string'] } }),
        object({ hostname: text, ssh_tunnel: object({ tunnel_password: text }) }),
      ],
    },
    accounts: { type: 'array', items: object({ api_key: text }) },
    docs: { ...text, format: 'uri' },
  });
  t.strictSame(foundFields(spec), {
    credentials: ['/password'],
    asked: [
      '/accounts/*/api_key',
      '/auth/access_token',
      '/auth/ssh_tunnel/tunnel_password',
      '/clientSecret',
      '/private-key',
    ],
    places: ['/auth/hostname', '/auth/ssh_tunnel', '/docs', '/token_url'],
  });
});

t.test('a registry is allowed by its whole name, with the beginning of a path or without', async (t) => {
  const listed = 'docker.io/airbyte, ghcr.io 127.0.0.1:5000/a/';
  for (const name of ['airbyte/source-faker', 'docker.io/airbyte/x', 'ghcr.io/any/thing', '127.0.0.1:5000/a/b'])
    t.ok(isAllowedRegistry(name, listed), name);
  for (const name of [
    'airbytes/x',
    'nginx',
    'ghcr.io.evil.example/x',
    '127.0.0.1:5001/a/b',
    '127.0.0.1:5000/ab',
    'evil.example/ghcr.io/x',
  ])
    t.notOk(isAllowedRegistry(name, listed), name);
  t.notOk(isAllowedRegistry('airbyte/source-faker', ''), 'none unless the operator lists one');
  t.ok(isAllowedRegistry('nginx', 'docker.io/library'));
});

t.test('id, name and version follow from the image and its title', async (t) => {
  const image = parseImageReference('example.com:5000/airbyte/source-google_ads:4.1.0');
  t.equal(idOf(image), 'google-ads');
  t.equal(idOf(parseImageReference('9lives')), 'c-9lives');
  const named = (title: unknown) => nameOf({ image, document: { spec: { title }, docs: null } });
  t.strictSame(['Müller & Söhne Source Spec', 'Google Ads Spec', 'Source Spec', 7].map(named), [
    ...['Müller & Söhne', 'Google Ads', 'google-ads', 'google-ads'],
  ]);
  const next = (tag: string, standing?: string) => nextVersion({ ...image, tag }, standing);
  t.strictSame(
    [next('4.1.0'), next('latest'), next('4.1.0', '4.0.9'), next('4.1.0', '4.1.0'), next('dev', '0.0.9')],
    [...['4.1.0', '1.0.0', '4.1.0', '4.1.1', '0.0.10']],
  );
});

t.test('a SPEC is understood in each of its forms, or refused by what is wrong with it', async (t) => {
  const spec = object({ host: text });
  const message = { type: 'SPEC', spec: { connectionSpecification: spec, documentationUrl: 'javascript:alert(1)' } };
  for (const given of [message, message.spec, spec]) t.match(readSpecDocument(given), { spec, docs: null });
  const huge = object({ host: { ...text, description: 'x'.repeat(600_000) } });
  const bad = [{}, [], 'spec', null, { connectionSpecification: 'x' }, { type: 'object' }].map(readSpecDocument);
  t.strictSame(new Set(bad), new Set(['not_a_spec']));
  t.equal(readSpecDocument(huge), 'too_large');
  const deep = (depth: number) => JSON.parse(`${'{"not":'.repeat(depth)}{}${'}'.repeat(depth)}`);
  for (const depth of [3_000, 50_000])
    t.match(readSpecDocument(object({ host: deep(depth) })), /^(too_large|not_a_schema)$/);
  t.equal(
    readSpecDocument({ connectionSpecification: spec, supported_destination_sync_modes: ['append'] }),
    'destination',
  );
  t.equal(readSpecDocument(object({ host: { type: 'odd' } })), 'not_a_schema');
});

t.test('a pattern whose spec is a whole SPEC document → refused by its name', async (t) => {
  const spec = object({ host: text });
  const pattern = {
    id: 'x',
    version: '1.0.0',
    display: { name: 'X' },
    image: 'x/y:1',
    source_name: 'x',
    protocol: 'airbyte',
  };
  const faults = (given: Record<string, unknown>) => patternFaults({ ...pattern, spec: given });
  for (const given of [{ connectionSpecification: spec }, { type: 'SPEC', spec: { connectionSpecification: spec } }])
    t.match(faults(given), [{ pointer: '/spec', code: 'whole_spec_document', hint: /connectionSpecification/ }]);
  t.strictSame(faults(object({ connectionSpecification: text })), []);
});
