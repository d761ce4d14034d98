import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { hasLongNumber, hasLongNumbers } from '../src/spool/long-numbers.ts';

const token = fc.oneof(
  fc.stringMatching(/^-?[0-9]{1,25}(\.[0-9]{1,25})?([eE]-?[0-9]{1,2})?$/),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.string().map((text) => JSON.stringify(text)),
);

t.test('lines that lose digits are found in memory as they are in a file', async (t) => {
  const file = join(t.testdir(), 'lines');
  await fc.assert(
    fc.asyncProperty(fc.array(token), async (tokens) => {
      const lines = Buffer.from(tokens.map((value) => `{"a":${value}}\n`).join(''));
      await writeFile(file, lines);
      return hasLongNumber(lines) === (await hasLongNumbers(file));
    }),
    { numRuns: 1_000 },
  );
  t.equal(hasLongNumber(Buffer.from('{"a":0.12345678901234567890}\n')), true);
  t.equal(hasLongNumber(Buffer.from('{"a":12345678901234567890,"b":"0.12345678901234567890"}\n')), false);
});
