import type { AddressInfo } from 'node:net';
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { providerKeys } from '../auth/keys.ts';
import type { ServicePrincipal } from '../auth/verify-token.ts';
import type { KernelSettings } from '../config/kernel-settings.ts';
import { Refusal } from '../config/refusal.ts';
import { kernelProblems } from '../contract/problems.ts';
import { Closed } from '../contract/shapes.ts';
import type { RunningPlatform } from '../plugins/boot-platform.ts';
import { healthChecks } from '../plugins/kernel-services.ts';
import { traceRequests } from '../telemetry/trace-requests.ts';
import { authenticator } from './authenticate.ts';
import { allowedOrigins, allowOrigins } from './cors.ts';
import { recordAnswers } from './http-metrics.ts';
import { idempotencyStore } from './idempotency.ts';
import { KERNEL_ENDPOINTS } from './kernel-endpoints.ts';
import { registerKernelRoutes } from './kernel-routes.ts';
import { createServer } from './server.ts';

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
  const app = createServer(log);
  traceRequests(app, platform.telemetry);
  let stopping = false;
  app.addHook('onRequest', async (request, reply) => {
    if (!stopping || request.routeOptions.config.endpoint?.access.kind === 'public') return;
    reply.header('connection', 'close');
    throw kernelProblems.shuttingDown();
  });
  await allowOrigins(app, allowedOrigins(settings.CORS_ALLOWED_ORIGINS));
  recordAnswers(app, platform.metrics, operationsOf(platform));
  const deps = {
    authenticate: authenticator({ ...platform, rules: tokenRules(settings, log) }),
    idempotency: idempotencyStore(database.db),
  };
  for (const { plugin, registration } of platform.plugins) await app.register(plugin, { registration, deps });
  registerKernelRoutes(
    app,
    {
      release: { sha: settings.WEIR_RELEASE_SHA, imageDigest: settings.WEIR_IMAGE_DIGEST },
      version: platform.version,
      signIn: {
        issuer: settings.IDP_ISSUER,
        clientId: settings.IDP_CLIENT_ID,
        organizationClaim: settings.WEIR_IDP_ORG_CLAIM,
      },
      problems: platform.problems,
      isStopping: () => stopping,
      checks: healthChecks(platform),
    },
    deps,
  );
  await app.listen({ host: settings.WEIR_HTTP_HOST, port: settings.WEIR_HTTP_PORT });
  const { port } = app.server.address() as AddressInfo;
  return {
    url: `http://${settings.WEIR_HTTP_HOST}:${port}`,
    app,
    async stop() {
      stopping = true;
      const cut = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS);
      await app.close();
      clearTimeout(cut);
    },
  };
}

function operationsOf({ plugins }: RunningPlatform): string[] {
  const routes = plugins.flatMap(({ registration }) => registration.routes);
  return [...KERNEL_ENDPOINTS, ...routes.map(({ endpoint }) => endpoint)].map(({ id }) => id);
}

function tokenRules(settings: KernelSettings, log: RunningPlatform['log']) {
  if (settings.WEIR_IDP_AUDIENCE === settings.IDP_CLIENT_ID) {
    throw new Refusal('configuration refused', [
      'WEIR_IDP_AUDIENCE must differ from IDP_CLIENT_ID: an ID token would pass for an access token',
    ]);
  }
  const realm = settings.IDP_REALM === undefined ? '' : `/realms/${encodeURIComponent(settings.IDP_REALM)}`;
  return {
    issuer: settings.IDP_ISSUER,
    audience: settings.WEIR_IDP_AUDIENCE,
    organizationClaim: settings.WEIR_IDP_ORG_CLAIM,
    services: servicePrincipals(settings.WEIR_SERVICE_PRINCIPALS),
    keys: providerKeys({ providerUrl: `${settings.IDP_URL.replace(/\/$/, '')}${realm}`, log }),
  };
}

const ServicePrincipals = Type.Record(
  Type.String(),
  Closed({
    tenants: Type.Union([Type.Literal('*'), Type.Array(Type.String())]),
    capabilities: Type.Array(Type.String()),
  }),
);

/** Parses `WEIR_SERVICE_PRINCIPALS`; a fault refuses the start, without an echo. */
function servicePrincipals(text: string): Map<string, ServicePrincipal> {
  const shape = '{"<client id>": {"tenants": ["<alias>"] or "*", "capabilities": ["<name>"]}}';
  try {
    const document: unknown = JSON.parse(text);
    if (Value.Check(ServicePrincipals, document)) return new Map(Object.entries(document));
  } catch {
    // Refused below, as any other text that is not of the shape.
  }
  throw new Refusal('configuration refused', [`WEIR_SERVICE_PRINCIPALS must be JSON of the shape ${shape}`]);
}
