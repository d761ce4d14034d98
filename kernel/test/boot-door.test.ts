import { registerHooks } from 'node:module';
import t from 'tap';

t.test('the boot door → loads neither database layer, HTTP server, workflow client nor exporter', async (t) => {
  const loaded = new Set<string>();
  const hooks = registerHooks({
    load(url, context, next) {
      loaded.add(url.replace(/.*\/node_modules\//, ''));
      return next(url, context);
    },
  });
  await import('@weir/kernel/boot');
  hooks.deregister();
  const heavy = /^(@mikro-orm|kysely|pg|fastify|@temporalio|@opentelemetry|prom-client|jose)\//;
  t.strictSame(
    [...loaded].filter((name) => heavy.test(name)),
    [],
  );
  t.ok(
    [...loaded].some((name) => name.startsWith('ajv/')),
    'the hook sees what is loaded',
  );
});
