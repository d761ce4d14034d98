// The program of `weir transforms test`: fixtures as JSON on stdin, how each ended as JSON on stdout.
import { text } from 'node:stream/consumers';
import { Value } from '@sinclair/typebox/value';
import { Fixture, type TestResult } from './fixture.ts';
import { runFixture } from './run-fixture.ts';

const results: TestResult[] = [];
for (const fixture of JSON.parse(await text(process.stdin)) as unknown[]) {
  const fault = Value.Errors(Fixture, fixture).First();
  if (fault !== undefined) results.push({ problems: [`${fault.path || 'the fixture'}: ${fault.message}`], ms: 0 });
  else results.push(await runFixture(Value.Cast(Fixture, fixture)));
}
process.stdout.write(JSON.stringify(results));
