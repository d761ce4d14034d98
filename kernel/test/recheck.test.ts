import { pino } from 'pino';
import t from 'tap';
import { permission } from '../src/contract/access.ts';
import { AccessRules, CallLimits, TokenReaders } from '../src/contract/call-points.ts';
import type { KnownPrincipal } from '../src/contract/caller.ts';
import { endpoint } from '../src/contract/endpoint.ts';
import { kernelProblems } from '../src/contract/problems.ts';
import { contribute, contributions } from '../src/contributions/contributions.ts';
import { authenticator } from '../src/http/authenticate.ts';
import { handle } from '../src/http/handle.ts';
import { createServer } from '../src/http/server.ts';
import { definePlugin, type Registration } from '../src/plugins/define-plugin.ts';

const watch = endpoint({
  ...{ id: 'pots.watch', method: 'GET', path: '/pots', summary: 'Watch' },
  access: permission('pots:read', 'pipeline_editor'),
});
const acme = { tenantId: 't1', alias: 'acme', scope: 'acme' };
const log = pino({ level: 'silent' });

t.test('token, role, plugin or rule is taken away → the recheck of a running call throws it', async (t) => {
  const now = { token: true, role: 'pipeline_editor' as 'pipeline_editor' | 'viewer', plugin: true, rule: true };
  let charged = 0;
  const given = contributions();
  given.add([
    contribute(TokenReaders, {
      prefix: 'weir_',
      async read() {
        const known = { kind: 'api_token', subject: 's', client: 'c', organizations: ['acme'] } as const;
        const principal: KnownPrincipal = { ...known, role: now.role };
        return now.token ? { principal, expiresAt: new Date(Date.now() + 3_600_000) } : undefined;
      },
    }),
    contribute(AccessRules, async () => {
      if (!now.rule) throw kernelProblems.forbiddenRole();
    }),
    contribute(CallLimits, {
      denying: () => undefined,
      allowed: async () => {
        charged += 1;
      },
    }),
  ]);
  let recheck = async () => {};
  const registration: Registration = {
    routes: [
      handle(watch, async (call) => {
        recheck = call.recheck;
        return undefined;
      }),
    ],
  };
  const app = createServer(log);
  const authenticate = authenticator({
    rules: {} as never,
    tenants: { byAlias: async () => acme, list: async () => [acme] },
    tenantPlugins: { isEnabled: async () => now.plugin },
    contributions: given,
  });
  const deps = { authenticate, idempotency: {} as never };
  await app.register(definePlugin({ id: 'pots', setup: () => registration }), { registration, deps });
  t.teardown(() => app.close());
  const answer = await app.inject({ url: '/api/v1/pots', headers: { authorization: 'Bearer weir_x' } });
  t.equal(answer.statusCode, 200);
  await recheck();
  for (const [change, code] of [
    [{ token: false }, 'unauthenticated'],
    [{ role: 'viewer' }, 'forbidden_role'],
    [{ plugin: false }, 'plugin_disabled'],
    [{ rule: false }, 'forbidden_role'],
  ] as const) {
    const before = { ...now };
    Object.assign(now, change);
    await t.rejects(recheck(), { code });
    Object.assign(now, before);
    await recheck();
  }
  t.equal(charged, 1, 'a recheck costs no call of a rate');
});
