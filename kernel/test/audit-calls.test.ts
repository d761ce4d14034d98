import { Type } from '@sinclair/typebox';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { permission } from '../src/contract/access.ts';
import {
  type AuditedCall,
  type AuditTrail,
  AuditTrails,
  CallLimits,
  type CallOutcome,
} from '../src/contract/call-points.ts';
import { endpoint } from '../src/contract/endpoint.ts';
import { kernelProblems } from '../src/contract/problems.ts';
import { Closed, Id } from '../src/contract/shapes.ts';
import { contribute, contributions } from '../src/contributions/contributions.ts';
import { auditCalls } from '../src/http/audit-calls.ts';
import type { Authenticate } from '../src/http/authenticate.ts';
import { handle } from '../src/http/handle.ts';
import { createServer } from '../src/http/server.ts';
import { definePlugin, type Registration } from '../src/plugins/define-plugin.ts';

const access = permission('pots:write', 'admin', { capability: 'pot:write' });
const params = Type.Object({ pot_id: Id });
const brew = endpoint({
  ...{ id: 'pots.brew', method: 'POST', path: '/pots/:pot_id', summary: 'Brew', access, params },
  body: Closed({ cups: Type.Integer() }),
  response: Type.Object({ run_id: Type.String() }),
  status: 202,
  location: '/runs/:run_id',
});
const look = endpoint({
  ...{ id: 'pots.look', method: 'GET', path: '/pots/:pot_id', summary: 'Look', access, params },
  response: Type.Object({ run_id: Type.String() }),
});
const pot = '018f4a6e-0000-7000-8000-000000000000';

/** Callers by their token: `ada` may call, `bob` may not, others are not known. */
const authenticate: Authenticate = () => async (request) => {
  request.caller = { principal: { kind: 'anonymous' }, tenant: undefined };
  const name = request.headers.authorization;
  if (name !== 'ada' && name !== 'bob') throw kernelProblems.unauthenticated();
  const principal = { kind: 'service', subject: name, client: 'c', tenants: '*', capabilities: [] } as const;
  request.caller = { principal, tenant: undefined };
  if (name === 'bob') throw kernelProblems.forbiddenRole();
};

interface World {
  /** What a trail was told, in order. */
  told: [what: string, call: AuditedCall, outcome?: CallOutcome][];
  faults: { begin?: boolean; end?: boolean };
  call(
    as: string,
    method: 'GET' | 'POST',
    body?: string,
    id?: string,
  ): Promise<{ status: number; code: string | undefined }>;
}

async function world(t: Test, run: () => Promise<unknown>, trails = 1): Promise<World> {
  const told: World['told'] = [];
  const faults: World['faults'] = {};
  const trail: AuditTrail = {
    async begin(call) {
      if (faults.begin) throw new Error('no trail');
      told.push(['begin', call]);
      return async (outcome) => {
        told.push(['end', call, outcome]);
        if (faults.end) throw new Error('no end');
      };
    },
    denied: async (call, outcome) => void told.push(['denied', call, outcome]),
  };
  const given = contributions();
  given.add(Array.from({ length: trails }, () => contribute(AuditTrails, trail)));
  const limit = {
    denying: () => undefined,
    allowed: async () => undefined,
    refused: () => void told.push(['refused', {} as never]),
  };
  given.add([contribute(CallLimits, limit)]);
  const log = pino({ level: 'silent' });
  const app = createServer(log);
  auditCalls(app, given, log);
  const idempotency = { once: async <T>(_call: unknown, work: () => Promise<T>) => work() } as never;
  const registration: Registration = { routes: [handle(brew, run as never), handle(look, run as never)] };
  const plugin = definePlugin({ id: 'pots', setup: () => registration });
  await app.register(plugin, { registration, deps: { authenticate, idempotency } });
  t.teardown(() => app.close());
  return {
    told,
    faults,
    async call(as, method, body = '{"cups":1}', id = pot) {
      const sent = method === 'GET' ? {} : { payload: body };
      const headers = { authorization: as, ...(method === 'GET' ? {} : { 'content-type': 'application/json' }) };
      const answer = await app.inject({ method, url: `/api/v1/pots/${id}`, headers, ...sent });
      return { status: answer.statusCode, code: (answer.json() as { code?: string }).code };
    },
  };
}

const words = ({ told }: World) => told.map(([what, , outcome]) => (outcome ? `${what} ${outcome.status}` : what));

t.test('a changing call is begun before it runs and ended with its answer; a reading one is not told', async (t) => {
  const here: World = await world(t, async () => {
    here.told.push(['run', {} as never]);
    return { run_id: 'r1' };
  });
  await here.call('ada', 'POST');
  t.strictSame(words(here), ['begin', 'run', 'end 202']);
  const [, , [, call, outcome] = []] = here.told;
  t.match(call, {
    endpoint: { id: 'pots.brew' },
    principal: { subject: 'ada' },
    params: { pot_id: pot },
    requestId: /^\w{32}$/,
  });
  t.strictSame(outcome, { status: 202, code: undefined, location: '/api/v1/runs/r1', repeated: false });
  here.told.length = 0;
  await here.call('ada', 'GET');
  t.strictSame(words(here), ['run']);
});

t.test(
  'whatever ends a call ends its entry once, with the code of the problem, and an id that is none is not told',
  async (t) => {
    let fault: unknown = kernelProblems.conflict();
    const here = await world(t, () => Promise.reject(fault));
    t.match(await here.call('ada', 'POST'), { status: 409 });
    fault = 'text';
    t.match(await here.call('ada', 'POST'), { status: 500 });
    t.match(await here.call('ada', 'POST', '{"cups":'), { status: 400 });
    t.match(await here.call('ada', 'POST', '{}'), { status: 400 });
    t.match(await here.call('ada', 'POST', '{"cups":1}', 'zz_canary'), { status: 400 });
    t.strictSame(
      here.told
        .map(([what, { params: ids }, outcome]) => [what, ids, outcome?.code])
        .filter(([what]) => what === 'end'),
      [
        ['end', { pot_id: pot }, 'conflict'],
        ['end', { pot_id: pot }, 'internal'],
        ['end', { pot_id: pot }, 'malformed_json'],
        ['end', { pot_id: pot }, 'validation_failed'],
        ['end', {}, 'validation_failed'],
      ],
    );
    t.equal(here.told.length, 10);
  },
);

t.test('a denial is told to trails and limits, of reading routes too', async (t) => {
  const here = await world(t, async () => ({ run_id: 'r1' }));
  t.match(await here.call('bob', 'GET'), { status: 403 });
  t.match(await here.call('eve', 'POST'), { status: 401 });
  t.strictSame(words(here), ['refused', 'denied 403', 'refused', 'denied 401']);
  t.match(here.told[3]?.[1], { principal: { kind: 'anonymous' }, params: { pot_id: pot } });
});

t.test('what cannot be begun is not run; what cannot be ended is answered as it was', async (t) => {
  let runs = 0;
  const run = async () => {
    runs += 1;
    return { run_id: 'r1' };
  };
  const here = await world(t, run, 2);
  here.faults.end = true;
  t.match(await here.call('ada', 'POST'), { status: 202 });
  t.strictSame(words(here), ['begin', 'begin', 'end 202', 'end 202'], 'each trail for itself');
  here.faults.begin = true;
  t.match(await here.call('ada', 'POST'), { status: 503, code: 'audit_unavailable' });
  t.equal(runs, 1);
});

t.test('without a trail calls go on', async (t) => {
  const here = await world(t, async () => ({ run_id: 'r1' }), 0);
  t.match(await here.call('ada', 'POST'), { status: 202 });
  t.match(await here.call('bob', 'POST'), { status: 403 });
});
