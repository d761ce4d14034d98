import { problem } from '@weir/kernel/contract';

/** The codes that only this plugin's routes answer. */
export const sourceProblems = {
  sourceNotReady: problem({
    code: 'source_not_ready',
    status: 409,
    title: 'Source not ready',
    detail: 'This source is {status}; it must be ready or active for this.',
    hint: 'Run a discovery of the source and wait until it has succeeded, then try again.',
  }),
  noStreamsEnabled: problem({
    code: 'no_streams_enabled',
    status: 409,
    title: 'No streams enabled',
    detail: 'This source has no enabled stream, so there is nothing to sync.',
    hint: 'Enable at least one stream with PATCH /sources/{source_id}/streams/{stream_id}.',
  }),
  streamNotSyncable: problem({
    code: 'stream_not_syncable',
    status: 422,
    title: 'Stream not syncable',
    detail: 'The settings of the stream do not fit together.',
    hint: 'Each entry of errors names the setting and the rule that it breaks.',
  }),
  writeModeUnavailable: problem({
    code: 'write_mode_unavailable',
    status: 422,
    title: 'Write mode unavailable',
    detail: 'The write mode {write_mode} is not available in this version.',
    hint: 'Use append or overwrite.',
  }),
  destinationTaken: problem({
    code: 'destination_taken',
    status: 409,
    title: 'Destination taken',
    detail: 'Something else of this tenant already writes the table that the destination names.',
    hint: 'Choose another destination table for this stream.',
  }),
  nameTaken: problem({
    code: 'name_taken',
    status: 409,
    title: 'Name taken',
    detail: 'Another source of this tenant has this name.',
    hint: 'Choose another name, or rename or delete the other source first.',
  }),
  patternNotFound: problem({
    code: 'pattern_not_found',
    status: 422,
    title: 'Pattern not found',
    detail: 'There is no connector pattern with this pattern_id.',
    hint: 'GET /patterns/discover lists the patterns.',
  }),
  patternNeedsCredentials: problem({
    code: 'pattern_needs_credentials',
    status: 422,
    title: 'Pattern needs credentials',
    detail: 'The pattern {pattern_id} declares credential fields, which this version cannot keep safely.',
    hint: 'Use a pattern without credential fields.',
  }),
  sourceConfigInvalid: problem({
    code: 'source_config_invalid',
    status: 422,
    title: 'Source configuration invalid',
    detail: 'source_config does not fit the specification of its pattern.',
    hint: 'Each entry of errors names the place and the rule; GET /patterns/{pattern_id} shows the specification.',
  }),
  illegalTransition: problem({
    code: 'state_conflict',
    status: 409,
    title: 'State does not allow this',
    detail: 'A source that is {status} cannot do this ({event}).',
    hint: 'Read the source again; another request may have changed its state.',
  }),
};
