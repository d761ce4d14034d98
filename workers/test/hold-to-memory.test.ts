import fc from 'fast-check';
import t from 'tap';
import { memoryFaults } from '../src/hold-to-memory.ts';

const of = (memoryMiB: number, filesMiB = 0) => ({ memoryMiB, filesMiB });

t.test('slots that fit are no fault, and those that do not are told by their variable and what fits', async (t) => {
  const source = (slots: number) => [{ role: 'source', slots, slotMiB: 512 }];
  t.strictSame(memoryFaults(of(4_608), source(8)), [], 'to the last MiB');
  t.match(memoryFaults(of(4_607), source(8)), [/^WORKFLOW_SOURCE_MAX_CONCURRENT_ACTIVITIES is 8, .* 7 of them do$/]);
  t.match(memoryFaults(of(1_000), source(1)), [/not one of them does$/]);
  t.strictSame(memoryFaults(of(1_000), [{ role: 'discovery', slots: 8, slotMiB: 0 }]), [], 'slots that take nothing');
  t.strictSame(memoryFaults(of(9_216, 4_096), source(9)), [], 'beside files in memory, to the last MiB');
  t.match(memoryFaults(of(9_216, 4_096), source(17)), [/512 itself and 4096 for files in memory: 9 of them do$/]);
  t.match(memoryFaults(of(4_096, 4_096), source(1)), [/not one of them does$/]);
  const two = [...source(4), { role: 'nightly-load', slots: 2, slotMiB: 1_024 }];
  t.match(memoryFaults(of(3_584), two), [
    /SOURCE_MAX_CONCURRENT_ACTIVITIES.*: 2 of/,
    /NIGHTLY_LOAD_MAX_CONCURRENT_ACTIVITIES.*: 1 of/,
  ]);
});

t.test('law: as many slots as are told to fit do, and one more does not', async (t) => {
  const role = fc.record({ slots: fc.integer({ min: 1, max: 64 }), slotMiB: fc.integer({ min: 1, max: 4_096 }) });
  const roles = fc
    .array(role, { minLength: 1, maxLength: 3 })
    .map((all) => all.map((one, at) => ({ ...one, role: `r${at}` })));
  const memories = fc.record({
    memoryMiB: fc.integer({ min: 0, max: 1 << 17 }),
    filesMiB: fc.integer({ min: 0, max: 1 << 14 }),
  });
  fc.assert(
    fc.property(memories, roles, (memory, given) => {
      const faults = memoryFaults(memory, given);
      return faults.every((fault, at) => {
        const fit = Number(/: (\d+) of them do$/.exec(fault)?.[1] ?? 0);
        const withSlots = (slots: number) =>
          memoryFaults(
            memory,
            given.map((one, i) => (i === at ? { ...one, slots } : one)),
          );
        return (fit === 0 || withSlots(fit).length === 0) && withSlots(fit + 1).length > 0;
      });
    }),
  );
  t.pass();
});
