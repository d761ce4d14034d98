import fastify from 'fastify';
import { Pool, type PoolClient } from 'pg';

const POOL_SIZE = 10;
const SOURCE = `select s.*,
  (select count(*)::int from sources.stream t where t.tenant_id = s.tenant_id and t.source_id = s.source_id) as streams,
  (select count(*)::int from sources.stream t where t.tenant_id = s.tenant_id and t.source_id = s.source_id and t.enabled) as streams_enabled
  from sources.source s where s.tenant_id = $1 and s.source_id = $2 and s.status <> 'retired'`;
const CONTEXT = `select set_config('app.tenant', $1, true)`;

/**
 * What one can do with Fastify and the Postgres driver alone, for comparison: `/plain/:tenant/:source` sends the
 * query that reading a source takes, `/walled/…` sends it as the platform does, in a transaction that sets the
 * tenant for row security first. No token, no validation, no log. Tells its parent the port.
 */
async function main(): Promise<void> {
  const pool = new Pool({ connectionString: process.env.BARE_DATABASE_URL, max: POOL_SIZE });
  const app = fastify();
  const read = async (sql: Pick<PoolClient, 'query'>, [tenant, source]: string[]) => {
    const { rows } = await sql.query(SOURCE, [tenant, source]);
    return rows[0] as object;
  };
  const walled = async <T>(tenant: string, work: (client: PoolClient) => Promise<T>): Promise<T> => {
    const client = await pool.connect();
    await client.query('begin');
    await client.query(CONTEXT, [tenant]);
    const result = await work(client);
    await client.query('commit');
    client.release();
    return result;
  };
  type Ids = { Params: { tenant: string; source: string } };
  app.get<Ids>('/plain/:tenant/:source', ({ params: { tenant, source } }) => read(pool, [tenant, source]));
  app.get<Ids>('/walled/:tenant/:source', ({ params: { tenant, source } }) =>
    walled(tenant, (client) => read(client, [tenant, source])),
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
  process.send?.({ url: app.listeningOrigin });
  process.once('disconnect', () => process.exit(0));
}

await main();
