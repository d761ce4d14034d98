import t from 'tap';
import { withLateHint } from '../src/model/failure/late-hint.ts';

t.test('a connector that is late is told of by what bounds the work that it was asked for', (t) => {
  const told = (code: string, work: 'discovery' | 'sync') =>
    withLateHint({ code, origin: 'source', retryable: true, detail: 'x.', hint: 'as it was' }, work).hint;
  for (const code of ['connector_never_spoke', 'connector_silent', 'connector_run_too_long'])
    t.match(told(code, 'discovery'), /WEIR_DISCOVERY_MAX_SECONDS/, code);
  for (const code of ['connector_never_spoke', 'connector_silent'])
    t.match(told(code, 'sync'), /WEIR_SYNC_MAX_SILENT_SECONDS/, code);
  t.match(told('connector_run_too_long', 'sync'), /in one sync/);
  for (const work of ['discovery', 'sync'] as const) t.equal(told('connector_failed', work), 'as it was');
  t.end();
});
