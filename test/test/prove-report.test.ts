import t from 'tap';
import { createLedger } from '../prove/look.ts';
import { MODES, type Place } from '../prove/proof.ts';
import { judge, reportPage } from '../prove/report.ts';
import { canary } from '../prove/search/canary.ts';
import { branchesOf, plantConfig } from '../prove/secrets.ts';

/** Judges a proof of one place with nothing but what a test changes. */
async function judged(change: {
  leak?: boolean;
  control?: boolean;
  allowed?: string;
  faults?: string[];
  notRun?: { mode: 'secret_store'; why: string }[];
}) {
  const ledger = createLedger();
  const place: Place = { name: 'somewhere', about: 'anything', leak: async () => undefined };
  const [secret, control] = [canary('legacy_inline', '/password'), canary('control', place.name)];
  for (const each of [secret, control]) ledger.plant(each);
  const said = [...(change.control === false ? [] : [control.text]), ...(change.leak ? [secret.text] : [])].join(' ');
  await ledger.look(place.name).bytes('a text', said, change.allowed);
  const [started, machine] = [new Date(0), { node: 'v0', cores: 1, kernel: 'none' }];
  return judge({
    ...{ started, ended: started, machine, modes: MODES, ledger, controls: new Map([[place, control]]) },
    ...{ faults: change.faults ?? [], notRun: change.notRun ?? [] },
  });
}

t.test('a finding, a control that was not found, a fault and a mode that was not run are each no proof', async (t) => {
  t.equal((await judged({})).verdict, 'proved');
  t.equal((await judged({ leak: true, allowed: 'its own file' })).verdict, 'proved');
  const leaked = await judged({ leak: true });
  t.match(leaked, { verdict: 'failed', findings: [{ place: 'somewhere', field: '/password', form: 'raw', times: 1 }] });
  t.notMatch(reportPage(leaked), /CNRY-/, 'a report holds no value');
  t.match(await judged({ control: false }), { verdict: 'failed', places: [{ control: 'not found' }] });
  t.equal((await judged({ faults: ['a sync failed'] })).verdict, 'failed');
  t.equal((await judged({ notRun: [{ mode: 'secret_store', why: 'no store' }] })).verdict, 'failed');
});

t.test('canaries stand in credentials of every shape, in every branch, and nowhere else', (t) => {
  const secret = { type: 'string', airbyte_secret: true };
  const spec = {
    type: 'object',
    required: ['host'],
    allOf: [{ properties: { signature: { type: 'string', format: 'password' } } }],
    properties: {
      host: { type: 'string', default: 'h' },
      port: { type: 'integer' },
      listed: { type: 'string' },
      number: { type: 'integer', airbyte_secret: true },
      auth: {
        oneOf: [
          { required: ['kind', 'key'], properties: { kind: { const: 'a' }, key: secret } },
          { required: ['kind', 'user'], properties: { kind: { const: 'b' }, user: { type: 'string' }, token: secret } },
        ],
      },
      headers: { type: 'object', patternProperties: { '^x-': secret } },
      accounts: {
        type: 'array',
        items: { required: ['name'], properties: { name: { type: 'string' }, token: secret } },
      },
    },
  };
  t.equal(branchesOf(spec), 2);
  const plant = (branch: number) => plantConfig(spec, { mode: 'legacy_inline', branch, listed: ['listed'] });
  const same = ['/accounts/0/token', '/headers/x-canary', '/listed', '/number', '/signature'];
  t.same(Object.keys(plant(0).secret).sort(), [...same, '/auth/key'].sort());
  t.same(Object.keys(plant(1).secret).sort(), [...same, '/auth/token'].sort());
  const { visible, whole, canaries } = plant(1);
  t.same(visible, { host: 'h', auth: { kind: 'b', user: 'x' }, headers: {}, accounts: [{ name: 'x' }] });
  t.notMatch(JSON.stringify(visible), /CNRY/);
  for (const { text } of canaries) t.ok(JSON.stringify(whole).includes(text));
  t.end();
});
