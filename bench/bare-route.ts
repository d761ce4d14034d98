import fastify from 'fastify';
import { Pool, type PoolClient } from 'pg';

const POOL_SIZE = 10;
const SOURCE = 'select s0.* from sources.source as s0 where s0.tenant_id = $1 and s0.source_id = $2 limit 1';
const STREAMS = `select source_id, count(*)::int as streams, (count(*) filter (where enabled))::int as streams_enabled
  from sources.stream where source_id = any ($1::uuid[]) group by source_id`;
const CONTEXT = `select set_config('app.tenant', $1, true), set_config('app.scope', $2, true)`;

/**
 * What one can do with Fastify and the Postgres driver alone, for comparison: `/plain/:tenant/:source` sends the two
 * queries that reading a source takes, `/walled/…` sends them as the platform does, in a transaction that sets the
 * tenant for row security first. No token, no validation, no log. Tells its parent the port.
 */
async function main(): Promise<void> {
  const pool = new Pool({ connectionString: process.env.BARE_DATABASE_URL, max: POOL_SIZE });
  const app = fastify();
  const read = async (sql: Pick<PoolClient, 'query'>, [tenant, source]: string[]) => {
    const { rows } = await sql.query(SOURCE, [tenant, source]);
    return rows[0] as object;
  };
  const count = async (sql: Pick<PoolClient, 'query'>, source: string) =>
    (await sql.query(STREAMS, [[source]])).rows[0];
  const walled = async <T>(tenant: string, work: (client: PoolClient) => Promise<T>): Promise<T> => {
    const client = await pool.connect();
    await client.query('begin');
    await client.query(CONTEXT, [tenant, 'acme']);
    const result = await work(client);
    await client.query('commit');
    client.release();
    return result;
  };
  type Ids = { Params: { tenant: string; source: string } };
  app.get<Ids>('/plain/:tenant/:source', async ({ params: { tenant, source } }) => ({
    ...(await read(pool, [tenant, source])),
    ...(await count(pool, source)),
  }));
  app.get<Ids>('/walled/:tenant/:source', ({ params: { tenant, source } }) =>
    walled(tenant, async (client) => ({
      ...(await read(client, [tenant, source])),
      ...(await count(client, source)),
    })),
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
  process.send?.({ url: app.listeningOrigin });
  process.once('disconnect', () => process.exit(0));
}

await main();
