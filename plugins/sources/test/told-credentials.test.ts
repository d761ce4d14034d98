import { listAudit } from '@weir/plugin-platform/contract';
import t from 'tap';
import { imageMaker, ownWorkspace, runs } from '../../../connectors/runtime/test/container-kit.ts';
import { engineSettings, testEngine } from '../../../test/engines/index.ts';
import { createSource, getSource, listSources, readRunLogs } from '../src/contract.ts';
import { containedPlatform } from './contained-platform.ts';
import { discovered, ok } from './platform.ts';

const NEEDLES = ['PLAIN-Zx-8841-sesame', 'PLAIN-Qy-1177-token'];
const CONFIG = { host: 'h', password: NEEDLES[0], auth: { token: NEEDLES[1] } };
const text = { type: 'string' };
const specOf = (held: object) => ({
  type: 'object',
  properties: { host: text, password: held, auth: { type: 'object', properties: { token: held } } },
});

/** A connector that tells such a specification, and says whatever it is given. */
function connector(spec: object): string {
  const answers = {
    spec: { type: 'SPEC', spec: { connectionSpecification: spec } },
    check: { type: 'CONNECTION_STATUS', connectionStatus: { status: 'SUCCEEDED' } },
    discover: {
      type: 'CATALOG',
      catalog: { streams: [{ name: 'rows', json_schema: { type: 'object' }, supported_sync_modes: ['full_refresh'] }] },
    },
  };
  return runs(`const [, verb, , file] = process.argv;
if (file) console.error([...require('fs').readFileSync(file, 'utf8')].join('.'));
console.log(JSON.stringify((${JSON.stringify(answers)})[verb]));`);
}

const engine = await testEngine(t, 'rootful');
if (typeof engine === 'string') t.plan(0, engine);
else {
  t.test('what the image calls credentials and its pattern does not', async (t) => {
    const make = await imageMaker(engine);
    const frank = connector(specOf({ ...text, airbyte_secret: true }));
    await make('weir-test/frank:1', [frank]);
    await make('weir-test/turns:1', [connector(specOf(text))]);
    const patterns = ['frank', 'turns'].map((id) => ({
      ...{ id, fast_path: [], image: `weir-test/${id}:1` },
      spec: { ...specOf(text), additionalProperties: false },
    }));
    const platform = await containedPlatform(t, patterns, engineSettings(engine, await ownWorkspace(t, engine)));
    await platform.startWorker();
    const [api, viewer] = [await platform.as('demo'), await platform.as('demo', 'viewer')];
    const made = async (pattern_id: string) =>
      ok(await api(createSource, { body: { name: pattern_id, pattern_id, source_config: CONFIG } })).source_id;
    const refused = async (source_id: string) => {
      const { run_id, failure } = await discovered(api, source_id);
      t.match(failure, { code: 'credential_fields_undeclared', origin: 'config', detail: /\/auth\/token, \/password/ });
      const seen = [
        failure,
        ok(await viewer(getSource, { params: { source_id } })),
        ok(await viewer(listSources, {})).items.find((one) => one.source_id === source_id),
        ok(await viewer(readRunLogs, { params: { source_id, run_id } })).items,
        ok(await api(listAudit, {})).items,
      ];
      for (const needle of NEEDLES) for (const one of seen) t.notOk(JSON.stringify(one).includes(needle), needle);
      // Shown with a sign between any two, the values would not be masked: the connector has not been given them.
      t.notMatch(JSON.stringify(seen), 'P.L.A.I.N');
    };

    await t.test('→ refused before the connector is given the configuration, and not shown any more', async () => {
      await refused(await made('frank'));
    });
    await t.test('→ the same once the image behind its name has changed', async (t) => {
      const source_id = await made('turns');
      t.match(await discovered(api, source_id), { status: 'succeeded' });
      await make('weir-test/turns:1', [frank]);
      await refused(source_id);
    });
  });
}
