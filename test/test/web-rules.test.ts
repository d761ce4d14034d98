import t from 'tap';
import { attention } from '../../ui/src/home/attention.ts';
import { CHOSEN, composeConfig } from '../../ui/src/sources/form/compose-config.ts';

const NOW = new Date('2026-01-02T00:00:00Z');
type Runs = Parameters<typeof attention>[0];
type Sources = Parameters<typeof attention>[1];

/** Runs of one source by their statuses, newest first. */
const runs = (name: string | null, ...statuses: string[]) =>
  statuses.map((status, i) => ({
    run_id: `${name}-${i}`,
    kind: 'source-sync',
    status,
    subject: { kind: 'source', id: String(name), name },
    created_at: '2026-01-01T00:00:00Z',
    ended_at: status === 'pending' ? null : '2026-01-01T01:00:00Z',
    failure: null,
  })) as unknown as Runs;

t.test('the newest ended runs of a source → failed, failed again, recovered, or nothing', async (t) => {
  const kinds = (...statuses: string[]) => attention(runs('a', ...statuses), [], NOW).map(({ kind }) => kind);
  t.strictSame(kinds('failed', 'succeeded'), ['failed']);
  t.strictSame(kinds('failed', 'skipped', 'failed'), ['failed_again'], 'a skipped one breaks no streak');
  t.strictSame(kinds('succeeded', 'cancelled', 'failed'), ['recovered']);
  t.strictSame(kinds('succeeded', 'succeeded'), []);
  t.strictSame(kinds('pending', 'succeeded'), ['waiting']);
  t.strictSame(attention(runs(null, 'failed'), [], NOW), [], 'a connection that was only tested');
});

t.test('a start that is due since minutes → late, unless its schedule is paused', async (t) => {
  const source = (paused: boolean) =>
    [{ source_id: 's', name: 's', schedule: { paused, next_run_at: '2026-01-01T23:50:00Z' } }] as unknown as Sources;
  t.match(attention([], source(false), NOW), [{ kind: 'late' }]);
  t.strictSame(attention([], source(true), NOW), []);
});

t.test('what was typed → a configuration without what is empty, and its credentials by pointer', async (t) => {
  const schema = {
    oneOf: [{ required: ['path'] }, { required: ['url'] }],
    properties: {
      path: { type: 'string' },
      url: { type: 'string' },
      auth: { type: 'object', properties: { user: { type: 'string' }, token: { type: 'string' } } },
      globs: { type: 'array', items: { type: 'string' } },
    },
  };
  const typed = { [CHOSEN]: 'url', path: 'left', url: 'http://a', auth: { user: '', token: 's' }, globs: ['a', ''] };
  t.strictSame(composeConfig(schema, typed, ['/auth/token']), {
    config: { url: 'http://a', globs: ['a'] },
    credentials: { '/auth/token': 's' },
  });
});
