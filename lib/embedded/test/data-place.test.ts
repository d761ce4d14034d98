import { chmodSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import t, { type Test } from 'tap';
import { startPostgres } from '../src/index.ts';
import { dataPlace, postmasterPid } from '../src/postgres/data-dir.ts';
import { reachable, unprivileged } from '../src/unprivileged.ts';

const STRANGER = { uid: 54_321, gid: 54_321 };

/** A folder of this test that everyone may enter, below one that they may as well. */
function open(t: Test): string {
  const folder = t.testdir({ closed: { inner: {} }, open: { inner: {} } });
  for (const name of ['open', 'open/inner']) chmodSync(path.join(folder, name), 0o711);
  chmodSync(path.join(folder, 'closed'), 0o700);
  return folder;
}

t.test('a folder is in reach of a stranger only when every folder above it lets them through', async (t) => {
  const folder = open(t);
  const above = reachable(folder, STRANGER);
  t.equal(reachable(path.join(folder, 'open/inner'), STRANGER), above);
  t.equal(reachable(path.join(folder, 'open/inner/not-yet/there'), STRANGER), above, 'the absent part does not count');
  t.notOk(reachable(path.join(folder, 'closed/inner'), STRANGER));
  const { uid, gid } = statSync(folder);
  t.ok(reachable(path.join(folder, 'closed/inner'), { uid, gid }), 'the owner may enter');
});

t.test('data that a server could not reach go to one place that the wanted path decides', async (t) => {
  const wanted = path.join(open(t), 'closed/data');
  t.equal(dataPlace(wanted, undefined), wanted, 'without a change of user the wish is law');
  const place = dataPlace(wanted, STRANGER);
  t.match(place, /^\/var\/tmp\/weir-[0-9a-f]{16}$/);
  t.equal(dataPlace(wanted, STRANGER), place);
  t.not(dataPlace(`${wanted}2`, STRANGER), place);
});

t.test('data in use by a living process are refused by its id; the mark of a dead one is no hindrance', async (t) => {
  const folder = t.testdir();
  const mark = path.join(folder, 'postmaster.pid');
  t.equal(await postmasterPid(folder), undefined, 'no mark');
  writeFileSync(mark, `${process.pid}\n${folder}\n`);
  t.equal(await postmasterPid(folder), process.pid);
  writeFileSync(mark, '4194303\n');
  t.equal(await postmasterPid(folder), undefined, 'above the highest id that Linux gives by default');
  writeFileSync(mark, 'nonsense');
  t.equal(await postmasterPid(folder), undefined);
});

t.test('a second server on data that are in use is refused, and data of another release too', async (t) => {
  const folder = t.testdir();
  const dataDir = path.join(folder, 'data');
  const place = dataPlace(dataDir, unprivileged());
  t.teardown(() => rmSync(place, { recursive: true, force: true }));
  const options = { dataDir, logFile: path.join(folder, 'log'), superuserPassword: 'secret' };
  mkdirSync(place);
  writeFileSync(path.join(place, 'PG_VERSION'), '9\n');
  await t.rejects(startPostgres(options), /made by Postgres 9, this is 18/);
  writeFileSync(path.join(place, 'postmaster.pid'), `${process.pid}\n`);
  await t.rejects(startPostgres(options), new RegExp(`in use by process ${process.pid}`));
});
