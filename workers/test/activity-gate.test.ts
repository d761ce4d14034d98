import { ApplicationFailure } from '@temporalio/common';
import t from 'tap';
import { activityGate } from '../src/role/activity-gate.ts';

const log = { warn: () => undefined };
const acme = { tenantId: '018f4a6e-0000-7000-8000-000000000001', alias: 'acme', scope: 'acme' };
const input = { tenant_id: acme.tenantId, run_id: 'r' };
const optIn = { id: 'notes', tenancy: 'opt-in', ungated: ['endNote'], inert: ['beat'] } as const;

/** The gate of a plugin, over a switch that the test turns. */
function gated(plugin: Parameters<typeof activityGate>[1] = optIn) {
  const state = { enabled: true, down: false, asked: [] as string[] };
  const gate = activityGate(
    {
      tenants: { byId: async (tenantId) => (tenantId === acme.tenantId ? acme : undefined) },
      tenantPlugins: {
        async isEnabledNow(tenant, id) {
          state.asked.push(`${tenant.alias} ${id}`);
          if (state.down) throw new Error('canary: the address of the database');
          return state.enabled;
        },
      },
      log,
    },
    plugin,
  );
  /** The failure of an activity that is refused; undefined when it may go on. */
  const refusal = async (activity: string, given: unknown) => {
    const error = await gate(activity, given).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (error !== undefined && !(error instanceof ApplicationFailure)) throw error;
    return error;
  };
  return { state, refusal };
}

t.test('an activity is refused for good as soon as its plugin is not enabled for its tenant', async (t) => {
  const { state, refusal } = gated();
  t.equal(await refusal('writeNote', input), undefined);
  state.enabled = false;
  const refused = await refusal('writeNote', input);
  t.match(refused, { type: 'plugin_disabled', nonRetryable: true });
  t.match(refused?.details, [{ code: 'plugin_disabled', origin: 'platform', retryable: false, detail: String }]);
  t.strictSame(state.asked, ['acme notes', 'acme notes'], 'nothing is remembered');
});

t.test('an activity that only ends a run is carried out all the same', async (t) => {
  const { state, refusal } = gated();
  state.enabled = false;
  t.equal(await refusal('endNote', input), undefined);
  t.strictSame(state.asked, []);
});

t.test('a tenant that nobody knows is refused, whatever the plugin', async (t) => {
  for (const plugin of [optIn, { ...optIn, tenancy: 'always' } as const]) {
    const { refusal } = gated(plugin);
    for (const tenant_id of ['018f4a6e-0000-7000-8000-00000000000f', '', 7, null]) {
      t.match(await refusal('writeNote', { tenant_id }), { type: 'tenant_not_allowed', nonRetryable: true });
    }
  }
});

t.test('an activity without a tenant is refused of a plugin that tenants switch, and of no other', async (t) => {
  const always = gated({ ...optIn, tenancy: 'always' });
  for (const given of [undefined, null, 'text', {}]) {
    t.match(await gated().refusal('sweep', given), { type: 'tenant_not_allowed' });
    t.equal(await always.refusal('sweep', given), undefined);
  }
});

t.test('an activity that does no I/O, as its door says by name, needs no tenant, and is gated with one', async (t) => {
  const { state, refusal } = gated();
  t.equal(await refusal('beat', undefined), undefined);
  t.strictSame(state.asked, []);
  state.enabled = false;
  t.match(await refusal('beat', input), { type: 'plugin_disabled' });
  t.match(await refusal('sweep', undefined), { type: 'tenant_not_allowed' });
});

t.test('a gate that cannot be asked fails the attempt, not the run, and tells nothing of why', async (t) => {
  const { state, refusal } = gated();
  state.down = true;
  const refused = await refusal('writeNote', input);
  t.match(refused, { type: 'dependency_unavailable', nonRetryable: false });
  t.notMatch(JSON.stringify([refused?.message, refused?.details, refused?.stack]), /canary/);
});
