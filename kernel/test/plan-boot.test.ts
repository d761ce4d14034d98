import fc from 'fast-check';
import t from 'tap';
import { planBoot } from '../src/boot/plan-boot.ts';
import type { Manifest } from '../src/plugins/manifest.ts';

const manifest = (id: string, more: Partial<Manifest> = {}): Manifest => ({
  id,
  packageName: `@x/${id}`,
  version: '1.0.0',
  kernel: '^1.0.0',
  tenancy: 'always',
  prefixes: [`/${id}`],
  ...more,
});

t.test('plugins are ordered so that every service exists before it is asked for', async (t) => {
  const plan = planBoot(
    [
      manifest('sources', { requires: ['datasets.tables@1'] }),
      manifest('datasets', { provides: ['datasets.tables@1'] }),
    ],
    '1.2.0',
  );
  t.match(plan, { ok: true, order: [{ id: 'datasets' }, { id: 'sources' }] });
});

t.test('all faults come at once and each names both sides', async (t) => {
  const plan = planBoot(
    [
      manifest('old', { kernel: '^2.0.0' }),
      manifest('a', { requires: ['b.things@1'], provides: ['a.things@1'], prefixes: ['/same'] }),
      manifest('b', { requires: ['a.things@1'], provides: ['b.things@1'], prefixes: ['/same'] }),
      manifest('lonely', { requires: ['nobody.things@1', 'a.things@2'] }),
    ],
    '1.2.0',
  );
  t.strictSame(plan, {
    ok: false,
    faults: [
      'plugin old 1.0.0 needs kernel ^2.0.0, this kernel is 1.2.0',
      'prefix /same is claimed by both @x/a and @x/b',
      'plugin lonely requires service nobody.things@1, but no plugin provides it',
      'plugin lonely requires service a.things@2, but only a.things@1 is provided',
      'plugins require each other in a circle: a -> b',
    ],
  });
});

t.test('a plan that is accepted never puts a plugin before what it requires', async (t) => {
  const graph = fc.array(fc.array(fc.nat(7), { maxLength: 3 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(graph, (edges) => {
      const manifests = edges.map((needs, at) =>
        manifest(`p${at}`, {
          provides: [`p${at}.s@1`],
          requires: [...new Set(needs)].filter((to) => to < edges.length && to !== at).map((to) => `p${to}.s@1`),
        }),
      );
      const plan = planBoot(manifests, '1.0.0');
      if (!plan.ok) return plan.faults.some((fault) => fault.includes('circle'));
      const position = new Map(plan.order.map((entry, at) => [entry.id, at]));
      return plan.order.every((entry) =>
        (entry.requires ?? []).every((name) => position.get(name.split('.')[0] ?? '')! < position.get(entry.id)!),
      );
    }),
  );
  t.pass('holds for every graph tried');
});
