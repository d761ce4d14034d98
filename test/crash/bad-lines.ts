/** What a source of these lines says that its rows look like. */
export const BAD_SCHEMA = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    l: { type: 'integer' },
    d: { type: 'number' },
    s: { type: 'string' },
    at: { type: 'string', format: 'date-time' },
    day: { type: 'string', format: 'date' },
    Name: { type: 'string' },
  },
};
/** The columns of its table that a reader asks for. */
export const BAD_FIELDS = ['id', 'l', 'd', 's', 'at', 'day', 'Name', '_errors', '_extra'];
/** A value that does not fit is null, and its text is kept. */
const nulled = (field: string, type: string, text: string) => ({
  _errors: [{ field, change: 'nulled', reason: `invalid_${type}` }],
  _extra: JSON.stringify({ [field]: text }),
});

/** What a line becomes: a row with these values and null elsewhere, or a line in quarantine for this reason. */
export type Fate = Record<string, unknown> | string;

/** Each line has its number as id, where it can have one; bytes above 0x7f stand for themselves. */
export const BAD_LINES: readonly (readonly [what: string, line: string, fate: Fate])[] = [
  [
    'a good row',
    '{"id":0,"l":1,"d":1.5,"s":"good","at":"2024-01-02T03:04:05Z","day":"2024-01-02"}',
    { l: 1, d: 1.5, s: 'good', at: 1_704_164_645_000_000, day: 19_724 },
  ],
  ['NaN', '{"id":1,"d":NaN}', { d: 'nan' }],
  ['an infinity', '{"id":2,"d":-Infinity}', { d: '-inf' }],
  [
    'an integer of 30 digits',
    '{"id":3,"l":123456789012345678901234567890}',
    nulled('l', 'long', '123456789012345678901234567890'),
  ],
  ['one beyond 64 bits', '{"id":4,"l":9223372036854775808}', nulled('l', 'long', '9223372036854775808')],
  ['a number beyond doubles', '{"id":5,"d":1e400}', nulled('d', 'double', '1e400')],
  ['a lone surrogate', '{"id":6,"s":"\\ud800"}', 'lone_surrogate'],
  ['a key twice', '{"id":7,"s":"a","s":"b"}', 'duplicate_key'],
  ['a key that differs from a column in case', '{"id":8,"Name":"A","name":"b"}', { Name: 'A', _extra: '{"name":"b"}' }],
  ['the same without the column', '{"id":9,"NAME":"c"}', { _extra: '{"NAME":"c"}' }],
  ['a number where a string was', '{"id":10,"s":5}', { s: '5' }],
  ['an object where a string was', '{"id":11,"s":{"a":1}}', { s: '{"a":1}' }],
  ['a string where a number was', '{"id":12,"l":"twelve"}', nulled('l', 'long', 'twelve')],
  [
    'the year 20240',
    '{"id":13,"day":"20240-01-01","at":"20240-01-01T00:00:00Z"}',
    { day: 6_672_980, at: 576_545_472e9 },
  ],
  ['a decimal as a number', '{"id":14,"d":0.1}', { d: 0.1 }],
  ['a decimal where an integer was', '{"id":15,"l":1.5}', nulled('l', 'long', '1.5')],
  ['a time without zone', '{"id":16,"at":"2024-01-02T03:04:05"}', { at: 1_704_164_645_000_000 }],
  ['a time with an offset', '{"id":17,"at":"2024-01-02T03:04:05+05:30"}', { at: 1_704_144_845_000_000 }],
  ['a text that never ends', '{"id":18,"s":"un', 'malformed_json'],
  ['bytes that are no text', '{"id":19,"s":"\xff"}', 'invalid_utf8'],
  ['a list in place of an object', '[20]', 'malformed_json'],
  ['null in place of an object', 'null', 'no_data'],
  ['a new field with any number', '{"id":22,"new":{"x":1e400}}', { _extra: '{"new":{"x":1e400}}' }],
  ['the character zero', '{"id":23,"s":"\\u0000"}', { s: '\u0000' }],
];

export const base64 = (text: string): string => Buffer.from(text, 'latin1').toString('base64');
