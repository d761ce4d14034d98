import t from 'tap';
import { createTenant, migrate, migrations } from '../src/index.ts';
import { emptyDatabase } from './database.ts';

const SUBJECT = '018f4a6e-0000-7000-8000-000000000009';
const runId = (end: number) => `018f4a6e-0000-7000-8000-00000000000${end}`;

t.test('runs that a parent carries out → the workflow of the whole, at any depth; others keep theirs', async (t) => {
  const database = await emptyDatabase(t);
  const owner = database.as('weir_owner');
  const before = migrations.findIndex(({ name }) => name === 's53_workflow_of_parts');
  await migrate(owner, migrations.slice(0, before));
  const { tenantId } = await createTenant(owner, 'acme');
  const session = await database.session(database.superuserUrl);
  const rows: readonly (readonly [end: number, carriedBy: string, parent: number | undefined])[] = [
    [1, 'workflow', undefined],
    [2, 'parent', 1],
    [3, 'parent', 2],
    [4, 'caller', 1],
    [5, 'workflow', 1],
  ];
  for (const [end, carriedBy, parent] of rows) {
    await session.query(
      `insert into kernel.run (tenant_id, run_id, kind, subject_id, exclusive, status, workflow_id, requested_by, carried_by, parent_run_id)
       values ($1, $2, 'k', $3, false, 'succeeded', $4, 'ada', $5, $6)`,
      [tenantId, runId(end), SUBJECT, `w${end}`, carriedBy, parent === undefined ? null : runId(parent)],
    );
  }
  await migrate(owner, migrations);
  const app = await database.session(database.as('weir_app'));
  t.strictSame((await app.query('select run_id from kernel.run')).rows, [], 'row security is forced again');
  await app.query(`select set_config('app.tenant', $1, false)`, [tenantId]);
  const found = await app.query('select workflow_id from kernel.run order by run_id');
  t.strictSame(
    found.rows.map(({ workflow_id }) => workflow_id),
    ['w1', 'w1', 'w1', 'w4', 'w5'],
  );
  await t.rejects(app.query(`update kernel.run set workflow_id = 'w4' where run_id = '${runId(5)}'`), /run_workflow/);
});
