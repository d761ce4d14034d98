import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import t from 'tap';
import { walkConfig } from '../src/model/config/walk-config.ts';
import { configFaults } from '../src/model/pattern/check-config.ts';
import type { Pattern } from '../src/model/pattern/pattern-file.ts';

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

t.test('what cannot run in linear time is left to the connector as a rule, and shows no field', async (t) => {
  const spec = {
    type: 'object',
    properties: { text: { type: 'string', pattern: '^(?!no).*$' }, name: { type: 'string', pattern: '^a+$' } },
    patternProperties: { '^(?!pass)': { type: 'string' }, '^x-': { type: 'string' } },
  };
  t.strictSame(configFaults(patternOf(spec), { text: 'no', name: 'aa', 'x-1': 'b' }), []);
  t.strictSame(configFaults(patternOf(spec), { name: 'b' }), [
    { pointer: '/source_config/name', code: 'pattern', message: 'must match ^a+$' },
  ]);
  t.strictSame(walkConfig({ password: 'p', 'x-1': 'b' }, spec).visible, { 'x-1': 'b' });
});
