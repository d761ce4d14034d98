import { EntityManager } from '@mikro-orm/postgresql';
import { allowedOrigins, allowOrigins } from '@weir/http-limits';
import { bootPlatform } from '@weir/kernel/boot';
import type { Tenant } from '@weir/kernel/contract';
import { idempotencyStore } from '../../kernel/src/http/idempotency.ts';
import { createServer } from '../../kernel/src/http/server.ts';
import { traceRequests } from '../../kernel/src/http/trace-requests.ts';
import { recordAnswers } from '../../kernel/src/metrics/http-metrics.ts';

/**
 * The API with everything but what keeps callers and tenants apart, to measure what that costs: whoever asks is the admin of
 * `acme`, no rule and no limit is asked, and statements go to the database without a transaction and without a tenant, as a
 * role that sees all rows. Logs that it listens as the API does.
 */
async function main(): Promise<void> {
  withoutTenantSession();
  const { WEIR_PLATFORM: platformFile = '' } = process.env;
  const platform = await bootPlatform({ platformFile, environment: process.env, program: 'open-api' });
  const { log, settings, database, plugins } = platform;
  const tenant = (await platform.tenants.byAlias('acme')) as Tenant;
  const principal = {
    kind: 'user',
    subject: 'a',
    client: 'b',
    organizations: ['acme'],
    realmRoles: ['admin'],
  } as const;
  const app = createServer(log);
  traceRequests(app, platform.telemetry);
  await allowOrigins(app, allowedOrigins(settings.CORS_ALLOWED_ORIGINS));
  recordAnswers(
    app,
    platform.metrics,
    plugins.flatMap(({ registration }) => registration.routes.map(({ endpoint }) => endpoint.id)),
  );
  const authenticate = () => async (request: { caller: unknown }) => {
    request.caller = { principal, tenant };
  };
  const deps = { authenticate, idempotency: idempotencyStore(database.db, platform.deriveKey('idempotency')) };
  for (const { plugin, registration } of plugins) await app.register(plugin, { registration, deps });
  await app.listen({ host: '127.0.0.1', port: 0 });
  log.info({ url: app.listeningOrigin }, 'listening');
  process.once('disconnect', () => process.exit(0));
}

/** Every unit of work runs as its statements stand. */
function withoutTenantSession(): void {
  const managers = EntityManager.prototype as unknown as {
    fork(options?: object): unknown;
    transactional(work: (manager: unknown) => Promise<unknown>): Promise<unknown>;
  };
  const { fork } = managers;
  managers.fork = function (options = {}) {
    return fork.call(this, { ...options, session: undefined });
  };
  managers.transactional = function (work) {
    return work(this);
  };
}

await main();
