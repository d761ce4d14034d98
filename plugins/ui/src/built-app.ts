import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Beside `src` and `dist`: the same place in a checkout and in an installed package. */
const APP = fileURLToPath(new URL('../app/', import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** What a build writes beside a file, by content coding. */
const PACKED: Readonly<Record<string, string>> = { br: '.br', gzip: '.gz' };

/** How the pages sign people in; it is no secret and goes into the page. */
export interface BrowserSignIn {
  issuer: string;
  clientId: string;
}

export interface Asset {
  type: string;
  body: Buffer;
  headers: Record<string, string>;
}

/** A cache between must keep one answer a coding. */
const VARIES = { vary: 'accept-encoding' };

const attribute = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** The built application. A build that ends later is served without a restart. */
export function builtApp({ issuer, clientId }: BrowserSignIn, folder: string = APP) {
  const content = attribute(JSON.stringify({ issuer, client_id: clientId }));
  return {
    /** The page of every address; undefined before it is built. */
    async page(): Promise<string | undefined> {
      const html = await readFile(path.join(folder, 'index.html'), 'utf8').catch(() => undefined);
      return html?.replace('name="weir-sign-in" content=""', `name="weir-sign-in" content="${content}"`);
    },
    /**
     * A file by its name, which holds no folder, in the first of these codings that the build has it in; undefined for one that
     * there is not.
     */
    async asset(file: string, codings: readonly string[] = []): Promise<Asset | undefined> {
      const type = TYPES[path.extname(file)];
      if (type === undefined || file !== path.basename(file)) return undefined;
      const read = (name: string) => readFile(path.join(folder, 'assets', name)).catch(() => undefined);
      for (const coding of codings) {
        const packed = await read(`${file}${PACKED[coding]}`);
        if (packed !== undefined) return { type, body: packed, headers: { ...VARIES, 'content-encoding': coding } };
      }
      const body = await read(file);
      return body && { type, body, headers: VARIES };
    },
  };
}

/** What the pages may load and call: scripts of ours, calls of the API and of the identity provider, nothing else. */
export function pagePolicy(issuer: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    // The components set styles of elements.
    "style-src 'self' 'unsafe-inline'",
    "font-src 'self'",
    "img-src 'self'",
    `connect-src 'self' ${new URL(issuer).origin}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}
