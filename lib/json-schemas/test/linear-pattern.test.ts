import { linearPattern } from '@weir/json-schemas';
import fc from 'fast-check';
import t from 'tap';

t.test('a pattern matches what it matches in JavaScript', async (t) => {
  const patterns = [
    '^[a-z][a-z0-9_-]{0,62}$',
    '^https?:\\/\\/[^\\s/]+(?:/.*)?$',
    '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z$',
    '^(?<name>\\w+)\\.\\w{2,}$',
    '[\\u0041-\\u005a]',
    '^$|^.$',
    '^s3://',
    'b\\b',
  ];
  const texts = fc.oneof(
    fc.string(),
    fc.constantFrom('abc', 'a-1_', 'https://a.b/c', '2024-01-02T03:04:05Z', 'x.yz', 'Q', '', 's3://b', 'ab c', 'a\nb'),
  );
  const law = fc.property(fc.constantFrom(...patterns), texts, (pattern, text) => {
    return linearPattern(pattern)?.(text) === new RegExp(pattern, 'u').test(text);
  });
  t.doesNotThrow(() => fc.assert(law, { numRuns: 1_000 }));
});

t.test('look-around, a broken pattern and one that is too long → undefined', async (t) => {
  t.equal(linearPattern('(?<=a)b'), undefined);
  t.equal(linearPattern('('), undefined);
  t.equal(linearPattern('a'.repeat(3_000)), undefined);
});
