import { createHash, randomBytes } from 'node:crypto';
import * as tools from '@weir/migrations';
import type { FastifyRequest } from 'fastify';
import { pino } from 'pino';
import t from 'tap';
import { permission } from '../src/contract/access.ts';
import { endpoint } from '../src/contract/endpoint.ts';
import { idempotencyStore, REPEATED } from '../src/http/idempotency.ts';
import { idempotencySweep } from '../src/http/sweep-idempotency.ts';
import { openDatabase, testDatabase } from '../src/testing.ts';

const access = permission('pots:write', 'admin');
const declared = endpoint({ id: 'pots.fill', method: 'POST', path: '/pots', summary: 'Fill', access });
const url = '/api/v1/pots';

const database = await testDatabase(t, tools);
const log = pino({ level: 'silent' });
const { db, close } = await openDatabase({ ...database.app, name: database.app.database, entities: [], log });
t.teardown(close);
const acme = await database.tenant('acme');

/** Sends one POST through a store with this secret; true when the answer was a remembered one. */
async function send(secret: Buffer, key: string, body: object, subject = 'ada'): Promise<boolean> {
  const principal = { kind: 'service', subject, client: 'c', tenants: '*', capabilities: [] };
  const request = { caller: { principal, tenant: acme }, url, body } as unknown as FastifyRequest;
  const work = async () => ({ status: 201, headers: {}, body: {} });
  const { headers } = await idempotencyStore(db, secret).once({ key, endpoint: declared, request }, work);
  return REPEATED in headers;
}

const refused = { entry: { code: 'idempotency_key_reused' } } as unknown as Error;

const fingerprints = async (): Promise<unknown[]> =>
  (await database.peek('select fingerprint from kernel.idempotency_key')).map(({ fingerprint }) => fingerprint);

t.test('guesses of a credential do not match a fingerprint without the secret of the deployment', async (t) => {
  const body = { password: 'hunter2' };
  const secret = randomBytes(32);
  await send(secret, 'one', body);
  const guess = `${declared.id}\n${url}\n${JSON.stringify(body)}`;
  const [stored] = await fingerprints();
  t.not(stored, createHash('sha256').update(guess).digest('hex'));
  await t.rejects(send(randomBytes(32), 'one', body), refused);
  t.equal(await send(Buffer.from(secret), 'one', body), true, 'another process with the secret knows the request');
  await send(secret, 'two', body);
  await send(secret, 'one', body, 'bob');
  t.equal(new Set(await fingerprints()).size, 3, 'equal bodies cannot be told from other ones');
});

/** Writes remembered keys of `c/ada`, as old as `age`. */
const remembered = (tenantId: string, prefix: string, count: number, age: string) =>
  database.peek(
    `insert into kernel.idempotency_key (tenant_id, caller, key, fingerprint, answer, created_at)
     select $1, 'c/ada', $2 || n, '', '{}', now() - $4::interval from generate_series(1, $3) n`,
    [tenantId, prefix, count, age],
  );

t.test('expired keys of every tenant are swept in batches; younger ones stay', async (t) => {
  await database.peek('delete from kernel.idempotency_key');
  const globex = await database.tenant('globex');
  await remembered(acme.tenantId, 'old', 2_500, '25 hours');
  await remembered(globex.tenantId, 'old', 1, '25 hours');
  await remembered(globex.tenantId, 'young', 2, '23 hours');
  await idempotencySweep(db).round({ tenants: { list: async () => [acme, globex] }, log });
  const left = await database.peek('select tenant_id, key from kernel.idempotency_key order by key');
  t.strictSame(
    left,
    ['young1', 'young2'].map((key) => ({ tenant_id: globex.tenantId, key })),
  );
  const indexes = await database.peek(
    "select indexdef from pg_indexes where tablename = 'idempotency_key' and indexdef like '%(tenant_id, created_at)'",
  );
  t.equal(indexes.length, 1);
});

t.test('a caller with 10,000 remembered keys gets no other one; expired keys do not count', async (t) => {
  await database.peek('delete from kernel.idempotency_key');
  const secret = randomBytes(32);
  await remembered(acme.tenantId, 'old', 10_000, '25 hours');
  t.equal(await send(secret, 'one', {}), false);
  await remembered(acme.tenantId, 'young', 9_999, '1 hour');
  await t.rejects(send(secret, 'two', {}), { entry: { code: 'idempotency_keys_exhausted' } } as unknown as Error);
  t.equal((await database.peek("select from kernel.idempotency_key where key = 'two'")).length, 0);
  t.equal(await send(secret, 'one', {}), true, 'what is remembered is answered');
  t.equal(await send(secret, 'two', {}, 'bob'), false, 'another caller has keys of its own');
});
