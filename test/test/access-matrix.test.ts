import t, { type Test } from 'tap';
import { VAULTED_PLATFORM } from '../../plugins/sources/test/vaulted-source.ts';
import { ask, fill, type Said } from '../access/ask.ts';
import { type MatrixCaller, matrixCallers, webhookSecrets } from '../access/callers.ts';
import { decide, decideAt } from '../access/decision.ts';
import { absentId, COMMON_WORDS, furnish, furnishCredentials, type Ids, idsAt } from '../access/furnish.ts';
import { type MatrixPlatform, type MatrixRoute, matrixPlatform } from '../access/matrix-platform.ts';
import { tenantRows } from '../access/tenant-rows.ts';
import type { TestPlatform } from '../platform.ts';
import { testMount } from '../secret-mount.ts';

const MALFORMED = ['not-an-id', '..%2f..%2fetc', "x'%20or%20'1'='1", '%00', 'a'.repeat(400)];
/** Codes that only access can bring; an allowed call gets none of them. */
const REFUSALS = [
  ...['unauthenticated', 'webhook_unauthenticated', 'forbidden_role', 'capability_required', 'plugin_disabled'],
  ...['tenant_header_required', 'tenant_header_invalid', 'tenant_not_allowed'],
];
/** What is answered after access and before existence, where credentials stay in the database. */
const UNSUPPORTED = 'credential_mode_unsupported';
const HANG_LIMIT_MS = 390_000;

interface Cell {
  app: TestPlatform['api']['app'];
  route: MatrixRoute;
  caller: MatrixCaller;
  own: Ids;
  foreign: Ids;
}

/** The difference between what a route answers a caller and what the table says, or nothing. */
function difference({ route, caller }: Cell, ids: Ids, said: Said, what: string): string[] {
  const decision = decideAt(route, caller.facts, ids);
  const { status, code = '' } = said;
  const allowed = !REFUSALS.includes(code) && (status < 500 || status === 501 || status === 503);
  const right = decision === 'allowed' ? allowed : decision === `${status} ${code}`;
  return right ? [] : [`${route.label} as ${caller.name} with ${what}: ${status} ${code}, the table says ${decision}`];
}

/** Asks a route as a caller for their own thing, and for everything else that its path may name. */
async function walk(cell: Cell): Promise<string[]> {
  const { app, route, caller } = cell;
  const [own, foreign] = [idsAt(route.label, cell.own), idsAt(route.label, cell.foreign)];
  const at = (ids: Ids) => ask(app, route, fill(route.path, ids), caller.headers);
  const what = (words: string) => `${route.label} as ${caller.name} with ${words}`;
  const differences: string[] = [];
  for (const name of caller.curious ? route.names.filter((parameter) => !COMMON_WORDS.has(parameter)) : []) {
    const swapped = await at({ ...own, [name]: foreign[name] ?? '' });
    const random = await at({ ...own, [name]: absentId(name, own) });
    differences.push(...difference(cell, { ...own, [name]: foreign[name] ?? '' }, swapped, `a foreign ${name}`));
    if (swapped.all !== random.all) differences.push(what(`a foreign ${name} shows`));
    const { status, code = '' } = swapped;
    if (![...REFUSALS, UNSUPPORTED].includes(code) && ![403, 404].includes(status))
      differences.push(what(`a foreign ${name}: ${status} ${code}`));
    for (const malformed of caller.name === 'admin' ? MALFORMED : MALFORMED.slice(0, 1)) {
      const encode = (text: unknown) => (text === malformed ? malformed : encodeURIComponent(String(text)));
      const said = await ask(app, route, fill(route.path, { ...own, [name]: malformed }, encode), caller.headers);
      if (said.status < 400 || said.status >= 500) differences.push(what(`a malformed ${name}: ${said.status}`));
      if (malformed === MALFORMED[0])
        differences.push(...difference(cell, { ...own, [name]: malformed }, said, `a malformed ${name}`));
    }
  }
  return [...differences, ...difference(cell, own, await at(own), 'their own')];
}

/** Holds the furnishing table to the routes: an id for every parameter, and none that leads to nothing. */
async function furnished(t: Test, routes: readonly MatrixRoute[], cell: Omit<Cell, 'route'>): Promise<void> {
  for (const route of routes) {
    for (const name of route.names) t.ok(cell.own[name], `${route.label}: furnish() gives a ${name}`);
    if (route.method !== 'GET' || route.names.length === 0 || route.access.kind !== 'tenant') continue;
    const path = fill(route.path, idsAt(route.label, cell.own));
    const { status, code } = await ask(cell.app, route, path, cell.caller.headers);
    t.ok(status === 200 || code === UNSUPPORTED, `${route.label} finds what furnish() gave: ${status}`);
  }
}

/** Walks every route as every caller of the first tenant, whose admin must find all that was furnished. */
async function walkAll(t: Test, platform: MatrixPlatform, [own = {}, foreign = {}]: readonly Ids[]): Promise<void> {
  const { world, routes, capabilities, tokenOf } = platform;
  const { app } = world.api;
  const callers = await matrixCallers(world, { capabilities, tokenOf });
  const admin = callers.find(({ name }) => name === 'admin');
  if (admin === undefined) throw new Error('nobody is an admin');
  await furnished(t, routes, { app, own, foreign, caller: admin });
  const before = await tenantRows(world.database, 'other');
  const declared = new Set<string>();
  for (const route of routes) {
    // Those who differ in the tenant alone ask one route of each access that is declared.
    const first = !declared.has(JSON.stringify(route.access));
    declared.add(JSON.stringify(route.access));
    const cells = callers
      .filter(({ curious }) => curious || first)
      .map((caller) => ({ app, route, caller, own, foreign }));
    // Whoever is let in to change something has nobody beside them.
    const alone = cells.filter(
      ({ caller }) => route.method !== 'GET' && decide(route.access, caller.facts) === 'allowed',
    );
    const differences = (await Promise.all(cells.filter((cell) => !alone.includes(cell)).map(walk))).flat();
    for (const cell of alone) differences.push(...(await walk(cell)));
    t.strictSame(differences, [], route.label);
  }
  t.comment(`${routes.length} routes of ${declared.size} accesses, ${callers.length} callers`);
  t.strictSame(await tenantRows(world.database, 'other'), before, "the other tenant's rows are as before");
}

const TENANTS = ['acme', 'other'];
const MATRIX = 'every route answers every caller as its declared access says, and a foreign id as an absent one';
t.test(MATRIX, { timeout: HANG_LIMIT_MS }, async (t) => {
  const platform = await matrixPlatform(t, t.testdir({ warehouse: {} }), webhookSecrets);
  const { world, routes } = platform;
  t.equal(routes.length, world.api.app.declaredRoutes.length, 'every declared route is in the document');
  await walkAll(t, platform, await furnish(world, routes, TENANTS));
});

t.test('so do the routes of credentials where these lie in a secret store', { timeout: HANG_LIMIT_MS }, async (t) => {
  const mount = await testMount(t);
  const environment = { ...mount.environment('api'), WEIR_PLATFORM: VAULTED_PLATFORM };
  const platform = await matrixPlatform(t, t.testdir({ warehouse: {} }), environment);
  const routes = platform.routes.filter(({ path }) => path.includes('/credentials'));
  t.ok(routes.length >= 6, `${routes.length} routes`);
  await walkAll(t, { ...platform, routes }, await furnishCredentials(platform.world, TENANTS));
});
