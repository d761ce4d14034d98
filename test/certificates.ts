import { execFile } from 'node:child_process';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
/** Without what a distribution would add to every certificate by itself. */
const BARE = '[req]\ndistinguished_name = dn\n[dn]\n';

/** A certificate and its key, as files and as PEM. */
export interface TestCertificate {
  certFile: string;
  keyFile: string;
  cert: string;
  key: string;
}

/** An authority of a test, which vouches for nobody else. */
export interface TestAuthority extends TestCertificate {
  /** A certificate for these names, such as `DNS:localhost`; for none, one of a client. */
  issue(name: string, alternatives?: string): Promise<TestCertificate>;
}

/** Makes an authority whose files lie in `folder`, which exists. */
export async function testAuthority(folder: string, name: string): Promise<TestAuthority> {
  const config = join(folder, `${name}.cnf`);
  await writeFile(config, BARE);
  const make = async (subject: string, more: readonly string[]): Promise<TestCertificate> => {
    const [certFile, keyFile] = [join(folder, `${subject}.crt`), join(folder, `${subject}.key`)];
    const files = ['-keyout', keyFile, '-out', certFile];
    await run('openssl', [
      'req',
      '-x509',
      ...NEW_KEY,
      '-config',
      config,
      '-days',
      '2',
      '-subj',
      `/CN=${subject}`,
      ...files,
      ...more,
    ]);
    await chmod(keyFile, 0o600);
    return { certFile, keyFile, cert: await readFile(certFile, 'utf8'), key: await readFile(keyFile, 'utf8') };
  };
  const own = await make(name, ['-addext', 'basicConstraints=critical,CA:TRUE']);
  return {
    ...own,
    issue: (subject, alternatives) =>
      make(subject, [
        ...['-CA', own.certFile, '-CAkey', own.keyFile, '-addext', 'basicConstraints=critical,CA:FALSE'],
        ...['-addext', `extendedKeyUsage=${alternatives === undefined ? 'clientAuth' : 'serverAuth'}`],
        ...(alternatives === undefined ? [] : ['-addext', `subjectAltName=${alternatives}`]),
      ]),
  };
}
