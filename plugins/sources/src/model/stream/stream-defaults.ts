import type { StreamDefaultsView } from '../../contract/source/pattern-file.ts';
import type { StreamFields } from './entity.ts';
import { changesOf, settingsOf, withAttention } from './settings.ts';
import { faultsOf } from './stream-rules.ts';

/**
 * A new stream as its pattern wants it. How it is read and how it is written go together: a stream that could not be
 * switched on with both, for want of a cursor or of a key, has neither. Pure.
 */
export function withStreamDefaults(stream: StreamFields, wanted: StreamDefaultsView): StreamFields {
  const { sync_mode, write_mode, ...rest } = wanted;
  const asked = { ...stream, ...changesOf(wanted) };
  const fits = faultsOf(settingsOf({ ...asked, enabled: true })).length === 0;
  return withAttention(fits ? asked : { ...stream, ...changesOf(rest) });
}
