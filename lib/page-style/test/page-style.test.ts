import t from 'tap';
import { pageFile, pageHead, pageHeader } from '../src/index.ts';

t.test('every file that a plain page or its style names is there, and no other', async (t) => {
  const named = [...`${pageHead('/at')}${pageHeader('/at')}`.matchAll(/"\/at\/([^"]+)"/g)].map(([, name = '']) => name);
  const style = String((await pageFile('plain.css'))?.body);
  const fonts = [...style.matchAll(/url\(([^)]+)\)/g)].map(([, name = '']) => name);
  t.not(fonts.length, 0);
  for (const name of [...named, ...fonts]) t.ok((await pageFile(name))?.body.length, name);
  for (const name of ['package.json', 'constructor', '../package.json', '']) t.equal(await pageFile(name), undefined);
});

t.test('a plain page takes its colours from the tokens alone, and names none that they lack', async (t) => {
  const [tokens, plain] = [String((await pageFile('tokens.css'))?.body), String((await pageFile('plain.css'))?.body)];
  for (const [, name = ''] of plain.matchAll(/var\((--[\w-]+)\)/g)) t.match(tokens, `${name}:`, name);
});
