import { readFile } from 'node:fs/promises';
import t, { type Test } from 'tap';
import { ask, fill, type Said } from '../access/ask.ts';
import { matrixCallers, webhookSecrets } from '../access/callers.ts';
import { type Chosen, chooseCallers } from '../access/choose-callers.ts';
import { decide, decideAt } from '../access/decision.ts';
import { lookForForeignRows } from '../access/foreign-rows.ts';
import { furnish } from '../access/furnish.ts';
import { type MatrixPlatform, type MatrixRoute, matrixPlatform, VAULTED_PLATFORM } from '../access/matrix-platform.ts';
import { tenantRows } from '../access/tenant-rows.ts';
import { absentId, CALLS, idsAt, isCommon } from '../deployed-examples.ts';
import type { Ids } from '../examples.ts';
import { inLane } from '../lane.ts';
import { platformFile, type TestPlatform } from '../platform.ts';
import { testMount } from '../secret-mount.ts';

const MALFORMED = ['not-an-id', '..%2f..%2fetc', "x'%20or%20'1'='1", '%00', 'a'.repeat(400)];
/** Codes that only access can bring; an allowed call gets none of them. */
const REFUSALS = [
  ...[
    'unauthenticated',
    'webhook_unauthenticated',
    'signature_required',
    'forbidden_role',
    'capability_required',
    'person_required',
    'plugin_disabled',
  ],
  ...['tenant_header_required', 'tenant_header_invalid', 'tenant_not_allowed'],
];
/** What is answered after access and before existence, where credentials stay in the database. */
const UNSUPPORTED = 'credential_mode_unsupported';

interface Cell extends Chosen {
  app: TestPlatform['api']['app'];
  route: MatrixRoute;
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

/** Malformed ids of the admin: the first and, outside the lane, one of the others by turns. */
function malformedIds({ label }: MatrixRoute): readonly string[] {
  if (inLane('matrix-all')) return MALFORMED;
  return MALFORMED.filter((_, at) => at === 0 || at === 1 + (label.length % (MALFORMED.length - 1)));
}

/** Asks a route as a caller for their own thing, and for everything else that its path may name. */
async function walk(cell: Cell): Promise<string[]> {
  const { app, route, caller, isCurious } = cell;
  const [own, foreign] = [idsAt(route.label, cell.own), idsAt(route.label, cell.foreign)];
  const at = (ids: Ids) => ask(app, route, fill(route.path, ids), caller.headers);
  const what = (words: string) => `${route.label} as ${caller.name} with ${words}`;
  const differences: string[] = [];
  for (const name of isCurious ? route.names.filter((parameter) => !isCommon(route.label, parameter)) : []) {
    const swapped = await at({ ...own, [name]: foreign[name] ?? '' });
    const random = await at({ ...own, [name]: absentId(name, own) });
    differences.push(...difference(cell, { ...own, [name]: foreign[name] ?? '' }, swapped, `a foreign ${name}`));
    if (swapped.all !== random.all) differences.push(what(`a foreign ${name} shows`));
    const { status, code = '' } = swapped;
    if (![...REFUSALS, UNSUPPORTED].includes(code) && ![403, 404].includes(status))
      differences.push(what(`a foreign ${name}: ${status} ${code}`));
    for (const malformed of caller.name === 'admin' ? malformedIds(route) : MALFORMED.slice(0, 1)) {
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
async function furnished(
  t: Test,
  routes: readonly MatrixRoute[],
  cell: Omit<Cell, 'route' | 'isCurious'>,
): Promise<void> {
  for (const route of routes) {
    const own = idsAt(route.label, cell.own);
    for (const name of route.names) t.ok(own[name], `${route.label}: the examples give a ${name}`);
    const isReached = CALLS.get(route.label)?.unreached === undefined;
    if (route.method !== 'GET' || !isReached || route.names.length === 0 || route.access.kind !== 'tenant') continue;
    const path = fill(route.path, own);
    const { status, code } = await ask(cell.app, route, path, cell.caller.headers);
    t.ok(status === 200 || code === UNSUPPORTED, `${route.label} finds what the examples gave: ${status}`);
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
  const chosenFor = chooseCallers(callers, own);
  let asked = 0;
  for (const route of routes) {
    const cells = chosenFor(route).map((chosen) => ({ app, route, ...chosen, own, foreign }));
    asked += cells.length;
    // Whoever is let in to change something has nobody beside them.
    const alone = cells.filter(({ caller }) => route.method !== 'GET' && decide(route, caller.facts) === 'allowed');
    const differences = (await Promise.all(cells.filter((cell) => !alone.includes(cell)).map(walk))).flat();
    for (const cell of alone) differences.push(...(await walk(cell)));
    t.strictSame(differences, [], route.label);
  }
  t.comment(`${routes.length} routes, ${callers.length} callers, who asked ${asked} times for their own`);
  t.strictSame(await tenantRows(world.database, 'other'), before, "the other tenant's rows are as before");
}

const MATRIX = 'every route answers every caller as its declared access says, and a foreign id as an absent one';
const TENANTS = ['acme', 'other'];
const MODES = inLane('matrix-all') ? ['secret_store', 'legacy_inline'] : ['secret_store'];
const REQUESTS = inLane('matrix-all') ? 2_000 : 150;

for (const mode of MODES)
  t.test(`with credentials in mode ${mode}`, async (t) => {
    const mount = mode === 'secret_store' ? { mount: await testMount(t) } : {};
    // Requests of two tenants follow each other on two connections.
    const more = { ...webhookSecrets, WEIR_DB_POOL_SIZE: '2' };
    const platform = await matrixPlatform(t, { folder: t.testdir({ warehouse: {} }), more, ...mount });
    const { world, routes } = platform;
    const declared = world.api.app.declaredRoutes.filter(({ endpoint }) => !endpoint.path.includes('*'));
    t.equal(routes.length, declared.length, 'every declared route but the pages is in the document');
    const furnished = await furnish(platform, TENANTS);

    await t.test(
      'of the requests of two tenants at once over two connections, none shows a row of the other',
      async (t) => {
        const seen = await lookForForeignRows(world, routes, { aliases: TENANTS, furnished, requests: REQUESTS });
        t.strictSame(seen.found, []);
        t.ok(seen.shown > REQUESTS / 4, `${seen.shown} answers showed rows of the one who asked`);
        t.ok(seen.canaries > 10, `${seen.canaries} canaries`);
      },
    );

    await t.test(MATRIX, (t) => walkAll(t, platform, furnished));
  });

t.test('the deployment with the pattern `vaulted` has the plugins of the deployment', async (t) => {
  const [own, deployed] = await Promise.all([VAULTED_PLATFORM, platformFile].map((file) => readFile(file, 'utf8')));
  t.strictSame(JSON.parse(own ?? '').plugins, JSON.parse(deployed ?? '').plugins);
});
