import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import t from 'tap';
import { checkConfig, configFaults } from '../src/model/pattern/check-config.ts';
import { documentOf, parsePattern, storedPattern } from '../src/model/pattern/pattern-file.ts';
import { reportedPages } from '../src/model/pattern/reported-codes.ts';
import { loadPatterns } from '../src/service/pattern/load-patterns.ts';
import { attemptLimits, unlessRaised } from '../src/work/sync/plan/attempt-limits.ts';

const log = pino({ level: 'silent' });
const good = {
  id: 'good',
  version: '1.0.0',
  display: { name: 'Good' },
  image: 'x/good:1.0.0',
  source_name: 'source-good',
  protocol: 'airbyte',
  spec: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    required: ['host'],
    properties: { host: { type: 'string' }, port: { type: 'integer' } },
  },
};

async function deployment(t: { teardown(work: () => unknown): void }, files: Record<string, unknown>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'weir-patterns-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(folder, 'connectors', name), { recursive: true });
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    await writeFile(join(folder, 'connectors', name, 'pattern.json'), text);
  }
  const platform = join(folder, 'platform.json');
  await writeFile(platform, JSON.stringify({ patterns: ['connectors', 'nowhere'] }));
  return platform;
}

t.test('one bad pattern file never hides the good ones, and each is named with its fault', async (t) => {
  const platform = await deployment(t, {
    good,
    broken: '{ no json',
    wider: { ...good, id: 'wider', surprise: true },
    again: { ...good },
    odd: { ...good, id: 'odd', spec: { type: 'object', properties: { host: { type: 'strnig' } } } },
  });
  const { patterns, faults } = loadPatterns(platform, log);
  t.strictSame([...patterns.keys()], ['good']);
  t.equal(faults.length, 5, 'the folder that is not there counts too');
  t.match(faults.find(({ file }) => file.includes('odd'))?.reason, /not a JSON Schema/);
  t.match(faults.find(({ file }) => file.includes('wider'))?.reason, /additional properties: surprise$/);
});

t.test('what a pattern cannot have is refused with its place, and what to do where the place does not say', (t) => {
  const spec = {
    ...good.spec,
    properties: { ...good.spec.properties, key: { type: 'string', airbyte_secret: true } },
  };
  const read = (change: object) => parsePattern(JSON.stringify({ ...good, spec, ...change }));
  const table: [object, RegExp][] = [
    [{ protocol: 'singer' }, /^\/protocol must be airbyte\. .*Singer bridge.*docs\/how-to\/run-a-singer-tap\.md/],
    [{ protocol: 7 }, /^\/protocol must be string$/],
    [{ namespace_rule: 'none' }, /additional properties: namespace_rule$/],
    [{ stream_defaults: { sync_mode: 'incremental' } }, /^\/stream_defaults\/write_mode must be append, merge/],
    [
      { stream_defaults: { sync_mode: 'incremental', write_mode: 'overwrite' } },
      /^\/stream_defaults\/write_mode must be append, merge/,
    ],
    [{ stream_defaults: { sync_mode: 'cdc' } }, /^\/stream_defaults\/sync_mode must be equal to one/],
    [{ stream_defaults: { enabled: true } }, /^\/stream_defaults must NOT .*: enabled$/],
    [{ egress: ['{host}:{part}'] }, /^\/egress\/0 names no member of the specification$/],
    [{ egress: ['x.example:443', '{key}:443'] }, /^\/egress\/1 names a credential$/],
    [{ exclusive: [{ fields: ['part'] }] }, /^\/exclusive\/0 names no member of the specification$/],
    [{ exclusive: [{ fields: ['host'], when: { key: 'x' } }] }, /^\/exclusive\/0 names a credential$/],
  ];
  for (const [change, message] of table) t.throws(() => read(change), { message }, JSON.stringify(change));
  for (const place of ['x', 'x:', ':1', 'x:0', 'x:65536', 'x:08', 'https://x:443', 'x y:1', '-x:1', '{host}', '*:443'])
    t.throws(() => read({ egress: [place] }), { message: /^\/egress\/0 must match pattern/ }, place);
  const places = ['x.example:443', '*.x.example:65535', '10.0.0.1:1', '[fd00::1]:5432', '{host}:{port}', '{host}:443'];
  t.strictSame(read({ egress: places }).egress, places);
  t.end();
});

t.test('what was stored before stream defaults and places had a form is left out, and all else is as it was', (t) => {
  const read = (change: object) => documentOf(storedPattern({ ...good, ...change }));
  const sound = {
    stream_defaults: { sync_mode: 'incremental', write_mode: 'append' },
    egress: ['{host}:443', 'b.x:1'],
  };
  t.strictSame(read(sound), { ...good, ...sound });
  for (const stream_defaults of [null, 'incremental', [], { sync_mode: 'cdc' }, { enabled: true, write_mode: 'merge' }])
    t.strictSame(read({ stream_defaults }), good, JSON.stringify(stream_defaults));
  for (const egress of ['anywhere', { 0: 'a.example:443' }, null]) t.strictSame(read({ egress }), good);
  const egress = ['anywhere', 'a.example:443', `${'x'.repeat(1_000)}:1`, 7, 'b.example', '{host}:1'];
  t.strictSame(read({ egress }).egress, ['a.example:443', '{host}:1']);
  const many = Array.from({ length: 120 }, (_, at) => `h${at}.example:443`);
  t.strictSame(read({ egress: [7, ...many] }).egress, many.slice(0, 100));
  const olden = { protocol: 'singer', namespace_rule: 'none', egress: ['anywhere'], stream_defaults: { mode: 1 } };
  t.strictSame(read(olden), { ...good, protocol: 'singer', namespace_rule: 'none' });
  t.end();
});

t.test(
  'a connector lists its codes beside its pattern; a list that is none leaves the pattern and its codes aside',
  async (t) => {
    const platform = await deployment(t, { good, other: { ...good, id: 'other' }, odd: { ...good, id: 'odd' } });
    const fault = (message: string, more = {}) => ({
      ...{ type: 'config_error', origin: 'config', message, hint: `Mend ${message}.`, ...more },
    });
    const say = (id: string, table: object) =>
      writeFile(join(platform, '..', 'connectors', id, 'faults.json'), JSON.stringify(table));
    await say('good', {
      shared_code: fault('this'),
      same_code: fault('all'),
      own_code: fault('own', { origin: 'source' }),
    });
    await say('other', { shared_code: fault('that'), same_code: fault('all') });
    await say('odd', { 'No Code': fault('none') });
    const { patterns, reported, faults } = loadPatterns(platform, log);
    t.strictSame([...patterns.keys()].sort(), ['good', 'odd', 'other'], 'no pattern is hidden');
    t.match(faults, [{ file: /nowhere|odd/ }, { file: /nowhere|odd/ }]);
    t.match(faults.find(({ file }) => file.includes('odd'))?.reason, /^faults\.json: /);
    const pages = new Map(reportedPages(reported).map((entry) => [entry.code, entry]));
    t.match(pages.get('shared_code'), {
      status: 422,
      detail: 'good: this. other: that.',
      hint: 'good: Mend this. other: Mend that.',
    });
    t.match(pages.get('same_code'), { detail: 'all.', hint: 'Mend all.' });
    t.match(pages.get('own_code'), { status: 502, title: 'Own code', detail: 'own.' });
    t.ok(pages.has('connector_internal_error'), 'and those of the kit');
  },
);

t.test('a pattern asks for no more than one connector may have, and for no less than one needs', (t) => {
  const asking = (resources: object) => parsePattern(JSON.stringify({ ...good, resources }));
  asking({ memory_mib: 16, cpus: 0.01, pids: 4, tmp_mib: 1 });
  asking({ memory_mib: 32_768, cpus: 64, pids: 32_768, tmp_mib: 32_768 });
  for (const [name, values] of Object.entries({
    memory_mib: [4, 32_769, 2 ** 53],
    cpus: [0, 0.001, 65],
    pids: [0, 32_769],
    tmp_mib: [0, 32_769],
  }))
    for (const value of values)
      t.throws(() => asking({ [name]: value }), { message: new RegExp(`^/resources/${name} must be [<>]=`) });
  t.end();
});

t.test('who ran out of memory is given twice as much once, and never more than a pattern may ask for', (t) => {
  const memory = (resources: object, ranOut: boolean) => attemptLimits({ resources }, ranOut).memoryMiB;
  t.strictSame([memory({}, false), memory({}, true)], [undefined, 2_048]);
  t.strictSame([memory({ memory_mib: 512 }, false), memory({ memory_mib: 512 }, true)], [512, 1_024]);
  t.equal(memory({ memory_mib: 20_000 }, true), 32_768);
  const failure = { code: 'connector_out_of_memory', origin: 'platform', retryable: true, detail: '' } as const;
  t.strictSame([unlessRaised(failure, false).retryable, unlessRaised(failure, true).retryable], [true, false]);
  t.equal(unlessRaised({ ...failure, code: 'connector_crashed' }, true).retryable, true);
  t.end();
});

t.test(
  'a pattern tells its credential fields, in whatever branch and by whatever word they are declared',
  async (t) => {
    const secret = { ...good, spec: { oneOf: [{ properties: { key: { type: 'string', airbyte_secret: true } } }] } };
    const named = { ...good, id: 'named', fields: [{ path: 'auth.token', type: 'string', credential: true }] };
    const { patterns } = loadPatterns(await deployment(t, { good: secret, named }), log);
    t.strictSame(
      [...patterns.values()].map(({ id, credentialFields }) => [id, credentialFields]),
      [
        ['good', ['/key']],
        ['named', ['/auth/token']],
      ],
    );
  },
);

t.test('a configuration whose credentials are yet to come is checked for everything else', async (t) => {
  const spec = {
    type: 'object',
    required: ['host', 'password'],
    properties: { host: { type: 'string' }, password: { type: 'password' }, key: { airbyte_secret: true } },
    oneOf: [{ required: ['password'] }, { required: ['key'] }],
  };
  const pattern = loadPatterns(await deployment(t, { good: { ...good, spec } }), log).patterns.get('good');
  if (pattern === undefined) return t.fail('the pattern is there');
  checkConfig(pattern, { host: 'h', password: 'p' });
  checkConfig(pattern, { host: 'h' }, { withoutCredentials: true });
  t.throws(() => checkConfig(pattern, { host: 'h' }), { code: 'source_config_invalid' });
  t.strictSame(configFaults(pattern, {}, { withoutCredentials: true }), [
    { pointer: '/source_config/host', code: 'required', message: 'is required' },
  ]);
});

t.test('a configuration is checked place by place, and no value is echoed', async (t) => {
  const pattern = loadPatterns(await deployment(t, { good }), log).patterns.get('good');
  if (pattern === undefined) return t.fail('the pattern is there');
  checkConfig(pattern, { host: 'h', port: 1 });
  try {
    checkConfig(pattern, { port: 'canary', other: 'canary' });
    t.fail('it is refused');
  } catch (error) {
    t.match(error, {
      code: 'source_config_invalid',
      details: {
        errors: [
          { pointer: '/source_config', code: 'undeclared_field' },
          { pointer: '/source_config/host', code: 'required' },
          { pointer: '/source_config/port', code: 'type' },
        ],
      },
    });
    t.notMatch(JSON.stringify(error), /canary/);
  }
});
