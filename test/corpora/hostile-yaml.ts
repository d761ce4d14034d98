import { type HostileDocument, hostile, inBytes } from './hostile-document.ts';

const NINE = 9;

/** Nine lists of nine aliases each, nine levels: a billion texts when expanded. */
const laughs = (canary: string): string =>
  Array.from('abcdefghi', (name, at) => {
    const inner = at === 0 ? canary : `*${'abcdefghi'[at - 1]}`;
    return `${name}: &${name} [${Array(NINE).fill(inner).join(', ')}]`;
  }).join('\n');

const broken = hostile('malformed_yaml', {
  'an empty body': () => '',
  'a comment alone': (c) => `# ${c}`,
  'an open flow sequence': (c) => `name: [${c}, b`,
  'an open flow mapping': (c) => `name: {${c}: 1`,
  'an open double quote': (c) => `name: "${c}`,
  'an open single quote': (c) => `name: '${c}`,
  'a bracket that closes nothing': (c) => `name: ${c}]\n]`,
  'a tab as indentation': (c) => `name:\n\t${c}: 1`,
  'a dedent to nowhere': (c) => `a:\n    b: 1\n  ${c}: 2`,
  'a sequence on the line of its key': (c) => `name: - ${c}`,
  'a key over two lines': (c) => `a\n ${c}: 1`,
  'a key of 2,000 characters': (c) => `${c.padEnd(2_000, 'x')}: 1`,
  'two documents': (c) => `name: ${c}\n---\nname: other`,
  'documents after an end': (c) => `name: ${c}\n...\nname: other`,
  'a repeated key': (c) => `name: ${c}\nname: other`,
  'a repeated key in quotes': (c) => `name: ${c}\n"name": other`,
  'a repeated key in a flow mapping': (c) => `{name: ${c}, name: other}`,
  'a repeated key by escape': (c) => `name: ${c}\n"n\\x61me": other`,
  '__proto__ as key': (c) => `__proto__: {polluted: ${c}}`,
  '__proto__ by escape': (c) => `"\\x5f_proto__": {polluted: ${c}}`,
  'constructor inside': (c) => `name: {constructor: {prototype: {polluted: ${c}}}}`,
  'prototype as key': (c) => `- prototype: ${c}`,
  NUL: (c) => `name: ${c}\0`,
  'NUL by escape': (c) => `name: "${c}\\0"`,
  'NUL by code point': (c) => `name: "${c}\\u0000"`,
  'NUL in a key': (c) => `"${c}\\0": 1`,
  'half a surrogate pair': (c) => `name: "${c}\\ud800"`,
  'half a surrogate pair in a key': (c) => `name: {"${c}\\udfff": 1}`,
  'a terminal escape': (c) => `name: \x1b[2J${c}`,
  'the marker that the parser uses itself': (c) => `name: \x1f${c}`,
  'bytes that are not UTF-8': (c) => inBytes(`name: ${c}`, [0xff, 0xfe]),
  'an overlong slash': (c) => inBytes(`name: ${c}`, [0xc0, 0xaf]),
  'half a surrogate pair in bytes': (c) => inBytes(`name: ${c}`, [0xed, 0xa0, 0x80]),
  'UTF-16': (c) => Buffer.from(`\ufeffname: ${c}`, 'utf16le'),
  'a reserved at sign': (c) => `name: @${c}`,
  'a reserved backtick': (c) => `name: \`${c}`,
  'an unknown escape': (c) => `name: "${c}\\q"`,
  'an alias of nothing': (c) => `name: *${c}`,
  'an alias with an anchor': (c) => `a: &a ${c}\nb: &b *a`,
  'nesting of 65': (c) => `${'['.repeat(65)}${c}${']'.repeat(65)}`,
  'a list in a list, 20,000 deep': (c) => `${'- '.repeat(20_000)}${c}`,
  'a flow sequence 500,000 deep': (c) => `${'['.repeat(500_000)}${c}`,
  'mappings 1,000 deep by indentation': (c) =>
    `${Array.from({ length: 1_000 }, (_, at) => `${' '.repeat(at)}a:`).join('\n')} ${c}`,
  'keys of keys': (c) => `${'? '.repeat(20_000)}${c}`,
  'values without keys': (c) => `${': '.repeat(20_000)}${c}`,
  'a billion laughs': laughs,
  'a long text a thousand times': (c) => `a: &a ${c.padEnd(10_000, 'x')}\nb: [${Array(1_000).fill('*a').join(',')}]`,
  'an alias that reaches past the depth': (c) =>
    `a: &a ${'['.repeat(40)}${c}${']'.repeat(40)}\nb: ${'['.repeat(30)}*a${']'.repeat(30)}`,
  '60,000 items': (c) => `[${`${c.slice(0, 4)},`.repeat(60_000)}]`,
  '60,000 lines': (c) => `# ${c}\n${'- 1\n'.repeat(60_000)}`,
  'a million commas': (c) => `[${c}${','.repeat(1_000_000)}]`,
  'a million closing brackets': (c) => `# ${c}\n${']'.repeat(1_000_000)}`,
  '300,000 anchors': (c) => `# ${c}\n${'&a '.repeat(300_000)}`,
});

const beyond = hostile('yaml_not_json', {
  infinity: (c) => `${c}: .inf`,
  'negative infinity': (c) => `${c}: -.INF`,
  'not a number': (c) => `${c}: .nan`,
  bytes: (c) => `${c}: !!binary aGVsbG8=`,
  'a set': (c) => `name: !!set {${c}}`,
  'an ordered map': (c) => `name: !!omap [${c}: 1]`,
  'a timestamp by tag': (c) => `${c}: !!timestamp 2024-01-01`,
  'a local tag': (c) => `name: !thing ${c}`,
  'a function': (c) => `name: !!js/function "function () { return '${c}' }"`,
  'a program': (c) => `name: !!python/object/apply:os.system ["echo ${c}"]`,
  'an include': (c) => `name: !include /etc/${c}`,
  'a number as key': (c) => `1: ${c}`,
  'a boolean as key': (c) => `true: ${c}`,
  'null as key': (c) => `~: ${c}`,
  'a sequence as key': (c) => `? [${c}]\n: 1`,
  'a mapping as key': (c) => `{a: ${c}}: 1`,
  'a merge key': (c) => `a: &a {x: ${c}}\nb:\n  <<: *a`,
  'a value that holds itself': (c) => `${c}: &a [*a]`,
  'another version of the language': (c) => `%YAML 1.1\n---\n${c}: yes`,
  'a tag directive': (c) => `%TAG ! tag:example.com,2000:\n---\nname: !x ${c}`,
});

const unsafe = hostile('unsafe_number', {
  'an integer past 2^53': (c) => `${c}: 9007199254740993`,
  'a negative one': (c) => `${c}: -9007199254740993`,
  'one in hexadecimal': (c) => `${c}: 0xFFFFFFFFFFFFFFFF`,
  'one by tag': (c) => `${c}: !!int "9223372036854775807"`,
  'a number past all doubles': (c) => `${c}: 1e400`,
});

/** YAML bodies that must be refused. */
export const hostileYaml: readonly HostileDocument[] = [...broken, ...beyond, ...unsafe];
