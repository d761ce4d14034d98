import { randomBytes } from 'node:crypto';
import type { Tenant } from '@weir/kernel/contract';
import type { PluginUnderTest } from '@weir/kernel/testing';
import fc from 'fast-check';
import t from 'tap';
import { effectiveRole } from '../src/api-token/effective-role.ts';
import { readTokens } from '../src/api-token/read-tokens.ts';
import { recentLists } from '../src/api-token/recent-lists.ts';
import { createApiToken, getApiToken, listApiTokens, listUsers } from '../src/contract.ts';
import { bodyOf, withToken, world } from './kit.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const GUESSES = 10_000;

/** A reader of its own by a clock that goes on only as a test lets it, that counts what it asks the database. */
function counted({ kernel }: PluginUnderTest) {
  const state = { reads: 0, ahead: 0 };
  const begun = Date.now();
  const db: typeof kernel.db = (tenant) => {
    state.reads += 1;
    return kernel.db(tenant);
  };
  const tenants = {
    ...kernel.tenants,
    list() {
      state.reads += 1;
      return kernel.tenants.list();
    },
  };
  const now = () => begun + state.ahead;
  return { state, reader: readTokens({ db, log: kernel.log, tenants, makerDays: 30, now }) };
}

const guess = ({ tenantId }: Pick<Tenant, 'tenantId'>) =>
  `weir_${tenantId.replaceAll('-', '')}${randomBytes(16).toString('hex')}_${randomBytes(32).toString('hex')}`;

t.test('ten thousand guessed ids push no known token out, and share a few readings of the database', async (t) => {
  const here = await world(t);
  const acme = await here.tenant('acme');
  const { token } = bodyOf(await here.as('acme').call(createApiToken, { body: { name: 'ci', role: 'viewer' } }));
  const { state, reader } = counted(here);
  t.match(await reader.read(String(token)), { principal: { role: 'viewer' } });
  await reader.settled();
  const before = state.reads;
  const inTenant = Array.from({ length: GUESSES / 2 }, () => reader.read(guess(acme)));
  const nowhere = Array.from({ length: GUESSES / 2 }, () => {
    return reader.read(guess({ tenantId: randomBytes(16).toString('hex') }));
  });
  t.strictSame(new Set(await Promise.all([...inTenant, ...nowhere])), new Set([undefined]));
  t.ok(state.reads - before <= 4, `${state.reads - before} readings for ${GUESSES} guesses`);
  const after = state.reads;
  t.match(await reader.read(String(token)), { principal: { role: 'viewer' } });
  t.equal(state.reads, after, 'the known one is still known');
  const made = bodyOf(await here.as('acme').call(createApiToken, { body: { name: 'new', role: 'viewer' } }));
  t.match(await reader.read(String(made.token)), { principal: {} }, 'one that was made elsewhere is found at once');
  await reader.settled();
});

t.test('a list that cannot be read is read again, and the lists that are kept have a bound', async (t) => {
  let reads = 0;
  let broken = true;
  const read = async (list: string) => {
    reads += 1;
    if (broken) throw new Error('away');
    return new Map([['a', list]]);
  };
  const lists = recentLists({ read, rememberedMs: 1_000, gapMs: 0, now: () => 0 });
  await t.rejects(lists.find('x', 'a'), { message: 'away' });
  broken = false;
  t.equal(await lists.find('x', 'a'), 'x');
  t.equal(reads, 2);
  for (let n = 0; n < 600; n += 1) await lists.find(String(n), 'a');
  t.equal(reads, 602);
  await lists.find('599', 'a');
  t.equal(reads, 602, 'a late one is remembered');
  await lists.find('x', 'a');
  t.equal(reads, 603, 'an early one has made room');
  lists.forget('x');
  await lists.find('x', 'a');
  t.equal(reads, 604);
});

t.test('a token stops by its own code when its maker was not seen for longer than the bound', async (t) => {
  const here = await world(t, { WEIR_TOKEN_MAKER_DAYS: 20 });
  await here.tenant('acme');
  const { call } = here.as('acme', 'admin');
  const { token, api_token_id } = bodyOf(await call(createApiToken, { body: { name: 'ci', role: 'viewer' } }));
  const { state, reader } = counted(here);
  state.ahead = 29 * DAY_MS;
  t.match(await reader.read(String(token)), { principal: { subject: 'admin@acme' } });
  state.ahead = 31 * DAY_MS;
  await t.rejects(reader.read(String(token)), { code: 'token_maker_unseen', status: 401 });
  t.equal(await reader.read(String(token).replace(/.$/, (end) => (end === '0' ? '1' : '0'))), undefined, 'a guess');
  await reader.settled();
  await here.database.peek("update identity.person set last_seen = now() - interval '21 days'");
  t.match(await withToken(here, String(token), listApiTokens), {
    status: 401,
    body: { code: 'token_maker_unseen', detail: /20 days/, hint: /^Have its maker sign in/ },
  });
  const seen = () => here.database.peek('select last_seen > now() - interval $$1 day$$ as lately from identity.person');
  t.match(await seen(), [{ lately: false }], 'a token does not count as its maker');
  const shown = async () => bodyOf(await call(getApiToken, { params: { api_token_id } })).effective_role;
  t.equal(await shown(), null);
  bodyOf(await call(listUsers));
  t.match(await seen(), [{ lately: true }], 'its maker called');
  t.equal(await shown(), 'viewer');
});

t.test('the role of a token is never above what its maker has nor above its own', async (t) => {
  const roles = ['viewer', 'pipeline_editor', 'admin'] as const;
  const law = fc.property(fc.constantFrom(...roles), fc.array(fc.constantFrom(...roles)), (given, makers) => {
    const role = effectiveRole(given, makers);
    const rank = role === undefined ? -1 : roles.indexOf(role);
    const highest = Math.max(-1, ...makers.map((held) => roles.indexOf(held)));
    return rank === Math.min(roles.indexOf(given), highest);
  });
  t.doesNotThrow(() => fc.assert(law, { numRuns: 1_000 }));
});

t.test('a person has at most 100 live tokens and a tenant 1,000; those that are over do not count', async (t) => {
  const here = await world(t);
  const { tenantId } = await here.tenant('acme');
  const { call } = here.as('acme', 'admin');
  const make = (name: string) => call(createApiToken, { body: { name, role: 'viewer' } });
  t.match(await make('first'), { status: 201 });
  const fill = (of: string, count: number, ends: string) =>
    here.database.peek(
      `insert into identity.api_token (tenant_id, api_token_id, name, role, secret_sha256, created_by, created_at, expires_at)
       select $1, gen_random_uuid(), $2 || n, 'viewer', decode(repeat('00', 32), 'hex'), $2, now() - interval '1 day',
         now() + $4::interval from generate_series(1, $3::int) n`,
      [tenantId, of, count, ends],
    );
  await fill('admin@acme', 99, '-1 minute');
  t.match(await make('second'), { status: 201 });
  await here.database.peek("update identity.api_token set expires_at = now() + interval '1 day'");
  t.match(await make('third'), { status: 409, problem: { code: 'token_limit', detail: /You have .* 100/ } });
  await here.database.peek(
    "insert into identity.person (tenant_id, sub, client, issued_at) values ($1, 'other', 'c', now())",
    [tenantId],
  );
  await fill('other', 899, '1 day');
  t.match(await here.as('acme', 'viewer').call(createApiToken, { body: { name: 'one', role: 'viewer' } }), {
    status: 409,
    problem: { code: 'token_limit', detail: /The tenant has .* 1000/ },
  });
});
