/** Longest line that is kept of a log. */
const MAX_LINE = 300;
const MASK = '…';

/** What a value of a row or a credential looks like in a text; names of columns and tables stay. */
const VALUES: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]+-----[\s\S]*?(?:-----END [A-Z ]+-----|$)/g, MASK],
  [
    /\b(?:eyJ[\w-]{8,}\.[\w-]+\.[\w-]*|(?:AKIA|ASIA)[A-Z0-9]{12,}|(?:sk|pk|ghp|gho|xox[abp]|weir)[-_][\w-]{12,})/g,
    MASK,
  ],
  [/\b(bearer|basic)\s+\S+/gi, `$1 ${MASK}`],
  [
    /\b([\w.-]*(?:password|passwd|secret|token|api[_-]?key|credential|authorization|cookie)[\w.-]*)(\s*[:=]\s*|\s+bearer\s+)\S+(?:\s+\S{16,})?/gi,
    `$1$2${MASK}`,
  ],
  [/\b(?:https?|s3|ftp|jdbc:\w+|postgres(?:ql)?|mysql|mongodb(?:\+srv)?|file):\/\/\S+/gi, MASK],
  [/[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+\.[\p{L}\p{N}.-]+/gu, MASK],
  [/'(?:[^'\n]|'')*'/g, `'${MASK}'`],
  [/\b[0-9a-f]{32,}\b/gi, MASK],
  [/\b[A-Za-z0-9+/]{40,}={0,2}/g, MASK],
  [/\b\d{1,3}(?:\.\d{1,3}){3}\b/g, MASK],
  [/(?<![\w:])\+?\d[\d ().-]{6,}\d(?![\w:])/g, MASK],
  [/\b\d{5,}\b/g, MASK],
];

/** A text without values of rows, credentials and addresses. What it says by words of its own stays. */
export const withoutValues = (text: string): string =>
  VALUES.reduce((left, [form, mask]) => left.replaceAll(form, mask), text.replaceAll('\u0000', ''));

/** Lines of a log that may be shown and sent. */
export const shownLines = (lines: readonly string[]): string[] =>
  lines.map((line) => withoutValues(line).trim().slice(0, MAX_LINE));

/** A text of a provider as people see it: no link leads out of the page, and nothing of it is markup. */
export const withoutLinks = (text: string): string =>
  text
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\b(?:[a-z][a-z0-9+.-]*:\/\/|www\.|javascript:|data:|mailto:)\S*/gi, '')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/[\u0000-\u0008\u000b-\u001f\u202a-\u202e\u2066-\u2069]/g, '')
    .trim();
