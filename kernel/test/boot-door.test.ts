import { registerHooks } from 'node:module';
import t from 'tap';

const HEAVY = /^(@mikro-orm|kysely|fastify|@temporalio|@opentelemetry|prom-client)\//;

t.test('the doors boot and testing → load neither ORM, HTTP server, engine client nor exporter', async (t) => {
  const loaded = new Set<string>();
  const hooks = registerHooks({
    load(url, context, next) {
      loaded.add(url.replace(/.*\/node_modules\//, ''));
      return next(url, context);
    },
  });
  await import('@weir/kernel/boot');
  await import('@weir/kernel/testing');
  hooks.deregister();
  t.strictSame(
    [...loaded].filter((name) => HEAVY.test(name)),
    [],
  );
  t.ok(loaded.has('ajv/dist/ajv.js'), 'the hook sees what is loaded');
});
