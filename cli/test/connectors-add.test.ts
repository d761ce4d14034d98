import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import t from 'tap';
import { imageMaker, ownWorkspace } from '../../connectors/runtime/test/container-kit.ts';
import { containedPlatform } from '../../plugins/sources/test/contained-platform.ts';
import { tinyConnector } from '../../plugins/sources/test/tiny-connector.ts';
import { engineSettings, testEngine } from '../../test/engines/index.ts';
import { commandLine } from './command-line.ts';
import { fakeApi } from './fake-api.ts';
import { IDS } from './shapes.ts';

const text = { type: 'string' };
const connectionSpecification = {
  ...{ title: 'Müller & Söhne Source Spec', type: 'object', required: ['host'] },
  properties: { host: text, session_token: text },
};
const SPEC = { type: 'SPEC', spec: { connectionSpecification } };
const NAME = 'weir-test/source-mueller-cli:4.0.1';

t.test('without an engine the command says what a laptop with Docker needs, in two lines', async (t) => {
  const { runId } = IDS;
  const failure = {
    code: 'connector_engine_absent',
    origin: 'config',
    retryable: false,
    detail: 'No engine.',
    hint: 'Look.',
  };
  const ended = {
    run_id: runId,
    status: 'failed',
    is_terminal: true,
    phase: 'ended',
    pull: null,
    found: null,
    failure,
  };
  const api = await fakeApi(t, {
    'POST /api/v1/patterns/inspections': { status: 202, body: { run_id: runId, workflow_id: 'w', warning: null } },
    [`GET /api/v1/patterns/inspections/${runId}`]: { status: 200, body: ended },
  });
  const { weir } = commandLine(t);
  const ran = await weir(['connectors', 'add', 'x/y:1', '--url', api.url, '--tenant', 'demo']);
  t.equal(ran.code, 1);
  const lines = ran.stderr.split('\n').filter((line) => line.startsWith('  '));
  t.match(lines, [/^ {2}sudo install -d .* \/var\/lib\/weir-connectors$/, /^ {2}SOURCE_SOCKET_DIR=.* npm start$/]);
  t.match(ran.stderr, /connector_engine_absent/);
});

const engine = await testEngine(t, 'rootful');
if (typeof engine === 'string') t.comment(engine);
else
  t.test('an image becomes a pattern, a source and rows by commands alone', async (t) => {
    const make = await imageMaker(engine);
    await make(NAME, [tinyConnector(SPEC)]);
    const platform = await containedPlatform(t, [{}], engineSettings(engine, await ownWorkspace(t, engine)));
    await platform.startWorker();
    const { weir: run, home } = commandLine(t);
    const env = {
      ...{ WEIR_URL: platform.url, WEIR_TENANT: 'demo' },
      WEIR_TOKEN: await platform.token('demo', 'admin', 'platform_admin'),
    };
    const weir = (...words: string[]) => run(words, { env });
    const open = ['--not-credential', '/session_token'];

    const dry = await weir('connectors', 'add', NAME, '--dry-run');
    t.match(dry, { code: 0, stderr: /! \/session_token is named like a secret.*--not-credential/s });
    t.match(JSON.parse(dry.stdout), {
      ...{ id: 'mueller-cli', version: '4.0.1', display: { name: 'Müller & Söhne' } },
      fields: [
        { path: '/session_token', credential: true },
        { path: '/host', place: true },
      ],
    });
    t.match(await weir('patterns', 'get', 'mueller-cli'), { code: 4 }, 'a dry run registers nothing');

    const added = await weir('connectors', 'add', NAME, ...open, '--id', 'mueller', '-o', 'json');
    t.match(added, { code: 0, stderr: /places.*: \/host/ });
    t.match(JSON.parse(added.stdout), {
      pattern_id: 'mueller',
      outcome: 'created',
      image: /^weir-test.*:4\.0\.1@sha256:/,
    });
    for (const words of [
      ['sources', 'create', '--pattern', 'mueller', '--name', 'sons', '--set', 'host=h', '--discover', '-w'],
      ['sources', 'streams', 'set', 'sons', 'rows', '--enable'],
      ['sources', 'sync', 'sons', '-w'],
    ])
      t.match(await weir(...words), { code: 0 }, words.join(' '));
    t.match(JSON.parse((await weir('sources', 'history', 'sons', '-o', 'json')).stdout), {
      items: [{ status: 'succeeded', rows_written: 2 }],
    });

    await writeFile(path.join(home, 'spec.json'), JSON.stringify(SPEC));
    const given = await weir('connectors', 'add', NAME, '--spec', path.join(home, 'spec.json'), '--dry-run', ...open);
    t.match(JSON.parse(given.stdout), { spec: connectionSpecification });
    await writeFile(path.join(home, 'bad.json'), '{"type":"LOG"}');
    t.match(await weir('connectors', 'add', NAME, '--spec', path.join(home, 'bad.json')), {
      ...{ code: 6, stderr: /spec_document_invalid/ },
    });
  });
