import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cancelRun } from '@weir/plugin-runs/contract';
import t from 'tap';
import { imageMaker, ownWorkspace, runs } from '../../../connectors/runtime/test/container-kit.ts';
import { askEngine, engineSettings, testEngine } from '../../../test/engines/index.ts';
import { keyFile } from '../../../test/key-file.ts';
import { until } from '../../../test/until.ts';
import {
  createSource,
  getInspection,
  getPattern,
  getSource,
  type InspectionView,
  inspectImage,
  registerInspected,
} from '../src/contract.ts';
import { containedPlatform } from './contained-platform.ts';
import { type Api, discovered, ok, refusal } from './platform.ts';
import { tinyConnector } from './tiny-connector.ts';

const text = { type: 'string' };
const NEEDLE = 'PLAIN-Zx-8841-sesame';
const SPEC = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Müller & Söhne Source Spec',
  type: 'object',
  required: ['host', 'api_key'],
  properties: {
    host: text,
    api_key: { ...text, airbyte_secret: true },
    session_token: text,
    token_url: text,
  },
};
const told = (spec: object) => ({ type: 'SPEC', spec });
const whole = told({ connectionSpecification: SPEC, documentationUrl: 'https://docs.example.com/mueller' });

const engine = await testEngine(t, 'rootful');
if (typeof engine === 'string') t.plan(0, engine);
else {
  const folder = await mkdtemp(join(tmpdir(), 'weir-add-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const make = await imageMaker(engine);
  const closed = `${engine.registry}/weir-test/closed`;
  const open = `${engine.registry}/weir-test/open`;
  const platform = await containedPlatform(t, [{}], {
    ...engineSettings(engine, await ownWorkspace(t, engine)),
    WEIR_CONNECTOR_REGISTRIES: open,
    WEIR_CONNECTOR_MAX_IMAGE_MIB: '1',
    WEIR_CHECK_MAX_SECONDS: '20',
    WEIR_CREDENTIAL_KEY_FILE: await keyFile(folder),
  });
  await platform.startWorker();
  const [chief, admin, viewer] = [
    await platform.as('demo', 'platform_admin'),
    await platform.as('demo'),
    await platform.as('demo', 'viewer'),
  ];
  const inspected = async (image: string, more: object = {}, api: Api = chief): Promise<InspectionView> => {
    const { run_id } = ok(await api(inspectImage, { body: { tenant: 'demo', image, ...more } }));
    return until('the end of the inspection', async () => {
      const found = ok(await chief(getInspection, { params: { run_id } }));
      return found.is_terminal ? found : undefined;
    });
  };
  const registered = (run_id: string, body: object = {}, query: object = {}) =>
    chief(registerInspected, { params: { run_id }, body, query });

  t.test('an image becomes a pattern that says its secrets and places, and rows can be had', async (t) => {
    await make('weir-test/source-mueller:2.3.4', [tinyConnector(whole)]);
    const { run_id, found, status, phase } = await inspected('weir-test/source-mueller:2.3.4');
    t.match([status, phase], ['succeeded', 'ended']);
    t.match(found, {
      image: /^weir-test\/source-mueller:2\.3\.4@sha256:[0-9a-f]{64}$/,
      ...{ pattern_id: 'mueller', name: 'Müller & Söhne', docs: 'https://docs.example.com/mueller' },
      credential_fields: ['/api_key'],
      asked_fields: ['/session_token'],
      place_fields: ['/host', '/token_url'],
    });
    const dry = ok(await registered(run_id, {}, { dry_run: true }));
    t.match(dry, { dry_run: true, outcome: 'created', version: '2.3.4', pattern: { image: found?.image, spec: SPEC } });
    t.match(refusal(await viewer(getPattern, { params: { pattern_id: 'mueller' } })), / not_found$/);
    t.match(ok(await registered(run_id)), { outcome: 'created', pattern_id: 'mueller', version: '2.3.4' });
    t.match(ok(await registered(run_id)), { outcome: 'unchanged', version: '2.3.4' });
    const opened = await registered(run_id, { not_credentials: ['/session_token'] });
    t.match(opened, { problem: { code: 'credential_fields_removed', credential_fields: ['/session_token'] } });
    const pattern = ok(await viewer(getPattern, { params: { pattern_id: 'mueller' } }));
    t.match(pattern.credential_fields, ['/api_key', '/session_token']);
    const source_config = { host: 'h', api_key: NEEDLE, session_token: NEEDLE };
    const { source_id } = ok(
      await admin(createSource, { body: { name: 'mueller', pattern_id: 'mueller', source_config } }),
    );
    t.notMatch(JSON.stringify(ok(await viewer(getSource, { params: { source_id } }))), NEEDLE);
    t.match(await discovered(admin, source_id), { status: 'succeeded' });
  });

  t.test('only images of listed registries are pulled, and pinned by the digest of their name', async (t) => {
    const name = await make('weir-test/other:1', [tinyConnector(whole)]);
    for (const place of ['closed', 'open']) await engine.pushImage(name, `weir-test/${place}`);
    t.match(await inspected(`${closed}:latest`), {
      failure: { code: 'connector_registry_closed', hint: /WEIR_CONNECTOR_REGISTRIES/ },
      found: null,
    });
    const { found, run_id } = await inspected(`${open}:latest`);
    t.match(found?.image, new RegExp(`^${open}:latest@sha256:`));
    t.match(ok(await registered(run_id)), { version: '1.0.0', pattern_id: 'open' });
    t.match(refusal(await registered(run_id, { pattern_id: 'mueller' })), / pattern_id_taken$/);
  });

  t.test('a pull of more than an image may take is broken off', async (t) => {
    const ballast =
      randomBytes(4 * 1024 ** 2)
        .toString('base64')
        .match(/.{1,1000}/g) ?? [];
    const lines = ['COPY Dockerfile /ballast', tinyConnector(whole), ...ballast.map((line) => `# ${line}`)];
    const name = await make('weir-test/large:1', lines);
    await engine.pushImage(name, 'weir-test/open/large');
    await askEngine(engine.socketPath, { method: 'DELETE', path: `/images/${name}?force=1` });
    t.match(await inspected(`${open}/large:latest`), { failure: { code: 'connector_image_too_large' }, found: null });
    const { status } = await askEngine(engine.socketPath, { path: `/images/${open}/large:latest/json` });
    t.equal(status, 404, 'nothing of it is kept under its name');
  });

  t.test('what is no source connector is refused by its name, once', async (t) => {
    const bad: readonly (readonly [string, string, string])[] = [
      ['mute', runs('console.log("hello"); process.exitCode = 3'), 'not_a_connector'],
      [
        'destination',
        tinyConnector(told({ connectionSpecification: SPEC, supported_destination_sync_modes: ['append'] })),
        'connector_is_destination',
      ],
      ['list', tinyConnector(told({ connectionSpecification: [1] })), 'connector_spec_invalid'],
      [
        'odd',
        tinyConnector(told({ connectionSpecification: { ...SPEC, required: 'host' } })),
        'connector_spec_invalid',
      ],
    ];
    for (const [name, line, code] of bad) {
      await make(`weir-test/${name}:1`, [line]);
      const { failure, attempt, run_id } = await inspected(`weir-test/${name}:1`);
      t.match({ failure, attempt }, { failure: { code, hint: /\w/ }, attempt: 1 }, name);
      t.match(refusal(await registered(run_id)), / inspection_not_done$/, name);
    }
  });

  t.test('a SPEC that is given takes the place of what the image says, in each of its forms', async (t) => {
    await make('weir-test/mute:1', [runs('0')]);
    for (const spec of [whole, whole.spec, SPEC])
      t.match(await inspected('weir-test/mute:1', { spec }), { found: { credential_fields: ['/api_key'] } });
    const start = (body: object) => chief(inspectImage, { body: { tenant: 'demo', image: 'x/y:1', ...body } });
    t.match(await start({ spec: { type: 'LOG' } }), {
      problem: { code: 'spec_document_invalid', errors: [{ pointer: '/spec', code: 'not_a_spec' }] },
    });
    t.match(refusal(await start({ image: 'UPPER/case:1' })), / image_reference_invalid$/);
    t.match(refusal(await start({ tenant: 'nowhere' })), / not_found$/);
  });

  t.test('who may: nobody by a role in a tenant; one at a time, and it is cancelled as every run', async (t) => {
    const body = { tenant: 'demo', image: 'weir-test/slow:1' };
    for (const api of [admin, viewer]) t.match(refusal(await api(inspectImage, { body })), / forbidden_role$/);
    await make('weir-test/slow:1', [runs('setInterval(() => undefined, 1000)')]);
    const { run_id } = ok(await chief(inspectImage, { body }));
    t.match(refusal(await chief(inspectImage, { body })), / run_already_active$/);
    const at = () => chief(getInspection, { params: { run_id } });
    await until('it is asked', async () => ok(await at()).phase === 'describing' || undefined);
    ok(await admin(cancelRun, { params: { id: run_id } }));
    await until('its end', async () => ok(await at()).status === 'cancelled' || undefined);
  });
}
