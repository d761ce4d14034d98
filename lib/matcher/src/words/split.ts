const GERMAN: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss', ø: 'o', å: 'a', æ: 'ae', ł: 'l' };
const MOST_WORDS = 24;

/** Lower case without accents, umlauts spelt out. */
export function plain(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[äöüßøåæł]/g, (letter) => GERMAN[letter] ?? letter)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '');
}

/** Parts of a name: at case, digits and signs; characters of scripts without gaps one by one. At most 24. */
export function splitName(name: string): string[] {
  return name
    .normalize('NFC')
    .replace(/(\p{Lu}{2,})(s)(?=$|\P{L})/gu, '$1 ')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .replace(/(\p{L})(\p{N})/gu, '$1 $2')
    .replace(/(\p{N})(\p{L})/gu, '$1 $2')
    .replace(/([\p{scx=Han}\p{scx=Hira}\p{scx=Kana}])/gu, ' $1 ')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part !== '')
    .slice(0, MOST_WORDS)
    .map(plain);
}

/** The stem of an English plural or of a form of a verb: enough for names of columns. */
export function stem(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.length > 4 && /(?:ss|x|ch|sh)es$/.test(word)) return word.slice(0, -2);
  if (word.length > 3 && word.endsWith('s') && !/(?:ss|us|is)$/.test(word)) return word.slice(0, -1);
  return word;
}
