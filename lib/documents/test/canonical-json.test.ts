import { canonicalJson } from '@weir/documents';
import fc from 'fast-check';
import t from 'tap';

t.test('the canonical form of a value is one text, whatever the order of its members', async (t) => {
  t.equal(
    canonicalJson({ b: [1, null, 'é\n'], a: { '€': 1e21, '\r': -0 } }),
    '{"a":{"\\r":0,"€":1e+21},"b":[1,null,"é\\n"]}',
  );
  const same = fc.property(fc.jsonValue(), (value) => {
    const shuffled = (one: unknown): unknown => {
      if (Array.isArray(one)) return one.map(shuffled);
      if (typeof one !== 'object' || one === null) return one;
      return Object.fromEntries(
        Object.entries(one)
          .reverse()
          .map(([name, member]) => [name, shuffled(member)]),
      );
    };
    const text = canonicalJson(value);
    return text === canonicalJson(shuffled(value)) && canonicalJson(JSON.parse(text)) === text;
  });
  fc.assert(same, { numRuns: 1_000 });
});
