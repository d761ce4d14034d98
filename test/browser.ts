import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';
import { uncounted } from './file-processes.ts';
import { PATIENT_MS } from './until.ts';

const run = promisify(execFile);
const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

async function installed(): Promise<string | undefined> {
  for (const place of PLACES) {
    const there = await access(place).then(
      () => true,
      () => false,
    );
    if (there) return place;
  }
  return undefined;
}

/**
 * A headless Chromium: the machine's own, or Debian's, which root installs by itself. Undefined where there is neither,
 * so that a test can say that it was skipped and why.
 */
export async function testBrowser(t: { teardown(work: () => unknown): void }): Promise<Browser | undefined> {
  let executablePath = await installed();
  if (executablePath === undefined && process.getuid?.() === 0) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const options = { env, maxBuffer: 64 * 1024 * 1024 };
    await uncounted(() =>
      run('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], options)
        .catch(() =>
          run('sh', ['-c', 'apt-get update && apt-get install -y --no-install-recommends chromium'], options),
        )
        .catch(() => undefined),
    );
    executablePath = await installed();
  }
  if (executablePath === undefined) return undefined;
  // The browser's own sandbox refuses to run as root; the pages are ours alone.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({ executablePath, args, timeout: PATIENT_MS });
  t.teardown(() => browser.close());
  return browser;
}
