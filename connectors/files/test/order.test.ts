import t from 'tap';
import { discover, folder } from './kit.ts';

t.test('names that are whole numbers → columns in the order of the file, listed in `weir_order`', async (t) => {
  const path = await folder({
    'csv.csv': 'country,2020,2019,2018\nDE,3,2,1\n',
    'json.jsonl': '{"c":{"7":[1]},"2020":1,"2019":"\\":{","a:b":2}\n{"2019":2,"z":1,"2018":1}\n',
    'plain.csv': '1,2,a\n3,4,x\n',
    'twice-a.csv': 'b,2\n1,2\n',
    'twice-b.csv': '1,b,a\n1,2,3\n',
  });
  const streams = ['csv.csv', 'json.jsonl', 'plain.csv', 'twice-*'].map((glob) => ({ name: glob, glob }));
  const catalog = await discover({ path, streams });
  const orders = catalog.streams.map(
    ({ name, json_schema }: { name: string; json_schema: { weir_order?: string[] } }) => [name, json_schema.weir_order],
  );
  t.strictSame(Object.fromEntries(orders), {
    'csv.csv': ['country', '2020', '2019', '2018'],
    'json.jsonl': ['c', '2020', '2019', 'a:b', 'z', '2018'],
    'plain.csv': undefined,
    'twice-*': ['b', '2', '1', 'a'],
  });
});
