import { judge } from './check.ts';
import { git } from './files.ts';

/** The last commit before the rule. */
const BASE = '3970c99';
const MAX_LENGTH = 72;

/** The subject of every commit since the base; says so when the history is not there, as in a shallow clone. */
export async function commitSubjects(root: string, base = BASE): Promise<string> {
  const known = await git(root, 'cat-file', '-t', base).catch(() => '');
  if (known.trim() !== 'commit') return `skipped: the history does not reach back to ${base}`;
  const lines = (await git(root, 'log', '--no-merges', '--format=%h %s', `${base}..HEAD`)).split('\n').filter(Boolean);
  const faults = lines.flatMap((line) => {
    const [hash = '', subject = ''] = [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)];
    const length = [...subject].length;
    return length > MAX_LENGTH ? [`${hash} ${subject}: ${length} characters, at most ${MAX_LENGTH}`] : [];
  });
  return judge(faults, `${lines.length} commits since ${base}`);
}
