import { gzipSync } from 'node:zlib';
import t from 'tap';
import { parseCsv } from '../src/answer/parse-csv.ts';
import { parseXml } from '../src/answer/parse-xml.ts';
import { snakeCase } from '../src/answer/transform.ts';
import { linksOf } from '../src/page/links.ts';
import { formatTime } from '../src/time/format-time.ts';
import { parseDuration, parseTime } from '../src/time/parse-time.ts';
import { configOf, dataOf, errorOf, manifest, read, retriever, serve } from './kit.ts';

t.test('XML is members, lists and text', async (t) => {
  t.strictSame(parseXml('<a/>'), { a: null });
  t.strictSame(parseXml('<a x="1&lt;"> t <b/>u</a>'), { a: { '@x': '1<', b: null, '#text': 't u' } });
  t.strictSame(parseXml('<a><b>1</b><b>2</b><c>&#65;&unknown;</c></a>'), { a: { b: ['1', '2'], c: 'A&unknown;' } });
  t.strictSame(parseXml('<a>&constructor;&__proto__;</a>'), { a: '&constructor;&__proto__;' });
  t.same(Object.keys(parseXml('<a><__proto__>1</__proto__></a>') as object), ['a']);
  const bomb = '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>';
  for (const bad of ['', 'x', '<a>', '<a></b>', '</a>', '<a/><b/>', bomb, '<a>'.repeat(300) + '</a>'.repeat(300)])
    t.throws(() => parseXml(bad), SyntaxError, bad.slice(0, 20));
});

t.test('CSV is rows by their header', async (t) => {
  t.strictSame(parseCsv('\ufeffa,b\r\n1,"x\ny"\r\n\r\n"2"\r\n', ','), [
    { a: '1', b: 'x\ny' },
    { a: '2', b: null },
  ]);
  t.strictSame(parseCsv('a\n', ','), []);
  t.throws(() => parseCsv('a\n"x', ','), SyntaxError);
});

t.test('moments are read and written to the microsecond, at their own offset', async (t) => {
  for (const [text, format] of [
    ['constructor2024', 'constructor%Y'],
    ['2024-02-29T23:59:59.123456+0530', '%Y-%m-%dT%H:%M:%S.%f%z'],
    ['31 Dec 1999 11:05:09 PM', '%d %b %Y %I:%M:%S %p'],
    ['1717200000', '%s'],
    ['1717200000123', '%ms'],
    ['1717200000123456', '%epoch_microseconds'],
    ['2024-060', '%Y-%j'],
    ['2024-01-02T03:04:05.678Z', '%Y-%m-%dT%H:%M:%S.%_msZ'],
  ] as const) {
    const at = parseTime(text, format);
    t.equal(at && formatTime(at, format), text, format);
  }
  for (const [text, format] of [
    ['2023-02-29', '%Y-%m-%d'],
    ['2024-13-01', '%Y-%m-%d'],
    ['2024-01-01x', '%Y-%m-%d'],
    ['', '%s'],
    ['2024', '%Q'],
  ] as const)
    t.equal(parseTime(text, format), undefined, text);
  t.match(parseDuration('P1Y2M3DT4H5M6.5S'), { months: 14, micros: 273906500000n });
  t.equal(parseDuration('P'), undefined);
});

t.test('names, links and large answers', async (t) => {
  t.strictSame(['camelCase', 'Already_snake', 'With Space', '2ndName', 'ÄrgerÜber', 'HTTPServer'].map(snakeCase), [
    'camel_case',
    'already_snake',
    'with_space',
    '_2_nd_name',
    'arger_uber',
    'httpserver',
  ]);
  t.strictSame(linksOf('<http://x/?a=1,2>; rel="next"; title="a, b", <http://y>;rel=prev'), {
    next: { url: 'http://x/?a=1,2', rel: 'next' },
    prev: { url: 'http://y', rel: 'prev' },
  });
  const server = await serve(() => ({ body: gzipSync(Buffer.alloc(40 << 20)) }));
  const decoder = { type: 'GzipDecoder', decoder: { type: 'JsonDecoder' } };
  const said = await read(configOf(server.url, manifest({ retriever: retriever({}, { decoder }) })), server.port);
  t.match(errorOf(said), { internal_message: 'answer_too_large', hint: /^\/streams\/0\/retriever\/decoder: / });
});

t.test('a text that is no word for yes or no stays a text, whatever an object calls its members', async (t) => {
  const texts = ['Yes', 'off', 'maybe', 'constructor', '__proto__'];
  const server = await serve(() => ({ json: { data: texts.map((is) => ({ is })) } }));
  const schema = { type: 'object', properties: { is: { type: 'boolean' } } };
  const selector = {
    ...{ type: 'RecordSelector', extractor: { type: 'DpathExtractor', field_path: ['data'] } },
    schema_normalization: 'Default',
  };
  const stream = {
    schema_loader: { type: 'InlineSchemaLoader', schema },
    retriever: retriever({}, { record_selector: selector }),
  };
  const said = await read(configOf(server.url, manifest(stream)), server.port);
  t.strictSame(
    dataOf(said),
    [true, false, 'maybe', 'constructor', '__proto__'].map((is) => ({ is })),
  );
});
