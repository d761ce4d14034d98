import { glob } from 'node:fs/promises';
import path from 'node:path';
import t from 'tap';
import { cases, inLane, LANE_VARIABLE, sample } from '../lane.ts';
import { laneFiles } from '../lane-files.ts';
import { LANES, type LaneName } from '../lanes.ts';
import { hashInputs } from '../soak-results.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const NAMES = Object.keys(LANES) as LaneName[];

t.test('every soak file belongs to a lane, and every lane runs something and has inputs', async (t) => {
  const inLanes = new Map(await Promise.all(NAMES.map(async (name) => [name, await laneFiles(ROOT, name)] as const)));
  const soaks = await Array.fromAsync(
    glob('**/test/**/*.soak.ts', { cwd: ROOT, exclude: (name) => name.includes('node_modules') }),
  );
  t.strictSame(
    soaks.filter((file) => ![...inLanes.values()].flat().includes(file)),
    [],
  );
  const idle = NAMES.filter((name) => {
    const lane = LANES[name];
    return !('program' in lane) && !('hog' in lane) && inLanes.get(name)?.length === 0;
  });
  t.strictSame(idle, []);
  for (const name of NAMES) t.match(await hashInputs(LANES[name]), /^[0-9a-f]{16}$/, name);
});

t.test('a law is sampled evenly and alike in npm test, and whole in its lane', (t) => {
  const before = process.env[LANE_VARIABLE];
  t.teardown(() => {
    if (before === undefined) delete process.env[LANE_VARIABLE];
    else process.env[LANE_VARIABLE] = before;
  });
  const all = Array.from({ length: 10 }, (_, at) => at);
  delete process.env[LANE_VARIABLE];
  t.strictSame(sample('crashes', all, 4), [0, 2, 5, 7]);
  t.strictSame([cases(1_000), cases(40), cases(5)], [100, 10, 5]);
  process.env[LANE_VARIABLE] = 'crashes';
  t.ok(inLane('crashes'));
  t.strictSame(sample('crashes', all, 4), all);
  process.env[LANE_VARIABLE] = 'properties';
  t.strictSame(sample('crashes', all, 4), [0, 2, 5, 7]);
  t.equal(cases(1_000), 1_000);
  t.end();
});
