import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import t from 'tap';
import { configFaults } from '../src/config/check-config.ts';
import { linearPattern } from '../src/config/linear-pattern.ts';
import { walkConfig } from '../src/config/walk-config.ts';
import type { Pattern } from '../src/pattern/pattern-file.ts';

/** Patterns for which a matcher that goes back takes time beyond measure, or that are large themselves. */
const EVIL = [
  '^(a+)+$',
  '^(a|a)*$',
  '^(a|aa)+$',
  '^(a*)*$',
  '^((a*)*)*$',
  '^(?:(?:a+)+)+$',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '(x+x+)+y',
  '(.*)*=',
  '(.*a){20}$',
  '(.*.*.*.*)=',
  '^([a-zA-Z]+)*$',
  '^(?:.?)+x$',
  '(\\w+\\s?)*$z',
  '\\s+$',
  '^[\\s\\S]*[\\s\\S]*[\\s\\S]*z$',
  '^(?:a|b|ab)*c$',
  '(a?){1000}a{1000}',
  '^(a{0,30}){0,30}$',
  '(?:a{1,100}){1,100}b',
  '[a-z]{1000}[0-9]',
  '^(?=(a+))a*b\\1$',
  'a{1000}'.repeat(280),
  '(a{1,1000}b?)'.repeat(150),
  '(?:a{30}){33}'.repeat(150),
  '\\p{L}{1000}',
];
const LONG = `${'a'.repeat(100_000)}!`;

const patternOf = (spec: object) => ({ spec, namedCredentials: [], credentialFields: [] }) as unknown as Pattern;

t.test('no pattern of a specification holds up the loop, whatever text it meets', async (t) => {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  for (const pattern of EVIL) {
    const spec = {
      type: 'object',
      properties: { text: { type: 'string', pattern } },
      patternProperties: { [pattern]: { type: 'string' } },
    };
    configFaults(patternOf(spec), { text: LONG, [LONG]: 'x' });
    await turn();
  }
  delay.disable();
  t.pass('each ends: one that were not linear would take hours, and the runner ends a file that does');
  t.comment(`longest stand of the loop: ${(delay.max / 1e6).toFixed(0)} ms`);
});

t.test('patterns mean what they mean in JavaScript', async (t) => {
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

t.test('what cannot run in linear time is left to the connector as a rule, and shows no field', async (t) => {
  const spec = {
    type: 'object',
    properties: { text: { type: 'string', pattern: '^(?!no).*$' }, name: { type: 'string', pattern: '^a+$' } },
    patternProperties: { '^(?!pass)': { type: 'string' }, '^x-': { type: 'string' } },
  };
  t.strictSame(configFaults(patternOf(spec), { text: 'no', name: 'aa', 'x-1': 'b' }), []);
  t.strictSame(configFaults(patternOf(spec), { name: 'b' }), [{ pointer: '/source_config/name', code: 'pattern' }]);
  t.strictSame(walkConfig({ password: 'p', 'x-1': 'b' }, spec).visible, { 'x-1': 'b' });
  t.equal(linearPattern('(?<=a)b'), undefined);
  t.equal(linearPattern('('), undefined);
  t.equal(linearPattern('a'.repeat(3_000)), undefined);
});
