import type { AddressInfo } from 'node:net';
import { allowedOrigins, allowOrigins, OriginsError, ProxiesError, trustedProxies } from '@weir/http-limits';
import { TokenSettingsError, tokenRules } from '@weir/tokens';
import { Refusal } from '../config/refusal.ts';
import { TENANT_ROLES } from '../contract/access.ts';
import { AuditTrails } from '../contract/call-points.ts';
import { kernelProblems } from '../contract/problems.ts';
import { startDuties } from '../duties/start-duties.ts';
import { auditCalls } from '../http/audit-calls.ts';
import { authenticator } from '../http/authenticate.ts';
import { idempotencyStore } from '../http/idempotency.ts';
import { createServer } from '../http/server.ts';
import { traceRequests } from '../http/trace-requests.ts';
import { recordAnswers } from '../metrics/http-metrics.ts';
import type { RunningPlatform } from './boot-platform.ts';
import { KERNEL_ENDPOINTS } from './kernel-endpoints.ts';
import { registerKernelRoutes } from './kernel-routes.ts';
import { healthChecks } from './kernel-services.ts';

const DRAIN_MS = 25_000;

/** A listening API. `app` is the Fastify server, for tests that inject. */
export interface ApiServer {
  url: string;
  app: ReturnType<typeof createServer>;
  /** Answers `/ready` with 503 at once, finishes what is in flight, then closes; bounded. */
  stop(): Promise<void>;
}

/** Registers every plugin's routes and listens; `WEIR_HTTP_PORT` 0 takes a free port. */
export async function startApi(platform: RunningPlatform): Promise<ApiServer> {
  const { settings, log, database } = platform;
  const app = createServer(log, listed('WEIR_TRUSTED_PROXIES', settings.WEIR_TRUSTED_PROXIES, trustedProxies));
  traceRequests(app, platform.telemetry);
  let stopping = false;
  app.addHook('onRequest', async (request, reply) => {
    if (!stopping || request.routeOptions.config.endpoint?.access.kind === 'public') return;
    reply.header('connection', 'close');
    throw kernelProblems.shuttingDown();
  });
  await allowOrigins(app, listed('CORS_ALLOWED_ORIGINS', settings.CORS_ALLOWED_ORIGINS, allowedOrigins));
  recordAnswers(app, platform.metrics, operationsOf(platform));
  auditCalls(app, platform.contributions, log);
  if (platform.contributions.of(AuditTrails).length === 0) log.warn('no plugin keeps an audit trail');
  const deps = {
    authenticate: authenticator({ ...platform, rules: rulesOf(platform) }),
    idempotency: idempotencyStore(database.db, platform.deriveKey('idempotency')),
  };
  for (const { plugin, registration } of platform.plugins) await app.register(plugin, { registration, deps });
  registerKernelRoutes(
    app,
    {
      release: { sha: settings.WEIR_RELEASE_SHA, imageDigest: settings.WEIR_IMAGE_DIGEST },
      isStopping: () => stopping,
      checks: healthChecks(platform),
    },
    deps,
  );
  await app.listen({ host: settings.WEIR_HTTP_HOST, port: settings.WEIR_HTTP_PORT });
  const duties = startDuties({ ...platform, duties: platform.duties.filter(({ where }) => where === 'api') });
  const { port } = app.server.address() as AddressInfo;
  return {
    url: `http://${settings.WEIR_HTTP_HOST}:${port}`,
    app,
    async stop() {
      stopping = true;
      const cut = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS);
      await Promise.all([app.close(), duties.stop()]);
      clearTimeout(cut);
    },
  };
}

function rulesOf({ settings, log }: RunningPlatform) {
  try {
    return tokenRules(settings, TENANT_ROLES, log);
  } catch (error) {
    throw error instanceof TokenSettingsError ? new Refusal('configuration refused', [error.message]) : error;
  }
}

function operationsOf({ plugins }: RunningPlatform): string[] {
  const routes = plugins.flatMap(({ registration }) => registration.routes);
  return [...KERNEL_ENDPOINTS, ...routes.map(({ endpoint }) => endpoint)].map(({ id }) => id);
}

/** What a setting lists; one that cannot be read refuses the start. */
function listed<T>(setting: string, text: string, read: (text: string) => T): T {
  try {
    return read(text);
  } catch (error) {
    if (!(error instanceof ProxiesError || error instanceof OriginsError)) throw error;
    throw new Refusal('configuration refused', [`${setting} ${error.message}`]);
  }
}
