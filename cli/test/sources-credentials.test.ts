import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import t from 'tap';
import { credentialValues } from '../src/credential-values.ts';
import { commandLine } from './command-line.ts';
import { fakeApi } from './fake-api.ts';
import { IDS } from './shapes.ts';

const { source } = IDS;
const AT = `/api/v1/sources/${source}/credentials`;
const REF = `cred_${'a'.repeat(26)}`;
const CANARY = 'CNRY-on-the-command-line';

t.test('values of credentials come from files, variables and stdin, by pointers', async (t) => {
  const file = join(t.testdir(), 'key.pem');
  await writeFile(file, 'line one\nline two\n');
  const values = await credentialValues(
    { text: [`auth.key=@${file}`, 'token=env:TOKEN', '/a~1b=-'], json: ['pin=env:PIN'] },
    { env: { TOKEN: 'from the environment', PIN: '1234' }, stdin: Readable.from(['from ', 'stdin\n']) },
  );
  t.strictSame(values, {
    '/auth/key': 'line one\nline two',
    '/token': 'from the environment',
    '/a~1b': 'from stdin',
    '/pin': 1234,
  });
  const none = { text: [], json: [] };
  t.equal(await credentialValues(none, { env: {}, stdin: Readable.from([]) }), undefined);
});

t.test('a value on the command line is refused and not echoed, and so is whatever cannot be read', async (t) => {
  const refused: [string[], string[], RegExp][] = [
    [[`password=${CANARY}`], [], /password is refused/],
    [[CANARY], [], /given as/],
    [['password=@/nowhere/at/all'], [], /cannot be read/],
    [['password=env:NOT_SET'], [], /not set/],
    [['a=-', 'b=-'], [], /Only one field/],
    [[], ['pin=env:TEXT'], /not JSON/],
  ];
  for (const [text, json, message] of refused) {
    const given = credentialValues({ text, json }, { env: { TEXT: CANARY }, stdin: Readable.from([]) });
    const error = await given.catch((fault: unknown) => fault as Error);
    t.match(error, { name: 'CliError', message });
    t.notMatch(JSON.stringify([error, String(error)]), CANARY);
  }
});

t.test('each step in the life of a credential is a command, and what cannot be taken back asks first', async (t) => {
  const credential = { credential_ref: REF, name: 'shop', version: 1 };
  const ok = (status = 200) => ({ status, body: credential });
  const api = await fakeApi(t, {
    [`GET ${AT}`]: ok(),
    [`POST ${AT}`]: ok(201),
    [`PUT ${AT}`]: ok(),
    [`DELETE ${AT}`]: { status: 204 },
    [`POST ${AT}/migrate`]: ok(),
    [`POST /api/v1/sources/credentials/${REF}/revoke`]: ok(),
    'POST /api/v1/sources': { status: 201, body: { source_id: source } },
  });
  const { weir, home } = commandLine(t);
  const file = join(home, 'password');
  await writeFile(file, 'hunter2!\n');
  const run = (words: string) => weir(`sources ${words} --url ${api.url}`);
  t.match(await run(`credentials get ${source} -o json`), { code: 0, stdout: new RegExp(REF) });
  t.equal((await run(`credentials set ${source} --name shop --field password=@${file}`)).code, 0);
  t.equal((await run(`credentials set ${source} --ref ${REF}`)).code, 0);
  t.equal((await run(`credentials set ${source}`)).code, 2);
  t.equal((await run(`credentials rotate ${source} --field auth.password=@${file}`)).code, 0);
  t.equal((await run(`credentials rotate ${source}`)).code, 2);
  for (const words of [`detach ${source}`, `migrate ${source}`, `revoke ${REF}`]) {
    t.match(await run(`credentials ${words}`), { code: 2, stderr: /This asks first/ });
    t.equal((await run(`credentials ${words} --yes`)).code, 0);
  }
  const made = await run(`create --pattern p --name s --field password=@${file} --credential-name shop`);
  t.equal(made.code, 0);
  t.strictSame(
    api.seen.filter(({ call }) => !call.startsWith('GET')).map(({ call, body }) => [call, body]),
    [
      [`POST ${AT}`, { credential_values: { '/password': 'hunter2!' }, credential_name: 'shop' }],
      [`POST ${AT}`, { credential_ref: REF }],
      [`PUT ${AT}`, { credential_values: { '/auth/password': 'hunter2!' } }],
      [`DELETE ${AT}`, undefined],
      [`POST ${AT}/migrate`, {}],
      [`POST /api/v1/sources/credentials/${REF}/revoke`, undefined],
      [
        'POST /api/v1/sources',
        {
          ...{ name: 's', pattern_id: 'p', source_config: {} },
          ...{ credential_values: { '/password': 'hunter2!' }, credential_name: 'shop' },
        },
      ],
    ],
  );
});
