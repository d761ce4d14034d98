import { gzipSync } from 'node:zlib';
import { type HostileDocument, hostile, inBytes } from './hostile-document.ts';

const OVER_THE_LIMIT = 2 * 1024 * 1024;

const broken = hostile('malformed_json', {
  blanks: () => '  \n ',
  'a bare word': (c) => c,
  'single quotes': (c) => `{'name': '${c}'}`,
  'a key without quotes': (c) => `{${c}: 1}`,
  'a trailing comma in an object': (c) => `{"name": "${c}",}`,
  'a trailing comma in an array': (c) => `["${c}",]`,
  'a missing comma': (c) => `{"name": "${c}" "b": 1}`,
  'a missing colon': (c) => `{"name" "${c}"}`,
  'a line comment': (c) => `{"name": "${c}"} // ${c}`,
  'a block comment': (c) => `{/* ${c} */"name": 1}`,
  'an open string': (c) => `{"name": "${c}`,
  'an open object': (c) => `{"name": "${c}"`,
  'an open array': (c) => `["${c}"`,
  'a bracket that closes nothing': (c) => `{"name": "${c}"}]`,
  'two documents': (c) => `{"name": "${c}"}{"name": 1}`,
  'a document a line': (c) => `{"name": "${c}"}\n{"name": 1}`,
  NaN: (c) => `{"${c}": NaN}`,
  Infinity: (c) => `{"${c}": Infinity}`,
  'negative Infinity': (c) => `{"${c}": -Infinity}`,
  undefined: (c) => `{"${c}": undefined}`,
  'True in capitals': (c) => `{"${c}": True}`,
  'a leading zero': (c) => `{"${c}": 012}`,
  'a leading plus': (c) => `{"${c}": +1}`,
  'a leading point': (c) => `{"${c}": .5}`,
  'a trailing point': (c) => `{"${c}": 5.}`,
  'hexadecimal digits': (c) => `{"${c}": 0x10}`,
  'an exponent without digits': (c) => `{"${c}": 1e}`,
  'two signs': (c) => `{"${c}": --1}`,
  'an underscore in a number': (c) => `{"${c}": 1_000}`,
  'a big integer of JavaScript': (c) => `{"${c}": 1n}`,
  'a repeated key': (c) => `{"name": "${c}", "name": "other"}`,
  'a repeated key inside': (c) => `{"a": [{"name": "${c}", "name": 1}]}`,
  'a repeated key by escape': (c) => `{"name": "${c}", "n\\u0061me": 1}`,
  '__proto__ as key': (c) => `{"__proto__": {"polluted": "${c}"}}`,
  '__proto__ by escape': (c) => `{"\\u005f_proto__": {"polluted": "${c}"}}`,
  'constructor inside': (c) => `{"a": {"constructor": {"prototype": {"polluted": "${c}"}}}}`,
  'prototype in an array': (c) => `[{"prototype": "${c}"}]`,
  'NUL in a text': (c) => `{"name": "${c}\\u0000"}`,
  'NUL in a key': (c) => `{"${c}\\u0000": 1}`,
  'half a surrogate pair': (c) => `{"name": "${c}\\ud800"}`,
  'half a surrogate pair in a key': (c) => `{"a": [{"${c}\\udfff": 1}]}`,
  'NUL as a byte': (c) => `{"name": "${c}\0"}`,
  'a line break in a text': (c) => `{"name": "${c}\n"}`,
  'a tab in a text': (c) => `{"name": "${c}\t"}`,
  'an unknown escape': (c) => `{"name": "${c}\\x41"}`,
  'half an escape': (c) => `{"name": "${c}\\u12"}`,
  'bytes that are not UTF-8': (c) => inBytes(`{"name": "${c}`, [0xff], '"}'),
  'an overlong slash': (c) => inBytes(`{"name": "${c}`, [0xc0, 0xaf], '"}'),
  'half a surrogate pair in bytes': (c) => inBytes(`{"name": "${c}`, [0xed, 0xa0, 0x80], '"}'),
  'UTF-16': (c) => Buffer.from(`\ufeff{"name": "${c}"}`, 'utf16le'),
  'nesting of 65': (c) => `${'['.repeat(65)}"${c}"${']'.repeat(65)}`,
  'objects 65 deep': (c) => `${'{"a":'.repeat(65)}"${c}"${'}'.repeat(65)}`,
  'a million brackets': (c) => `["${c}",${'['.repeat(1_000_000)}`,
  '150,000 open objects': (c) => `{"${c}":${'{"a":'.repeat(150_000)}`,
  'a call with a callback': (c) => `callback({"name": "${c}"})`,
  'a guard against inclusion': (c) => `)]}',\n{"name": "${c}"}`,
  'a template': (c) => `{"name": \`${c}\`}`,
  'a form': (c) => `name=${c}&b=1`,
  YAML: (c) => `name: ${c}`,
  XML: (c) => `<?xml version="1.0"?><name>${c}</name>`,
  'a part of a form': (c) => `--x\r\nContent-Disposition: form-data; name="name"\r\n\r\n${c}\r\n--x--`,
  'compressed bytes': (c) => gzipSync(`{"name": "${c}"}`),
});

const unsafe = hostile('unsafe_number', {
  'an integer past 2^53': (c) => `{"${c}": 9007199254740993}`,
  'a negative one': (c) => `{"${c}": [-9007199254740993]}`,
  'the largest 64-bit integer': (c) => `{"${c}": 9223372036854775807}`,
  'a number past all doubles': (c) => `{"${c}": 1e400}`,
  'a million digits': (c) => `{"${c}": ${'9'.repeat(1_000_000)}}`,
});

const large = hostile('payload_too_large', {
  'a text of two megabytes': (c) => `{"name": "${c.padEnd(OVER_THE_LIMIT, 'x')}"}`,
});

/** JSON bodies that must be refused. */
export const hostileJson: readonly HostileDocument[] = [...broken, ...unsafe, ...large];
