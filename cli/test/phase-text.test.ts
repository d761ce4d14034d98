import t from 'tap';
import { durationText } from '../src/duration.ts';
import { phaseText } from '../src/run/phase-text.ts';
import { countOf } from '../src/run/progress.ts';
import { readingClock, syncLines } from '../src/run/watch-sync.ts';

const sync = {
  phase: 'reading' as const,
  pull: null,
  rows_read: 1_234_567,
  rows_written: 1_000_000,
  bytes_read: 56_789_012,
  streams: [
    { name: 'orders', status: 'running', rows_read: 1_234_567, rows_written: 1_000_000 },
    { name: 'vat', status: 'pending', rows_read: 0, rows_written: 0 },
  ],
} as unknown as Parameters<typeof syncLines>[0];

t.test('a phase is its word, and that of a pull says how far it is', async (t) => {
  const pulled = (bytes: number, total_bytes: number | null) =>
    phaseText({ phase: 'pulling', pull: { bytes, total_bytes } });
  t.equal(phaseText({ phase: 'waiting', pull: null }), 'waiting');
  t.equal(pulled(0, null), 'pulling 0.0 MB');
  t.equal(pulled(12_345_678, null), 'pulling 12.3 MB', 'no total is made up while the registry has told none');
  t.equal(pulled(12_345_678, 480_000_000), 'pulling 12.3 MB of 480.0 MB');
});

t.test('a running sync is one line for the whole and one for each stream', async (t) => {
  t.strictSame(syncLines(sync, 10), [
    '  ▸ sync reading 1,234,567 rows read, 1,000,000 committed, 56.8 MB of JSON 123,457 rows/s',
    '    orders  running  1,234,567 read  1,000,000 committed',
    '    vat     pending  0 read  0 committed',
  ]);
  const pulling = { ...sync, phase: 'pulling' as const, pull: { bytes: 1_000_000, total_bytes: 2_000_000 } };
  t.match(
    syncLines(pulling, 0),
    [/^ {2}▸ sync pulling 1\.0 MB of 2\.0 MB 1,234,567 rows read, .* 56\.8 MB of JSON $/],
    'no rate of no time',
  );
});

t.test('nothing more is read → the rate stays that of the reading', async (t) => {
  let now = 0;
  const seconds = readingClock(() => now);
  const seen = [1, 2, 2, 2].map((rows) => {
    now += 1_000;
    return seconds(rows);
  });
  t.strictSame(seen, [1, 2, 2, 2]);
});

t.test('one of a thing, whole minutes → no plural, no seconds', async (t) => {
  t.strictSame([countOf(0, 'stream'), countOf(1, 'stream')], ['0 streams', '1 stream']);
  t.strictSame([durationText(600_000), durationText(119_700), durationText(125_000)], ['10 min', '2 min', '2 min 5 s']);
});
