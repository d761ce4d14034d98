import fc from 'fast-check';
import t from 'tap';
import { DocumentFault } from '../src/document-fault.ts';
import { strictJson } from '../src/strict-json.ts';

const codeOf = (text: string | Buffer): string => {
  try {
    strictJson(Buffer.from(text));
    return 'accepted';
  } catch (error) {
    return error instanceof DocumentFault ? error.code : 'not a fault';
  }
};

t.test('what JSON.parse would silently change is refused', async (t) => {
  t.equal(codeOf('{"a":9007199254740993}'), 'unsafe_number');
  t.equal(codeOf('{"a":1e400}'), 'unsafe_number');
  t.equal(codeOf('{"a":1,"a":2}'), 'malformed_json', 'a repeated key');
  t.equal(codeOf('{"a":1,"a":1}'), 'accepted', 'repeated with the same value: nothing is lost');
  t.equal(codeOf('{"__proto__":{"x":1}}'), 'malformed_json');
  t.equal(codeOf('{"a":{"constructor":{}}}'), 'malformed_json');
  t.equal(codeOf(Buffer.from([0x22, 0xff, 0x22])), 'malformed_json', 'not UTF-8');
  t.equal(codeOf(`${'['.repeat(65)}${']'.repeat(65)}`), 'malformed_json', 'deeper than 64');
  t.equal(codeOf('['.repeat(100_000)), 'malformed_json', 'far too deep');
  t.equal(codeOf(`[${'1,'.repeat(39_998)}1]`), 'accepted', 'as many values as may be');
  t.equal(codeOf(`[${'1,'.repeat(39_999)}1]`), 'payload_too_large', 'one value more');
  t.equal(codeOf('{"a":"x\\u0000"}'), 'malformed_json', 'NUL');
  t.equal(codeOf('{"a\\u0000":1}'), 'malformed_json', 'NUL in a key');
  t.equal(codeOf('{"a":["\\ud800"]}'), 'malformed_json', 'half of a surrogate pair');
  t.equal(codeOf('{"\\udc00a":1}'), 'malformed_json', 'half of a pair in a key');
  t.equal(codeOf('{"a":"\\ud83d\\ude00"}'), 'accepted', 'a whole pair');
  t.equal(codeOf(''), 'malformed_json');
  t.equal(codeOf('{"a":1} x'), 'malformed_json');
  t.equal(({} as { x?: number }).x, undefined);
});

t.test('every JSON document without those faults reads as JSON.parse reads it', async (t) => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const text = JSON.stringify(value);
      if (/"(__proto__|constructor|prototype)":|\\u(0000|d[89a-f])/.test(text)) return true;
      const read = codeOf(text);
      return (
        read === 'unsafe_number' || JSON.stringify(strictJson(Buffer.from(text))) === JSON.stringify(JSON.parse(text))
      );
    }),
  );
  t.pass('holds');
});
