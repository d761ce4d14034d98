import t from 'tap';
import { discover, folder } from './kit.ts';

type Schemas = Record<string, { weir_type?: string; weir_format?: string }>;
const typesOf = (catalog: { streams: { json_schema: { properties: Schemas } }[] }) =>
  Object.values(catalog.streams[0]?.json_schema.properties ?? {}).map(({ weir_type = 'text', weir_format }) =>
    weir_format === undefined ? weir_type : `${weir_type} ${weir_format}`,
  );

/** What most rows of a column hold, what one far behind the first does, and the type of both. */
const LATE: readonly (readonly [usual: string, late: string, type: string])[] = [
  ['1', '2', 'long'],
  ['1', '007', 'text'],
  ['1', ' 7', 'long'],
  ['1', '+7', 'text'],
  ['1', '-0', 'text'],
  ['1', '2.5', 'double'],
  ['1', '9223372036854775807', 'long'],
  ['1', '9223372036854775808', 'text'],
  ['1', '0x1', 'text'],
  ['1', '1E5', 'text'],
  ['1', '2024-01-01', 'text'],
  ['0.5', '2', 'double'],
  ['0.5', '.25', 'double'],
  ['0.5', '5.', 'text'],
  ['0.5', '00.5', 'text'],
  ['0.5', '1e-05', 'double'],
  ['0.5', '1e5', 'text'],
  ['0.5', '1.5e400', 'text'],
  ['0.5', '0.30000000000000004', 'double'],
  ['0.5', '1234567890123456.78', 'decimal(18, 2)'],
  ['0.5', '9007199254740993', 'decimal(18, 1)'],
  ['0.5', '12345678901234567890123456789012345678.5', 'text'],
  ['0.5', 'nan', 'text'],
  ['2024-02-28', '2024-02-29', 'date'],
  ['2024-02-28', '2024-02-30', 'text'],
  ['2024-02-28', '0000-01-01', 'text'],
  ['2024-02-28', '12024-01-01', 'text'],
  ['2024-02-28', 'infinity', 'text'],
  ['2024-02-28', '2024-02-28 00:00:00', 'text'],
  ['01/02/2021', '03/04/2021', 'text'],
  ['01/02/2021', '12/25/2021', 'date %m/%d/%Y'],
  ['01/02/2021', '25/12/2021', 'date %d/%m/%Y'],
  ['12/25/2021', '25/12/2021', 'text'],
  ['13.02.2021', '31.04.2021', 'text'],
  ['2021/01/02', '2021/02/01', 'date %Y/%m/%d'],
  ['13/02/21', '14/02/21', 'text'],
  ['13/02/2021 10:00', '14/02/2021 23:59', 'timestamp %d/%m/%Y %H:%M'],
  ['13/02/2021 10:00', '14/02/2021 23:59:59', 'text'],
  ['2024-01-01 10:00:00', '2024-01-01T10:00:00.123456789', 'timestamp'],
  ['2024-01-01 10:00:00', '2024-01-01 10:00:00Z', 'text'],
  ['2024-01-01 10:00:00', '2024-01-01 24:00:00', 'text'],
  ['2024-01-01 10:00:00', '12024-01-01 10:00:00', 'text'],
  ['2024-01-01T10:00:00Z', '2024-01-01T10:00:00+05:30', 'timestamptz'],
  ['2024-01-01T10:00:00Z', '0001-01-01T00:00:00+05:30', 'text'],
  ['10:00:00', '23:59:59.5', 'time'],
  ['10:00:00', '24:00:00', 'text'],
  ['true', 'false', 'boolean'],
  ['true', 'True', 'text'],
  ['true', '1', 'text'],
  ['', '5', 'long'],
  ['', 'x', 'text'],
  ['', '', 'text'],
];

t.test('one value far behind the first rows decides the type of its column', async (t) => {
  const usual = `${LATE.map(([one]) => one).join(',')}\n`;
  const head = `${LATE.map((_, at) => `c${at}`).join(',')}\n`;
  const late = `${LATE.map(([, one]) => one).join(',')}\n`;
  const path = await folder({ 'a.csv': `${head}${usual.repeat(1200)}${late}${usual.repeat(10)}` });
  const types = typesOf(await discover({ path }));
  for (const [at, [one, other, type]] of LATE.entries()) t.equal(types[at], type, `${one} and ${other}`);
});

t.test('the values of several files are taken together', async (t) => {
  const typeOf = async (...values: string[]) => {
    const files = values.map((value, at) => [`${at}.csv`, `v,w\n${value},x\n`]);
    return typesOf(
      await discover({ path: await folder(Object.fromEntries(files)), streams: [{ name: 's', glob: '*' }] }),
    )[0];
  };
  t.equal(await typeOf('1', '2.5'), 'double');
  t.equal(await typeOf('1', '2.5', '1234567890123456.78'), 'decimal(18, 2)');
  t.equal(await typeOf('9007199254740993', '2.5'), 'decimal(18, 1)');
  t.equal(await typeOf('0.25', '12345678901234567890123456789012345678.5'), 'text');
  t.equal(await typeOf('01/02/2021', '13/02/2021'), 'date %d/%m/%Y');
  t.equal(await typeOf('13/02/2021', '02/13/2021'), 'text');
  t.equal(await typeOf('true', 'True'), 'text');
  t.equal(await typeOf('', '7'), 'long');
  t.equal(await typeOf('7', 'x'), 'text');
});
